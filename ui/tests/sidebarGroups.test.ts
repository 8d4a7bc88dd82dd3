import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';

import type { EntryBody, Session } from '../src/generated/wire';
import { demo, of } from '../src/testing/agents';
import { anApproval, anEntry, aQuestion, aRequest, aSession, aCommand, NOW, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage, skippableTime } from './open';

const row = (id: string) => document.querySelector<HTMLElement>(`[data-row="${id}"] [data-session]`)!;
const line = (id: string) => document.querySelector(`[data-row="${id}"] .line`)?.textContent;

/** The sidebar's headings, with counts, and the sessions below each. */
function groups(): string[] {
  const lines = [...document.querySelectorAll<HTMLElement>('nav .rows li')];
  return lines.map((one) => one.dataset['row'] ?? (one.textContent ?? '').replace(/\s+/g, ' ').trim());
}

async function groupBy(user: UserEvent, grouping: string) {
  await user.click(button(/^Sessions grouped by/));
  await user.click(screen.getByRole('menuitemradio', { name: grouping }));
}

const idle = { state: { state: 'idle' } } as const satisfies Partial<Session>;
const failed = { state: { state: 'ended', at: 1, end: { end: 'failed', why: { failure: 'desk_failed' } } } } as const;
const stopped = { state: { state: 'ended', at: 1, end: { end: 'stopped' } } } as const;

const sessions = [
  aSession({ id: 'working', place: 0 }),
  aSession({ id: 'failed', place: 1, ...failed }),
  aSession({ id: 'later', name: 'later', place: 2 }),
  aSession({ id: 'idle', place: 3, ...idle }),
  aSession({ id: 'ended', place: 4, ...stopped }),
  aSession({ id: 'sooner', name: 'sooner', place: 5, ...idle }),
  aSession({ id: 'starting', place: 6, state: { state: 'starting' } }),
];
const waiting = {
  requests: [aRequest({ session: 'later', questions: [aQuestion(1, { text: 'Which one?' })], askedAt: NOW - 10_000 })],
  approvals: [anApproval({ session: 'sooner', askedAt: NOW - 60_000 })],
};
const several = () => new FakeBridge({ sessions, ...waiting });

