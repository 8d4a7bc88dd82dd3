import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Delivery, Request, Session } from '../src/generated/wire';
import { type Action, reduce } from '../src/store/reducer';
import { draftOf } from '../src/store/select';
import { initialState } from '../src/store/state';
import {
  anApproval,
  anEntry,
  answered,
  aQuestion,
  aRequest,
  aSession,
  aSnapshot,
  delivered,
  ended,
  withdrawn,
} from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { openPage, panel } from './open';

const died: Session['state'] = { state: 'ended', end: { end: 'failed', why: { failure: 'desk_failed' } }, at: 1 };
const resumable = aSession({ state: died, resumable: true });
const gone = aSession({ state: died });
const running = aSession({ state: { state: 'idle' } });

const store = aQuestion(1, { header: 'Store', text: 'Which store?', options: ['SQLite', 'PostgreSQL'] });
const orphaned = ended({ outcome: 'orphaned', why: 'agent_ended' });
const missed = (changes: Partial<Request> = {}) => aRequest({ questions: [store], state: orphaned, ...changes });
const saved = (request: Request, delivery: Delivery | null = { delivery: 'parked' }) =>
  answered(request, [{ question: 'q1', chosen: ['q1o2'] }], delivery);

const open = (session: Session, ...requests: Request[]) => {
  const bridge = new FakeBridge({ sessions: [session], requests });
  bridge.on('answer_question', ({ id }) => saved(bridge.request(id)));
  return openPage(bridge);
};

const list = () => within(panel()).getByRole('region', { name: /^Missed/ });
const button = (name: string | RegExp) => within(panel()).getByRole('button', { name });
const noButton = (name: string) => expect(within(panel()).queryByRole('button', { name })).toBeNull();
const words = () => within(panel()).getByRole('textbox', { name: 'Your own answer' });
const line = () => list().querySelector('summary')!;

/** A question with a draft that is missed when its agent ends. */
async function begunThenMissed(after: Session = resumable) {
  const request = missed({ state: { state: 'open' } });
  const opened = await open(aSession(), request);
  await opened.user.type(words(), 'a graph store');
  await opened.bridge.push({ change: 'request', request: missed() }, { change: 'session', session: after });
  return opened;
}

