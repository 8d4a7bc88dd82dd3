import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Answer, Outcome } from '../src/generated/wire';
import { aQuestion, aSession, anEntry } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle } from './open';

const said = aSession({ state: { state: 'idle' }, nativeSession: 'n1' });
const fork = aSession({ id: 's2', name: 'api (2)', state: { state: 'idle' }, place: 1 });

function bridgeWith(session = said): FakeBridge {
  const bridge = new FakeBridge({ sessions: [session] }).on('fork_session', () => fork).on('list_files_since', () => ({ since: null }));
  bridge.entries['s1'] = [
    anEntry(1, { kind: 'user', text: 'Begin', attachments: [] }),
    anEntry(2, { kind: 'agent', text: 'Begun' }),
    anEntry(3, { kind: 'user', text: 'Open the red door', attachments: [] }),
  ];
  return bridge;
}

const forkButtons = () => screen.queryAllByRole('button', { name: 'Fork before this message' });
const composer = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message to the agent' });

describe('a fork before a message', () => {
  test('says what it does, and opens a session where the message is written again', async () => {
    const { user, bridge } = await openPage(bridgeWith());
    expect(forkButtons()).toHaveLength(2);
    await user.click(forkButtons()[1] as HTMLElement);
    const dialog = within(await screen.findByRole('dialog', { name: 'Fork before this message?' }));
    expect(dialog.getByText('Open the red door')).toBeVisible();
    expect(dialog.getByText(/This session stays as it is/)).toBeVisible();
    await expectNoViolations();
    expect(bridge.sent('fork_session')).toEqual([]);
    await user.click(dialog.getByRole('button', { name: 'Fork' }));
    await settle();
    expect(bridge.sent('fork_session')).toMatchObject([{ session: 's1', before: 3, putBack: null }]);
    expect(screen.getByRole('heading', { name: 'api (2)' })).toBeVisible();
    expect(composer()).toHaveValue('Open the red door');
    expect(composer()).toHaveFocus();
  });

  test('lists the files that have changed since, and puts them back only if the user wants that', async () => {
    const files = [
      { path: 'src/door.rs', kind: 'modified' as const, recorded: true },
      { path: 'big.bin', kind: 'added' as const, recorded: false },
    ];
    const bridge = bridgeWith().on('list_files_since', () => ({ since: { files, unlisted: 1, state: 7 } }));
    const { user } = await openPage(bridge);
    await user.click(forkButtons()[1] as HTMLElement);
    const dialog = within(await screen.findByRole('dialog', { name: 'Fork before this message?' }));
    expect(bridge.sent('list_files_since')).toEqual([{ session: 's1', message: 3 }]);
    const list = within(await dialog.findByRole('list', { name: /^3 files have changed since then/ }));
    expect(list.getAllByRole('listitem').map((item) => item.textContent.trim())).toEqual([
      'src/door.rs modified',
      'big.bin added (stays as it is, because its content wasn’t recorded)',
      'and 1 more',
    ]);
    expect(dialog.getByText('Without this, they stay as they are now.')).toBeVisible();
    await user.click(dialog.getByRole('checkbox', { name: 'Put them back to how they were before the message' }));
    await user.click(dialog.getByRole('button', { name: 'Fork' }));
    await settle();
    expect(bridge.sent('fork_session')).toMatchObject([{ session: 's1', before: 3, putBack: 7 }]);
  });

  test.each([
    [{ since: null }, /wasn’t recorded, so they stay as they are/],
    [{ since: { files: [], unlisted: 0, state: 7 } }, 'No file has changed since then.'],
  ])('offers to put back nothing where there is nothing', async (read, words) => {
    const { user } = await openPage(bridgeWith().on('list_files_since', () => read));
    await user.click(forkButtons()[1] as HTMLElement);
    expect(await screen.findByText(words)).toBeVisible();
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.getByRole('button', { name: 'Fork' })).toBeEnabled();
  });

  test('that is refused says why, and loses no draft', async () => {
    const bridge = bridgeWith().fail('fork_session', {
      code: 'agent_refused',
      detail: { detail: 'refused', why: { refused: 'no_place' } },
    });
    const { user } = await openPage(bridge);
    await user.type(composer(), 'half a thought');
    await user.click(forkButtons()[1] as HTMLElement);
    await user.click(await screen.findByRole('button', { name: 'Fork' }));
    await settle();
    expect(screen.getByRole('alert')).toHaveTextContent('The agent can’t fork right before this message');
    expect(composer()).toHaveValue('half a thought');
  });

  test('leads back to the session that it was made from', async () => {
    const bridge = new FakeBridge({ sessions: [fork, { ...said, name: 'doors' }] });
    bridge.entries['s2'] = [anEntry(1, { kind: 'notice', notice: { notice: 'forked', from: 's1', earlier: 'all' } })];
    const { user, store } = await openPage(bridge);
    store.dispatch({ type: 'session_selected', session: 's2' });
    await settle();
    await user.click(screen.getByRole('button', { name: 'Go to doors' }));
    expect(screen.getByRole('heading', { name: 'doors' })).toBeVisible();
  });

  test.each([
    ['while the agent works', aSession({ nativeSession: 'n1' })],
    ['before the agent has said anything', aSession({ state: { state: 'idle' } })],
  ])('is not offered %s', async (_, session) => {
    await openPage(bridgeWith(session));
    expect(screen.getByText('Open the red door')).toBeVisible();
    expect(forkButtons()).toEqual([]);
  });
});

describe('a copied question', () => {
  const questions = [aQuestion(1, { text: 'Which colour?', header: null, options: ['Red', 'Blue'] })];
  const answer: Answer = { question: 'q1', chosen: ['q1o2'], other: null, note: null, secretGiven: false };

  test.each<[string, Outcome | null, string | RegExp]>([
    ['its answer', { outcome: 'answered', answers: [answer] }, 'Which colour? Blue'],
    ['that it was skipped', { outcome: 'declined', words: null }, 'You skipped this'],
    ['that its end is not known', null, 'What came of it isn’t known'],
  ])('tells %s, and waits for nothing', async (_, outcome, told) => {
    const bridge = bridgeWith();
    bridge.entries['s1']?.push(anEntry(4, { kind: 'copied_question', questions, outcome }));
    const { user } = await openPage(bridge);
    const entry = within(document.querySelector<HTMLElement>('[data-entry="4"]') as HTMLElement);
    expect(entry.getByText(told)).toBeVisible();
    expect(entry.getByText('Copied')).toBeVisible();
    await user.click(entry.getByText('Copied'));
    await settle();
    expect(entry.getAllByRole('listitem').map((item) => item.textContent.trim())).toContain(
      outcome?.outcome === 'answered' ? 'Blue (chosen)' : 'Blue',
    );
    expect(entry.queryAllByRole('button')).toEqual([]);
    expect(screen.queryByRole('button', { name: 'Submit' })).toBeNull();
  });
});