describe('groups', () => {
  test('are by state at first, with the oldest request first', async () => {
    await openPage(several());
    const byState = ['Needs you 2', 'sooner', 'later', 'Failed 1', 'failed', 'Working 2', 'working', 'starting'];
    expect(groups()).toEqual([...byState, 'Idle 1', 'idle', 'Earlier 1', 'ended']);
  });

  test('begin with the session that was active last, whose age says when', async () => {
    const three = ['a', 'b', 'c'].map((id, place) => aSession({ id, place, startedAt: NOW - 3_600_000, ...idle }));
    const { bridge } = await openPage(new FakeBridge({ sessions: three }));
    expect(groups()).toEqual(['Idle 3', 'a', 'b', 'c']);
    const ends = (session: string, n: number, ago: number) =>
      ({ change: 'entry', session, entry: { ...anEntry(n, { ...turnEnded, error: 'API Error: 529' }), at: NOW - ago } }) as const;
    await bridge.push(ends('b', 1, 300_000), ends('c', 1, 60_000));
    await waitFor(() => expect(groups()).toEqual(['Idle 3', 'c', 'b', 'a']));
    const goOn = anEntry(2, { kind: 'user', text: 'Go on.', attachments: [] });
    await bridge.push({ change: 'entry', session: 'b', entry: { ...goOn, at: NOW } });
    await waitFor(() => expect(groups()).toEqual(['Idle 3', 'b', 'c', 'a']));
    // An agent that writes moves no row.
    await bridge.push({ change: 'entry', session: 'a', entry: { ...anEntry(1, { kind: 'agent', text: 'Done.' }), at: NOW + 1000 } });
    expect(groups()).toEqual(['Idle 3', 'b', 'c', 'a']);
  });

  test('call a session done once it has finished a turn, until it works again, but not after Stop or an error', async () => {
    const three = ['s1', 's2', 's3'].map((id, place) => aSession({ id, place }));
    const { bridge } = await openPage(new FakeBridge({ sessions: three }));
    const happens = (session: string, n: number, body: EntryBody) => ({ change: 'entry', session, entry: anEntry(n, body) }) as const;
    await bridge.push(
      happens('s1', 1, turnEnded),
      happens('s2', 1, { kind: 'notice', notice: { notice: 'interrupted' } }),
      happens('s2', 2, turnEnded),
      happens('s3', 1, { ...turnEnded, error: 'API Error: 529' }),
      ...three.map((session) => ({ change: 'session', session: { ...session, ...idle } }) as const),
    );
    await waitFor(() => expect(groups()).toEqual(['Done 1', 's1', 'Idle 2', 's2', 's3']));
    expect(row('s1')).toHaveAttribute('data-state', 'idle');
    await bridge.push({ change: 'session', session: three[0]! });
    await bridge.push({ change: 'session', session: { ...three[0]!, ...idle } });
    await waitFor(() => expect(groups()).toEqual(['Idle 3', 's2', 's1', 's3']));
  });

  test('can be folders, agents, or none, which the next window remembers', async () => {
    const mixed = [
      aSession({ id: 'a', folder: '/srv/shop', place: 0 }),
      aSession({ id: 'b', folder: '/srv/web', place: 1, ...of(demo) }),
      aSession({ id: 'c', folder: '/srv/shop', place: 2, ...idle }),
      aSession({ id: 'd', folder: '', place: 3 }),
    ];
    const first = await openPage(new FakeBridge({ sessions: mixed }));
    await groupBy(first.user, 'Folder');
    expect(groups()).toEqual(['/srv/shop 2', 'a', 'c', '/srv/web 1', 'b', 'No folder 1', 'd']);
    await groupBy(first.user, 'Agent');
    expect(groups().filter((one) => one.length === 1)).toEqual(['a', 'c', 'd', 'b']);
    await groupBy(first.user, 'My order');
    expect(groups()).toEqual(['a', 'b', 'c', 'd']);
    first.unmount();
    await openPage(new FakeBridge({ sessions: mixed }));
    expect(groups()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('leave the user’s own order alone, and sessions can be moved only in that order', async () => {
    const { user, bridge } = await openPage(several());
    row('starting').focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await user.click(button('Actions for later'));
    expect(screen.queryByRole('menuitem', { name: 'Move up' })).toBeNull();
    await user.keyboard('{Escape}');
    expect(bridge.sent('move_session')).toEqual([]);
    await groupBy(user, 'My order');
    expect(groups()).toEqual(sessions.map(({ id }) => id));
    await user.click(button('Actions for later'));
    await user.click(screen.getByRole('menuitem', { name: 'Move up' }));
    expect(bridge.sent('move_session')).toMatchObject([{ session: 'later', before: 'failed' }]);
  });

  test('begin with pinned sessions, in the next window too', async () => {
    const three = ['a', 'b', 'c'].map((id, place) => aSession({ id, name: `name-${id}`, place }));
    const first = await openPage(new FakeBridge({ sessions: three }));
    await first.user.click(button('Actions for name-b'));
    await first.user.click(screen.getByRole('menuitem', { name: 'Pin' }));
    expect(groups()).toEqual(['Working 3', 'b', 'a', 'c']);
    expect(row('b')).toHaveTextContent('pinned');
    first.unmount();
    const { user, bridge } = await openPage(new FakeBridge({ sessions: three }));
    await groupBy(user, 'My order');
    expect(groups()).toEqual(['b', 'a', 'c']);
    // The session above is pinned, so this one is the first that can be moved.
    row('a').focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(bridge.sent('move_session')).toEqual([]);
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
    expect(bridge.sent('move_session')).toMatchObject([{ session: 'a', before: null }]);
    await user.click(button('Actions for name-b'));
    await user.click(screen.getByRole('menuitem', { name: 'Unpin' }));
    expect(groups()).toEqual(['a', 'b', 'c']);
  });

  test('a session whose name is being written changes its group afterwards', async () => {
    const { user, bridge } = await openPage(new FakeBridge({ sessions: [aSession(), aSession({ id: 's2', place: 1, ...idle })] }));
    row('s1').focus();
    await user.keyboard('{F2}half a na');
    await bridge.push({ change: 'session', session: aSession({ ...stopped }) });
    expect(groups()).toEqual(['Working 1', 's1', 'Idle 1', 's2']);
    expect(screen.getByRole('textbox', { name: 'Session name' })).toHaveValue('half a na');
    expect(screen.getByRole('textbox', { name: 'Session name' })).toHaveFocus();
    expect(bridge.sent('rename_session')).toEqual([]);
    await user.keyboard('{Escape}');
    expect(groups()).toEqual(['Idle 1', 's2', 'Earlier 1', 's1']);
    expect(row('s1')).toHaveFocus();
  });
});

describe('while the pointer is over the sidebar', () => {
  skippableTime();

  const two = [aSession({ id: 'a', name: 'name-a', place: 0 }), aSession({ id: 'b', name: 'name-b', place: 1 })];
  const asks = { change: 'request', request: aRequest({ session: 'b', questions: [aQuestion(1, { text: 'Which one?' })] }) } as const;

  test('none changes its place, but their states and lines do, and they catch up once it leaves', async () => {
    const { user, bridge, store } = await openPage(new FakeBridge({ sessions: two }));
    await user.hover(row('a'));
    await bridge.push(asks);
    await waitFor(() => expect(row('b')).toHaveAttribute('data-state', 'needs_you'));
    expect(line('b')).toBe('Which one?');
    expect(groups()).toEqual(['Working 2', 'a', 'b']);
    await user.keyboard('{Control>}2{/Control}');
    expect(store.state.navigation.place.session).toBe('b');
    await user.click(row('a'));
    expect(store.state.navigation.place.session).toBe('a');
    await bridge.push({ change: 'session', session: aSession({ id: 'new', place: 2 }) });
    await waitFor(() => expect(groups()).toEqual(['Working 2', 'a', 'b', 'new']));
    await user.hover(document.querySelector('main')!);
    expect(groups()).toEqual(['Needs you 1', 'b', 'Working 2', 'a', 'new']);
    await user.keyboard('{Control>}1{/Control}');
    expect(store.state.navigation.place.session).toBe('b');
    await user.hover(row('a'));
    await bridge.push({ change: 'session_closed', session: 'b' });
    await waitFor(() => expect(groups()).toEqual(['Working 2', 'a', 'new']));
  });

  test('the user’s own changes of the layout take effect', async () => {
    const { user, bridge, store } = await openPage(new FakeBridge({ sessions: two }));
    await user.hover(row('a'));
    await bridge.push(asks);
    store.dispatch({ type: 'session_pinned', session: 'b', pinned: true });
    await waitFor(() => expect(groups()).toEqual(['Needs you 1', 'b', 'Working 1', 'a']));
    store.dispatch({ type: 'session_pinned', session: 'b', pinned: false });
    store.dispatch({ type: 'sidebar_grouped', grouping: 'own' });
    await waitFor(() => expect(groups()).toEqual(['a', 'b']));
    await bridge.push({ change: 'session', session: { ...two[1]!, place: -1 } });
    await waitFor(() => expect(groups()).toEqual(['b', 'a']));
  });

  test('a touch still clicks the session that it began on', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: two }));
    const list = document.querySelector('nav .rows')!;
    await fireEvent.pointerDown(list, { pointerType: 'touch' });
    await bridge.push(asks);
    await waitFor(() => expect(row('b')).toHaveAttribute('data-state', 'needs_you'));
    await fireEvent.pointerLeave(document.documentElement, { pointerType: 'touch' });
    await vi.advanceTimersByTimeAsync(300);
    expect(groups()).toEqual(['Working 2', 'a', 'b']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(groups()).toEqual(['Needs you 1', 'b', 'Working 1', 'a']);
  });

  test('they stay however long it rests, and catch up once it leaves the window or the window is left', async () => {
    const { user, bridge } = await openPage(new FakeBridge({ sessions: two }));
    await user.hover(button('Settings'));
    await bridge.push(asks);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(groups()).toEqual(['Working 2', 'a', 'b']);
    await fireEvent.pointerLeave(document.documentElement, { pointerType: 'mouse' });
    await waitFor(() => expect(groups()).toEqual(['Needs you 1', 'b', 'Working 1', 'a']));
    await user.hover(row('a'));
    await bridge.push({ change: 'session_closed', session: 'b' }, { change: 'session', session: { ...two[0]!, ...idle } });
    expect(groups()).toEqual(['Working 1', 'a']);
    await fireEvent.blur(window);
    await waitFor(() => expect(groups()).toEqual(['Idle 1', 'a']));
  });

  test.each<[string, (opened: Awaited<ReturnType<typeof openPage>>) => Promise<void>, string[]]>([
    ['is closed', ({ user }) => user.keyboard('{Escape}'), ['Needs you 1', 'b', 'Working 1', 'a']],
    ['goes with its session', ({ bridge }) => bridge.push({ change: 'session_closed', session: 'a' }), ['Needs you 1', 'b']],
  ])('they stay while a menu of one is open, wherever it is, until it %s', async (_, end, expected) => {
    const opened = await openPage(new FakeBridge({ sessions: two }));
    await opened.user.click(button('Actions for name-a'));
    await opened.user.hover(document.querySelector('main')!);
    await opened.bridge.push(asks);
    expect(groups()).toEqual(['Working 2', 'a', 'b']);
    await end(opened);
    await waitFor(() => expect(groups()).toEqual(expected));
  });
});

