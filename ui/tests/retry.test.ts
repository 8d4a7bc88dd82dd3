import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { AgentFailure, Entry, Session, SessionOptions } from '../src/generated/wire';
import { aSession, anEntry, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const idle = { state: { state: 'idle' } } as const satisfies Partial<Session>;
const failedTurn = { ...turnEnded, error: 'API Error: 529' };
const file = { attachment: 'file', path: '/srv/a.txt', bytes: 3 } as const;
const said = [
  anEntry(1, { kind: 'user', text: 'Begin', attachments: [] }),
  anEntry(2, turnEnded),
  anEntry(3, { kind: 'user', text: 'Open the door', attachments: [file] }),
  anEntry(4, failedTurn),
];

function failed(entries: Entry[], session: Partial<Session> = idle) {
  const bridge = new FakeBridge({ sessions: [aSession(session)] });
  bridge.entries['s1'] = entries;
  return bridge;
}

describe('a failed turn', () => {
  test('is sent again once a click, and what is in the composer stays', async () => {
    const { user, bridge } = await openPage(failed(said));
    await user.type(composer(), 'half a thought');
    await expectNoViolations();
    let release: () => void = () => undefined;
    bridge.on('send_message', () => new Promise((resolve) => (release = () => resolve({}))));
    await user.dblClick(button('Retry'));
    const again = { session: 's1', text: 'Open the door', attachments: [file], closes: [] };
    expect(bridge.sent('send_message')).toMatchObject([again]);
    release();
    expect(composer()).toHaveValue('half a thought');
    await bridge.push(
      { change: 'entry', session: 's1', entry: anEntry(5, { kind: 'user', text: 'Open the door', attachments: [file] }) },
      { change: 'entry', session: 's1', entry: anEntry(6, failedTurn) },
    );
    await user.click(button('Retry'));
    expect(bridge.sent('send_message')).toMatchObject([again, again]);
  });

  test('that the app doesn’t take says why beside the button', async () => {
    const { user } = await openPage(failed(said).fail('send_message', { code: 'session_gone' }));
    await user.click(button('Retry'));
    expect(screen.getByRole('alert')).toHaveTextContent('the session has ended');
    expect(button('Retry')).toBeVisible();
  });

  test.each<[string, Entry[], Partial<Session>]>([
    ['that ended well', [said[0]!, said[1]!], idle],
    ['whose agent works', said, {}],
    ['with something after it', [...said, anEntry(5, { kind: 'user', text: 'Go on', attachments: [] })], idle],
    ['without a message of the user', [said[0]!, said[1]!, anEntry(3, failedTurn)], idle],
  ])('%s isn’t offered', async (_, entries, session) => {
    await openPage(failed(entries, session));
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  });
});

describe('an agent that ended at its start', () => {
  const why: AgentFailure = { failure: 'exited', code: 1, signal: null, said: '', next: 'start_anew' };
  const options: SessionOptions = {
    config: { mode: 'plan', model: 'opus' },
    questions: 'never',
    program: '/opt/claude',
    extras: { arguments: [], environment: {} },
  };
  const ended: Partial<Session> = { state: { state: 'ended', at: 1, end: { end: 'failed', why } }, resumable: false, options };
  const first = anEntry(1, { kind: 'user', text: 'Open the door', attachments: [] });

  test('is started again with the same message, folder, and options', async () => {
    const bridge = failed([first], { ...ended, name: 'Open the door', namedBy: 'message', folder: '/srv/shop' });
    bridge.on('start_session', () => aSession({ id: 's2' }));
    const { user, store } = await openPage(bridge);
    expect(screen.getByText('Starts a new session with the same message, folder, and options.')).toBeVisible();
    await user.click(button('Retry'));
    expect(bridge.sent('start_session')).toMatchObject([
      { agent: 'claude_code', folder: '/srv/shop', prompt: 'Open the door', name: null, options, worktree: null, continues: null },
    ]);
    expect(store.state.navigation.place.session).toBe('s2');
  });

  test('keeps a name that the user chose, and its worktree', async () => {
    const worktree = { repository: '/srv/shop', path: '/srv/shop-worktrees/door', branch: 'door', base: 'main' };
    const bridge = failed([first], { ...ended, name: 'Doors', folder: '/srv/shop-worktrees/door/app', worktree });
    const { user } = await openPage(bridge.on('start_session', () => aSession({ id: 's2' })));
    await user.click(button('Retry'));
    const { repository: _, ...made } = worktree;
    expect(bridge.sent('start_session')).toMatchObject([
      { name: 'Doors', folder: '/srv/shop/app', worktree: { ...made, setup: '', made: true } },
    ]);
  });

  test('is started again if it was stopped before it did anything, and not if it can be resumed', async () => {
    const { unmount } = await openPage(failed([first], { ...ended, resumable: true }));
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
    unmount();
    const stopped = { state: { state: 'ended', at: 1, end: { end: 'stopped' } }, resumable: false } as const;
    const { unmount: leave } = await openPage(failed([first], stopped));
    expect(button('Retry')).toBeVisible();
    leave();
    await openPage(failed([first, { ...first, n: 2, body: { kind: 'agent', text: 'Done.' } }], stopped));
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  });
});