describe('a missed question', () => {
  test('is one line that expands to its form', async () => {
    const { user } = await open(resumable, missed({ askedAt: 1 }));
    expect(list()).toHaveTextContent('The agent exited');
    expect(list()).toHaveTextContent(String(new Date(1).getFullYear()));
    expect(within(panel()).queryByRole('radio')).toBeNull();
    expect(document.body).toHaveFocus();
    await user.click(line());
    expect(within(list()).getByRole('group', { name: /Which store\?/ })).toBeVisible();
    await user.click(line());
    expect(within(panel()).queryByRole('radio')).toBeNull();
  });

  test('case_27_what_was_begun_stays_and_goes_out_when_the_session_is_resumed', async () => {
    const { user, bridge } = await begunThenMissed();
    expect(words()).toHaveValue('a graph store');
    expect(words()).not.toHaveFocus();
    bridge.on('resume_session', () => aSession());
    await user.click(button('Send on resume'));
    const [sent] = bridge.sent('answer_question');
    expect(sent).toMatchObject({ id: 'r1', answers: [{ question: 'q1', other: 'a graph store' }] });
    const kept = within(panel()).getByRole('region', { name: 'Not delivered yet' });
    expect(kept).toHaveTextContent('Saved. Sent when you resume the session.');
    expect(within(panel()).queryByRole('region', { name: /^Missed/ })).toBeNull();
    await user.click(within(kept).getByRole('button', { name: 'Resume' }));
    expect(bridge.sent('resume_session')).toMatchObject([{ session: 's1' }]);
  });

  test('of a running session is sent now', async () => {
    const { user, bridge } = await open(running, missed({ state: ended({ outcome: 'expired' }) }));
    expect(list()).toHaveTextContent('Timed out');
    await user.click(line());
    await user.click(within(list()).getByRole('radio', { name: 'SQLite' }));
    await user.click(button('Send now'));
    expect(bridge.sent('answer_question')).toHaveLength(1);
  });

  test('case_27_is_read_only_with_its_draft_to_copy_where_nobody_can_ever_take_it', async () => {
    const { user, bridge } = await begunThenMissed(gone);
    expect(within(panel()).queryByRole('textbox')).toBeNull();
    expect(list()).toHaveTextContent('the session ended and can’t be resumed');
    expect(list()).toHaveTextContent('a graph store');
    for (const name of ['Send on resume', 'Send now', 'Skip', 'Skip with message…']) noButton(name);
    await user.click(button('Copy draft'));
    expect(await navigator.clipboard.readText()).toBe('Which store?\na graph store');
    expect(bridge.sent('answer_question')).toEqual([]);
  });

  test('case_27_is_dismissed_only_after_asking_where_something_is_written', async () => {
    const { user, bridge } = await begunThenMissed();
    const dismissed = ended(withdrawn({ why: 'canceled', reason: null }));
    bridge.on('dismiss_request', () => missed({ state: dismissed }));
    await user.click(button('Dismiss'));
    expect(bridge.sent('dismiss_request')).toEqual([]);
    expect(screen.getByRole('alert')).toHaveTextContent('This also deletes your draft.');
    await user.click(button('Keep'));
    expect(words()).toHaveValue('a graph store');
    await user.click(button('Dismiss'));
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }));
    expect(within(panel()).queryByRole('region', { name: /^Missed/ })).toBeNull();
    expect(bridge.sent('dismiss_request')).toMatchObject([{ id: 'r1' }]);
  });

  test('can be skipped with a message', async () => {
    const { user, bridge } = await open(resumable, missed());
    await user.click(line());
    noButton('Skip');
    await user.click(button('Skip with message…'));
    await user.type(screen.getByRole('textbox', { name: 'Message to the agent (optional)' }), 'Later');
    await user.click(button('Skip'));
    expect(bridge.sent('decline_question')).toMatchObject([{ id: 'r1', words: 'Later' }]);
  });

  test('case_29_an_answer_that_comes_too_late_is_refused_with_an_explanation_and_stays', async () => {
    const { user, bridge } = await begunThenMissed();
    bridge.fail('answer_question', { code: 'session_gone', message: 'gone', retryable: false });
    await user.click(button('Send on resume'));
    expect(within(list()).getByRole('alert')).toHaveTextContent('Not sent: the session has ended.');
    expect(words()).toHaveValue('a graph store');
    await bridge.push({ change: 'session', session: gone });
    expect(list()).toHaveTextContent('a graph store');
    noButton('Send on resume');
  });

  test('case_29_what_the_agent_took_back_is_refused_and_not_listed_as_missed', async () => {
    const { user, bridge } = await open(aSession(), missed({ state: { state: 'open' } }));
    bridge.on('answer_question', () => {
      void bridge.push({ change: 'request', request: missed({ state: ended(withdrawn()) }) });
      throw anError({ code: 'already_ended', retryable: false, ended: { by: 'agent', at: 1 } });
    });
    await user.click(within(panel()).getByRole('radio', { name: 'SQLite' }));
    await user.click(button('Submit'));
    expect(within(panel()).getByRole('alert')).toHaveTextContent('already closed (by the agent');
    expect(within(panel()).queryByRole('region', { name: /^Missed/ })).toBeNull();
  });

  test('is behind its pill while something is open, and doesn’t count as waiting', async () => {
    const bridge = new FakeBridge({
      sessions: [running],
      requests: [missed({ id: 'r0', askedAt: 1 }), aRequest({ id: 'r2', questions: [aQuestion(2)] })],
      approvals: [anApproval()],
    });
    const { user } = await openPage(bridge);
    expect(within(panel()).queryByRole('region', { name: /^Missed/ })).toBeNull();
    await user.click(button('Missed'));
    expect(list()).toBeVisible();
    expect(within(panel()).getByText('2 waiting')).toBeInTheDocument();
  });

  test('doesn’t change the state of its session', async () => {
    await open(running, missed());
    const row = screen.getByRole('button', { name: /^api/ });
    expect(row).toHaveTextContent('Idle');
    expect(row).toHaveTextContent('1 missed');
    expect(row).not.toHaveTextContent('Needs you');
  });

  test('is linked from its line in the transcript', async () => {
    const bridge = new FakeBridge({ sessions: [resumable], requests: [missed()] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'request', request: 'r1' })];
    const { user } = await openPage(bridge);
    await user.click(within(screen.getByRole('main')).getByRole('button', { name: 'Show in side' }));
    expect(within(list()).getByRole('radio', { name: 'SQLite' })).toHaveFocus();
  });
});