describe('the second line of a row', () => {
  const tool = (status: 'running' | 'done'): EntryBody => aCommand('cargo test', { status });

  test('is the open request, or why the session ended', async () => {
    await openPage(several());
    expect(['later', 'sooner', 'failed', 'ended', 'idle'].map(line)).toEqual([
      'Which one?',
      'rm -r build',
      'Failed · An internal error in Askdesk ended this session.',
      'Ended by you',
      'Idle · Claude Code',
    ]);
  });

  test('follows the task or tool in progress, and then what the agent said', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [aSession(), aSession({ id: 's2', place: 1 })] }));
    const happens = (n: number, body: EntryBody) => bridge.push({ change: 'entry', session: 's2', entry: anEntry(n, body) });
    expect(line('s2')).toBe('Working · Claude Code');
    await happens(1, tool('running'));
    expect(line('s2')).toBe('Running cargo test');
    const items = [
      { text: 'Read', status: 'done' },
      { text: 'Write the guide', status: 'in_progress' },
      { text: 'Ship', status: 'pending' },
    ] as const;
    await happens(2, { kind: 'plan', items: [...items] });
    expect(line('s2')).toBe('Write the guide · 2 of 3');
    await happens(3, { kind: 'plan', items: [] });
    await happens(1, tool('done'));
    expect(line('s2')).toBe('Working · Claude Code');
    await happens(4, { kind: 'agent', text: '\n## **Renamed** 38 `color` tokens\n\nMore below.' });
    await bridge.push({ change: 'session', session: aSession({ id: 's2', place: 1, ...idle }) });
    await waitFor(() => expect(line('s2')).toBe('Renamed 38 color tokens'));
  });
});

