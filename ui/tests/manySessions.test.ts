import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Change, Session } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { allWaiting } from '../src/store/inbox';
import { sessionGroups } from '../src/store/sidebar';
import { anEntry, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { matchingMedia } from './jsdom';
import { button, openPage, settle } from './open';

const COUNT = 1_000;
const ended = { state: 'ended', at: 1, end: { end: 'stopped' } } as const;
/** The first one began last, and is the only one that works. */
const sessions: Session[] = Array.from({ length: COUNT }, (_, n) =>
  aSession({ id: `s${n}`, name: `name-${n}`, place: n, startedAt: COUNT - n, ...(n > 0 && { state: ended }) }),
);

test('neither a click nor what an agent writes sorts the sessions or counts what waits in them', async () => {
  const bridge = new FakeBridge({ sessions });
  const { store, open } = createPage(bridge);
  const close = open();
  await settle();
  const before = [sessionGroups(store.state), allWaiting(store.state)];
  const now = () => [sessionGroups(store.state), allWaiting(store.state)];
  const expectSame = () => now().forEach((one, index) => expect(one).toBe(before[index]));
  store.dispatch({ type: 'session_selected', session: 's500' });
  expectSame();
  const quiet: Change[] = [
    { change: 'entry', session: 's0', entry: anEntry(1, { kind: 'agent', text: 'Done.' }) },
    { change: 'live_text', added: { session: 's0', kind: 'text', text: 'a' } },
    { change: 'files_changed', session: 's0', totals: { files: 1, added: 1, removed: 0, state: 1 } },
  ];
  await bridge.push(...quiet);
  expect(store.state.activity['s0']).toMatchObject({ said: 'Done.' });
  expectSame();
  await bridge.push({ change: 'request', request: aRequest({ session: 's7' }) });
  expect(sessionGroups(store.state)[0]).toMatchObject({ name: 'needs_you', sessions: [{ id: 's7' }] });
  expect(allWaiting(store.state)).toMatchObject({ questions: 1 });
  close();
});

const mounted = () => [...document.querySelectorAll<HTMLElement>('nav [data-row]')].map((row) => row.dataset['row']);
const row = (id: string) => document.querySelector<HTMLElement>(`nav [data-session="${id}"]`);
/** What an attempt to render every row would exceed; the list has room for one row in jsdom, and keeps a few around it. */
const FEW = 20;

describe('with 1,000 sessions', () => {
  test('the sidebar renders the rows in view, the newest first, and says how many there are', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    expect(mounted().slice(0, 3)).toEqual(['s0', 's1', 's2']);
    expect(mounted().length).toBeLessThan(FEW);
    const item = row('s1')!.closest('li');
    expect(item).toHaveAttribute('aria-posinset', '4');
    expect(item).toHaveAttribute('aria-setsize', String(COUNT + 2));
    await user.click(button(/^Sessions grouped by/));
    await user.click(screen.getByRole('menuitemradio', { name: 'My order' }));
    expect(mounted().slice(0, 2)).toEqual(['s0', 's1']);
  });

  test('a click on a session renders no other row', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions }));
    const before = [...document.querySelectorAll('nav [data-session]')];
    await user.click(row('s2')!);
    expect(store.state.navigation.place.session).toBe('s2');
    expect(row('s2')).toHaveAttribute('aria-current', 'page');
    expect(before.filter((one) => !one.isConnected)).toEqual([]);
    expect(mounted().length).toBeLessThan(FEW);
  });

  test('keys reach the last row and come back', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    row('s0')!.focus();
    await user.keyboard('{End}');
    await waitFor(() => expect(row('s999')).toHaveFocus());
    await user.keyboard('{ArrowDown}');
    await waitFor(() => expect(row('s0')).toHaveFocus());
    await user.keyboard('{ArrowUp}');
    await waitFor(() => expect(row('s999')).toHaveFocus());
    expect(mounted().length).toBeLessThan(FEW);
  });

  test('a name that is being written stays when its row leaves the view', async () => {
    const { user, bridge } = await openPage(new FakeBridge({ sessions }));
    row('s1')!.focus();
    await user.keyboard('{F2}half a na');
    const list = document.querySelector('nav .rows')!;
    list.scrollTop = 20_000;
    await fireEvent.scroll(list);
    expect(mounted()).toContain('s500');
    expect(mounted()).not.toContain('s3');
    const field = screen.getByRole('textbox', { name: 'Session name' });
    expect(field).toHaveValue('half a na');
    expect(field).toHaveFocus();
    expect(bridge.sent('rename_session')).toEqual([]);
  });

  test('a drop between two rows moves a session there', async () => {
    localStorage.setItem('askdesk.sidebar', JSON.stringify({ grouping: 'own' }));
    HTMLElement.prototype.setPointerCapture = () => undefined;
    const { bridge } = await openPage(new FakeBridge({ sessions }));
    const pointer = { pointerId: 1, button: 0, clientX: 5 };
    await fireEvent.pointerDown(row('s0')!, { ...pointer, clientY: 10 });
    // Each row is 40 pixels high in jsdom, so this is in the upper half of the fourth one.
    await fireEvent.pointerMove(document.querySelector('nav .rows')!, { ...pointer, clientY: 130 });
    await fireEvent.pointerUp(document.querySelector('nav .rows')!, pointer);
    await settle();
    expect(bridge.sent('move_session')).toMatchObject([{ session: 's0', before: 's3' }]);
  });

  test('the rail of a narrow window renders the tiles in view', async () => {
    matchingMedia.add('(width < 900px)');
    const { user } = await openPage(new FakeBridge({ sessions }));
    expect(mounted().length).toBeLessThan(FEW);
    row('s0')!.focus();
    await user.keyboard('{End}');
    await waitFor(() => expect(row('s999')).toHaveFocus());
  });
});