describe('a secret', () => {
  const secret = aQuestion(2, { kind: 'secret', header: 'Token', text: 'Which token?', options: [] });
  const write = (question: string, text: string): Action => ({ type: 'other_written', request: 'r1', question, text });

  test('is forgotten when its question is missed, and the other answers stay', () => {
    const request = missed({ questions: [store, secret], state: { state: 'open' } });
    const snapshot = { frame: 'snapshot', ...aSnapshot({ requests: [request] }) } as const;
    const lost = { change: 'request', request: { ...request, state: orphaned } } as const;
    const delta = { frame: 'delta', epoch: 'e1', prev: 0, seq: 1, changes: [lost] } as const;
    const state = [
      { type: 'frames_received', frames: [snapshot] } as Action,
      write('q1', 'a graph store'),
      write('q2', 'hunter2'),
      { type: 'frames_received', frames: [delta] } as unknown as Action,
    ].reduce(reduce, initialState());
    const { answers } = draftOf(state, 'r1');
    expect([answers['q1']?.other, answers['q2']?.other]).toEqual(['a graph store', '']);
    expect(state.missedOpen['r1']).toBe(true);
  });

  test('can’t be given late, so a question for one can only be dismissed', async () => {
    const { user } = await open(resumable, missed({ questions: [secret] }));
    await user.click(line());
    expect(list()).toHaveTextContent('Secrets can’t be sent late');
    expect(list().querySelector('input')).toBeNull();
    expect(button('Dismiss')).toBeVisible();
  });
});

describe('a saved answer', () => {
  test('can be discarded', async () => {
    const bridge = new FakeBridge({ sessions: [resumable], requests: [saved(missed())] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'request', request: 'r1' })];
    const { user } = await openPage(bridge);
    const main = screen.getByRole('main');
    expect(main).toHaveTextContent('Saved. Sent when you resume the session.');
    await user.click(button('Discard'));
    expect(bridge.sent('dismiss_request')).toMatchObject([{ id: 'r1' }]);
    await bridge.push({ change: 'request', request: saved(missed(), null) });
    await waitFor(() => expect(main).toHaveTextContent('You discarded it'));
    expect(within(panel()).queryByRole('region', { name: 'Not delivered yet' })).toBeNull();
  });

  test('case_47_that_came_late_says_so_in_its_line', async () => {
    const bridge = new FakeBridge({ sessions: [running], requests: [saved(missed())] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'request', request: 'r1' })];
    await openPage(bridge);
    await bridge.push({ change: 'request', request: saved(missed(), { ...delivered, late: true }) });
    await waitFor(() => expect(screen.getByRole('main')).toHaveTextContent('Delivered late'));
  });

  test('that may have arrived is discarded or sent again only by the user', async () => {
    const failed: Delivery = { delivery: 'failed', error: { undelivered: 'may_have_arrived' } };
    const { user, bridge } = await open(gone, saved(missed(), failed));
    noButton('Retry');
    expect(button('Discard')).toHaveAttribute('title', expect.stringContaining('The answer stays in History.'));
    await user.click(button('Discard'));
    expect(bridge.sent('dismiss_request')).toMatchObject([{ id: 'r1' }]);
    await bridge.push({ change: 'session', session: resumable });
    expect(button('Retry')).toBeVisible();
  });
});