test('a field filters the sessions once there are many', async () => {
  const many = Array.from({ length: 13 }, (_, n) =>
    aSession({ id: `s${n}`, name: `name-${n}`, folder: `/srv/${n % 2 ? 'odd' : 'even'}`, place: n }),
  );
  const { user, bridge, store } = await openPage(new FakeBridge({ sessions: many.slice(1) }));
  expect(screen.queryByRole('searchbox')).toBeNull();
  await user.hover(screen.getByRole('button', { name: /^name-1\b/ }));
  await bridge.push({ change: 'session', session: many[0]! });
  expect(screen.queryByRole('searchbox')).toBeNull();
  await user.hover(screen.getByRole('main'));
  const field = screen.getByRole('searchbox', { name: 'Filter sessions' });
  await user.type(field, 'odd name-1');
  expect(groups()).toEqual(['Working 2', 's1', 's11']);
  await user.type(field, '1');
  expect(groups()).toEqual(['Working 1', 's11']);
  await user.keyboard('{Enter}');
  expect(store.state.navigation.place.session).toBe('s11');
  await user.keyboard('go on');
  expect(store.state.messages).toEqual({ s11: 'go on' });
  field.focus();
  await user.keyboard('x');
  expect(screen.getByText('No matching sessions')).toBeVisible();
  await user.keyboard('{Escape}');
  expect(groups()).toHaveLength(14);
});

test('a waiting question is marked in its row, the panel, and the Inbox, and nowhere else', async () => {
  await openPage(new FakeBridge({ sessions: [aSession()], requests: [aRequest()] }));
  const marks = [...document.querySelectorAll('.icon-needs_you, [data-count]')];
  expect(marks.map((mark) => mark.closest('[data-session], [data-inbox], aside') !== null)).toEqual([true, true, true]);
  expect(document.querySelector('main')).not.toHaveTextContent('Needs you');
});
