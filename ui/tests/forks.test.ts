import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { aSession, anEntry } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle } from './open';

const said = aSession({ state: { state: 'idle' }, nativeSession: 'n1' });
const fork = aSession({ id: 's2', name: 'api (2)', state: { state: 'idle' }, place: 1 });

function bridgeWith(session = said): FakeBridge {
  const bridge = new FakeBridge({ sessions: [session] }).on('fork_session', () => fork);
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
    expect(bridge.sent('fork_session')).toMatchObject([{ session: 's1', before: 3 }]);
    expect(screen.getByRole('heading', { name: 'api (2)' })).toBeVisible();
    expect(composer()).toHaveValue('Open the red door');
    expect(composer()).toHaveFocus();
  });

  test('that is refused says why, and loses no draft', async () => {
    const bridge = bridgeWith().fail('fork_session', { code: 'agent_refused', detail: { detail: 'refused', why: { refused: 'no_place' } } });
    const { user } = await openPage(bridge);
    await user.type(composer(), 'half a thought');
    await user.click(forkButtons()[1] as HTMLElement);
    await user.click(await screen.findByRole('button', { name: 'Fork' }));
    await settle();
    expect(screen.getByRole('alert')).toHaveTextContent('The agent can’t fork right before this message');
    expect(composer()).toHaveValue('half a thought');
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
