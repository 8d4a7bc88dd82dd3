import { screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { Request } from '../src/generated/wire';
import { arming } from '../src/shared/arming';
import { Timers } from '../src/store/timers';
import { aRequest, aSession, ended, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, panel, settle } from './open';
import { pair } from './openCard';

const UNDO_MS = 3000;

/** The undo windows in progress, which `pass` ends. */
let windows: (() => void)[] = [];

beforeEach(() => {
  windows = [];
  const { later } = Timers.prototype;
  vi.spyOn(Timers.prototype, 'later').mockImplementation(function held(this: Timers, millis, act) {
    if (millis !== UNDO_MS) return later.call(this, millis, act);
    windows.push(act);
    return () => void (windows = windows.filter((one) => one !== act));
  });
});

afterEach(() => void vi.restoreAllMocks());

async function pass() {
  for (const end of windows.splice(0)) end();
  await settle();
}

const working = aSession({ state: { state: 'working' } });
const a = (id: string, changes: Partial<Request> = {}) => aRequest({ id, nativeRef: `n-${id}`, ...changes });

function asked(...requests: Request[]): FakeBridge {
  return new FakeBridge({ sessions: [working], requests }).on('send_message', () => ({})).on('queue_message', () => working);
}

const sent = (bridge: FakeBridge) => bridge.sent('send_message').map(({ text, closes }) => ({ text, closes }));
const queued = (bridge: FakeBridge) => bridge.sent('queue_message').map(({ text }) => text);
const description = () => document.getElementById(composer().getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
const held = () => document.querySelector('[data-held-reply]');

describe('case 104 the composer', () => {
  test('says how many questions a message closes, and its button what it does', async () => {
    const { user, bridge } = await openPage(asked(a('r1'), a('r2', { questions: pair() })));
    expect(description()).toBe('Enter replies in chat and closes 3 questions.');
    expect(button('Reply in chat')).toBeDisabled();
    await user.type(composer(), 'let us talk');
    expect(button('Reply in chat')).toBeEnabled();
    await bridge.push({ change: 'request', request: a('r2', { state: ended(withdrawn()) }) });
    await waitFor(() => expect(description()).toBe('Enter replies in chat and closes 1 question.'));
  });

  test('queues a message that was begun within the delay of the question', async () => {
    const { after } = arming;
    const due: (() => void)[] = [];
    Object.assign(arming, { delay: 500, after: (_: number, run: () => void) => (due.push(run), () => undefined) });
    try {
      const { user, bridge } = await openPage(asked(a('r1')));
      expect(description()).toBe('Enter queues this message. 1 question stays open.');
      await user.type(composer(), 'so');
      expect(screen.queryByRole('button', { name: 'Reply in chat: closes 1 question' })).toBeNull();
      for (const run of due) run();
      await settle();
      expect(button('Reply in chat: closes 1 question')).toBeVisible();
      await user.type(composer(), '{Enter}');
      expect(queued(bridge)).toEqual(['so']);
      expect(sent(bridge)).toEqual([]);
    } finally {
      arming.after = after;
    }
  });

  test('lets the user choose that a message closes a question that came later', async () => {
    const { user, bridge } = await openPage(asked());
    await user.type(composer(), 'leave it');
    await bridge.push({ change: 'request', request: a('r1') });
    await waitFor(() => expect(description()).toBe('Enter queues this message. 1 question stays open.'));
    await user.click(button('Reply in chat: closes 1 question'));
    expect(sent(bridge)).toEqual([]);
    await pass();
    expect(sent(bridge)).toEqual([{ text: 'leave it', closes: ['r1'] }]);
    expect(queued(bridge)).toEqual([]);
  });
});

describe('case 104 a reply in chat', () => {
  test('is held for the undo window with its text in the composer, and then closes what it said', async () => {
    const { user, bridge } = await openPage(asked(a('r1'), a('r2')));
    await user.type(composer(), 'let us talk{Enter}');
    expect(sent(bridge)).toEqual([]);
    expect(composer()).toHaveValue('let us talk');
    expect(held()).toHaveTextContent('Sends in 3 s and closes 2 questions');
    expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain(
      'Sends in 3 seconds and closes 2 questions. Press Esc to undo.',
    );
    expect(within(panel()).getByText('Your message closes this in 3 s')).toBeVisible();
    await pass();
    expect(sent(bridge)).toEqual([{ text: 'let us talk', closes: ['r1', 'r2'] }]);
    expect(composer()).toHaveValue('');
    expect(held()).toBeNull();
  });

  test.each([
    ['Enter again', (user: User) => user.keyboard('{Enter}')],
    ['Send now', (user: User) => user.click(button('Send now'))],
  ])('is sent now by %s, and only once', async (_, now) => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter}');
    await now(user);
    expect(sent(bridge)).toEqual([{ text: 'talk', closes: ['r1'] }]);
    await pass();
    expect(sent(bridge)).toHaveLength(1);
  });

  test('isn’t sent by an Enter that is held down, or by a double click', async () => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter>3/}');
    expect(sent(bridge)).toEqual([]);
    await user.keyboard('{Escape}');
    await user.dblClick(button('Reply in chat'));
    expect(held()).not.toBeNull();
    expect(sent(bridge)).toEqual([]);
  });

  test.each([
    ['Esc', (user: User) => user.keyboard('{Escape}'), 'talk'],
    ['Undo in the composer', (user: User) => user.click(within(held() as HTMLElement).getByRole('button', { name: /^Undo/ })), 'talk'],
    ['Undo in the card', (user: User) => user.click(within(panel()).getByRole('button', { name: /^Undo/ })), 'talk'],
    ['an edit', (user: User) => user.keyboard('!'), 'talk!'],
    [
      'u in the panel',
      (user: User) => {
        document.querySelector<HTMLElement>('[data-card="r1"]')!.focus();
        return user.keyboard('u');
      },
      'talk',
    ],
  ])('is undone by %s, which loses neither the text nor the question', async (_, undo, left) => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter}');
    await undo(user);
    expect(held()).toBeNull();
    await pass();
    expect(sent(bridge)).toEqual([]);
    expect(composer()).toHaveValue(left);
    expect(bridge.request('r1').state.state).toBe('open');
    // It can be held again, and still says the same.
    expect(description()).toBe('Enter replies in chat and closes 1 question.');
  });

  test('is queued if its question has gone meanwhile, also if another has come', async () => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter}');
    await bridge.push({ change: 'request', request: a('r1', { state: ended(withdrawn()) }) }, { change: 'request', request: a('r2') });
    await pass();
    expect(sent(bridge)).toEqual([]);
    expect(queued(bridge)).toEqual(['talk']);
  });

  test('goes on while another session is in view', async () => {
    const bridge = asked(a('r1'));
    bridge.snapshot = { ...bridge.snapshot, sessions: [working, aSession({ id: 's2', name: 'other', place: 1 })] };
    const { user, store } = await openPage(bridge);
    await user.type(composer(), 'talk{Enter}');
    store.dispatch({ type: 'session_selected', session: 's2' });
    await pass();
    expect(sent(bridge)).toEqual([{ text: 'talk', closes: ['r1'] }]);
  });

  test('stays in the composer if the session ends meanwhile, and resumes nothing', async () => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter}');
    const over = { state: 'ended', end: { end: 'app_quit' }, at: 1 } as const;
    await bridge.push(
      { change: 'session', session: aSession({ state: over, resumable: true }) },
      { change: 'request', request: a('r1', { state: ended({ outcome: 'orphaned', why: 'agent_ended' }) }) },
    );
    await pass();
    expect(bridge.sent('send_message')).toEqual([]);
    expect(composer()).toHaveValue('talk');
  });

  test('that can’t be sent stays with its text', async () => {
    const { user, bridge } = await openPage(asked(a('r1')).fail('send_message', { code: 'storage' }));
    await user.type(composer(), 'talk{Enter}');
    await pass();
    expect(sent(bridge)).toHaveLength(1);
    expect(composer()).toHaveValue('talk');
    expect(held()).toBeNull();
    expect(screen.getByRole('alert')).toBeVisible();
  });

  test('is sent before its window closes', async () => {
    const { user, bridge } = await openPage(asked(a('r1')));
    await user.type(composer(), 'talk{Enter}');
    bridge.close(1);
    await settle();
    expect(bridge.asked).toBe(1);
  });
});

type User = Awaited<ReturnType<typeof openPage>>['user'];
