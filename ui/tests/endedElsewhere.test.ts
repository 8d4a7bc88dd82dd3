import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { DraftTarget } from '../src/generated/wire';
import { anApproval, anEntry, answered, aRequest, delivered, ended, undelivered, withdrawn } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage, panel, settle, skipWithMessage } from './open';

const field = (name: string | RegExp) => screen.getByRole('textbox', { name });

const declining: DraftTarget = { of: 'request', id: 'r1', draft: { active: 0, answers: [], declining: true, words: 'Not now' } };

describe('the focus', () => {
  test('isn’t taken by forms that are open when the window loads, or appear because a request was withdrawn', async () => {
    const bridge = new FakeBridge({ requests: [aRequest()], approvals: [anApproval()] });
    const draft = { form: 'message', message: 'Elsewhere', options: null, plan: null } as const;
    bridge.drafts = [declining, { of: 'approval', id: 'a1', draft }];
    await openPage(bridge);
    expect(field('Message to the agent (optional)')).toHaveValue('Not now');
    expect(document.body).toHaveFocus();
    await bridge.push({ change: 'request', request: aRequest({ state: ended(withdrawn()) }) });
    expect(within(panel()).getByRole('textbox', { name: 'Message to the agent' })).toHaveValue('Elsewhere');
    expect(document.body).toHaveFocus();
  });

  test('moves to a form that the user opens', async () => {
    const { user } = await openPage(new FakeBridge({ requests: [aRequest()] }));
    await skipWithMessage(user);
    expect(field('Message to the agent (optional)')).toHaveFocus();
  });
});

test('an error goes once the question is answered elsewhere', async () => {
  const request = aRequest();
  const { bridge, store } = await openPage(new FakeBridge({ requests: [request] }));
  const failed = { type: 'submit_failed', key: 'r1', command: 'c', payload: '[]' } as const;
  store.dispatch({ ...failed, error: anError({ code: 'storage' }) });
  await settle();
  expect(within(panel()).getByRole('alert')).toBeVisible();
  await bridge.push({ change: 'request', request: answered(request, [{ question: 'q1', chosen: ['q1o1'] }]) });
  expect(within(panel()).queryByRole('alert')).toBeNull();
});

test('the draft of a question closed by a chat reply survives a retried delivery', async () => {
  const state = ended({ outcome: 'replied_in_chat', text: 'Go on' }, undelivered('broken pipe'));
  const request = aRequest({ state });
  const bridge = new FakeBridge({ requests: [request] }).with({ entries: { s1: [anEntry(1, { kind: 'request', request: 'r1' })] } });
  const answers = [{ question: 'q1', chosen: [], otherChosen: true, other: 'half a thought', note: '' }];
  bridge.drafts = [{ of: 'request', id: 'r1', draft: { active: 0, answers, declining: false, words: '' } }];
  bridge.on('retry_delivery', () => ({ ...request, state: { ...state, delivery: delivered } }));
  const { user } = await openPage(bridge);
  expect(screen.getByText(/half a thought/)).toBeVisible();
  await user.click(button('Retry'));
  expect(screen.getByText(/half a thought/)).toBeVisible();
});
