import { screen, waitFor } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { DraftTarget } from '../src/generated/wire';
import { anApproval, aQuestion, aRequest, aSession, NOW } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { held, openPage, settle } from './open';

const sessions = [aSession(), aSession({ id: 's2', name: 'web' })];
const request = aRequest({ session: 's2', questions: [aQuestion(1), aQuestion(2)] });
const other = aRequest({ id: 'r2', session: 's1' });

const selected = () => document.querySelector('nav [aria-current=page]')?.getAttribute('data-session');
const focusedCard = () => document.activeElement?.closest('[data-card]')?.getAttribute('data-card');
const nothingAnswered = (bridge: FakeBridge) => {
  const actions = ['answer_question', 'hold_end', 'decline_question', 'cancel_question', 'decide_approval'] as const;
  expect(actions.flatMap((action): unknown[] => bridge.sent(action))).toEqual([]);
  expect(document.querySelector('input:checked')).toBeNull();
};

describe('a deep link', () => {
  test('case_38_is_shown_as_soon_as_the_page_knows_it_and_answers_nothing', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions, requests: [request, other] }).with({ target: request.id }));
    await settle();
    expect([selected(), focusedCard()]).toEqual(['s2', request.id]);
    expect(bridge.target).toBeNull();
    nothingAnswered(bridge);
  });

  test('to a session that has finished its turn shows it', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions }));
    await bridge.openDeepLink('s2');
    expect([selected(), bridge.target]).toEqual(['s2', null]);
  });

  test('shows the first unanswered question, after drafts were loaded', async () => {
    const bridge = new FakeBridge({ sessions, requests: [request] }).with({ target: request.id });
    const begun: DraftTarget = {
      of: 'request',
      id: request.id,
      draft: {
        active: 0,
        answers: [{ question: 'q1', chosen: ['q1o2'], otherChosen: false, other: '', note: '' }],
        declining: false,
        words: '',
      },
    };
    const reading = held<{ drafts: DraftTarget[] }>();
    bridge.on('read_drafts', () => reading.promise);
    await openPage(bridge);
    expect(bridge.target).toBe(request.id);
    reading.give({ drafts: [begun] });
    await settle();
    expect(screen.getByRole('group', { name: /Question 2\?/ })).toContainElement(document.activeElement as HTMLElement);
    expect(bridge.target).toBeNull();
  });

  test('is followed even if drafts can’t be loaded', async () => {
    const bridge = new FakeBridge({ sessions, requests: [request] }).with({ target: request.id });
    bridge.fail('read_drafts', { code: 'storage' });
    await openPage(bridge);
    await settle();
    expect(focusedCard()).toBe(request.id);
  });

  test('requests a new snapshot if its target is unknown', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions }));
    bridge.snapshot = { ...bridge.snapshot, requests: [request] };
    await bridge.openDeepLink(request.id);
    expect(bridge.subscriptions).toBe(2);
    expect([selected(), focusedCard(), bridge.target]).toEqual(['s2', request.id, null]);
  });

  test('to an unknown target changes nothing and reports nothing', async () => {
    const { bridge, store } = await openPage(new FakeBridge({ sessions, requests: [request] }));
    await bridge.openDeepLink('unknown');
    expect([selected(), bridge.target, bridge.subscriptions]).toEqual(['s1', null, 2]);
    expect(store.state.failures).toEqual([]);
    expect(document.body).toHaveFocus();
    // The link has been handled, even if its target arrives later.
    await bridge.push({ change: 'request', request: { ...request, id: 'unknown' } });
    expect(selected()).toBe('s1');
  });

  test('to a closed session changes nothing', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions, requests: [request] }));
    bridge.push({ change: 'session_closed', session: 's2' });
    bridge.snapshot = { ...bridge.snapshot, sessions: [aSession()], requests: [] };
    await bridge.openDeepLink(request.id);
    expect([selected(), bridge.target]).toEqual(['s1', null]);
  });

  test('is followed once, and of several only the latest', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions, requests: [request, other] }));
    const shown = vi.spyOn(bridge, 'deepLinkShown');
    bridge.openDeepLink(other.id);
    await bridge.openDeepLink(request.id);
    expect([selected(), focusedCard()]).toEqual(['s2', request.id]);
    expect(shown.mock.calls).toEqual([[request.id]]);
  });

  test('closes an open dialog and leaves another view', async () => {
    const { bridge, store } = await openPage(new FakeBridge({ sessions, requests: [request] }));
    store.dispatch({ type: 'inbox_opened', at: NOW });
    store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings' } });
    await settle();
    await waitFor(() => expect(screen.getByRole('dialog', { name: 'Settings' })).toBeVisible());
    await bridge.openDeepLink(request.id);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect([selected(), focusedCard()]).toEqual(['s2', request.id]);
    nothingAnswered(bridge);
  });

  test('expands the panel for a permission request, without focusing it', async () => {
    const approval = anApproval({ session: 's2' });
    const { bridge, store } = await openPage(new FakeBridge({ sessions, approvals: [approval] }));
    store.dispatch({ type: 'side_folded', folded: true });
    await bridge.openDeepLink(approval.id);
    expect(selected()).toBe('s2');
    expect(document.querySelector(`[data-approval="${approval.id}"]`)).toBeVisible();
    expect(document.activeElement?.closest('[data-approval]') ?? null).toBeNull();
    nothingAnswered(bridge);
  });
});
