import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Approval, Request, Session } from '../src/generated/wire';
import {
  allWaiting,
  inboxApprovals,
  inboxCounts,
  inboxMissed,
  inboxRequests,
  nextWaiting,
  waitingCursor,
} from '../src/store/inbox';
import { type Action, reduce } from '../src/store/reducer';
import { selectedSession, sessionInView } from '../src/store/select';
import { initialState, type State } from '../src/store/state';
import {
  anApproval,
  answered,
  aQuestion,
  aRequest,
  aSession,
  aSnapshot,
  delivered,
  ended,
  NOW,
  undelivered,
  withdrawn,
} from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const api = aSession({ id: 's1', name: 'api', place: 0 });
const web = aSession({ id: 's2', name: 'web', place: 1, folder: '/srv/web' });
const docs = aSession({ id: 's3', name: 'docs', place: 2 });
const sessions = [api, web, docs];

const asked = (id: string, session: string, age: number, changes: Partial<Request> = {}): Request =>
  aRequest({ id, session, askedAt: NOW - age, questions: [aQuestion(1, { text: `What of ${id}?` })], ...changes });
const missed = ended({ outcome: 'orphaned', why: 'agent_ended' }, null, NOW - 1000);
const withdrawnAt = (at: number) => ended(withdrawn(), null, at);

function stateOf(snapshot: { sessions?: Session[]; requests?: Request[]; approvals?: Approval[] }, ...actions: Action[]) {
  const frame = { frame: 'snapshot' as const, ...aSnapshot({ sessions, ...snapshot }) };
  const before = reduce(initialState(), { type: 'frames_received', frames: [frame] });
  return actions.reduce(reduce, before);
}

const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const opened: Action = { type: 'inbox_opened', at: NOW };

describe('what the inbox lists', () => {
  const three = [asked('b', 's2', 20_000), asked('c', 's1', 10_000), asked('a', 's3', 30_000)];

  test('is sorted by age over all sessions, then by id', () => {
    const same = [asked('y', 's1', 5_000), asked('x', 's2', 5_000)];
    expect(ids(inboxRequests(stateOf({ requests: [...three, ...same] }, opened)))).toEqual(['a', 'b', 'c', 'x', 'y']);
  });

  test('can be reversed and filtered to a session', () => {
    const turned = stateOf({ requests: three }, opened, { type: 'inbox_sorted', newestFirst: true });
    expect(ids(inboxRequests(turned))).toEqual(['c', 'b', 'a']);
    const narrowed = reduce(turned, { type: 'inbox_filtered', session: 's2', at: NOW });
    expect(ids(inboxRequests(narrowed))).toEqual(['b']);
    expect(inboxCounts(narrowed)).toEqual({ questions: 1, approvals: 0, missed: 0 });
  });

  test('shows all again if the session of the filter is closed', () => {
    const narrowed = stateOf({ requests: three }, opened, { type: 'inbox_filtered', session: 's2', at: NOW });
    const closed = reduce(narrowed, {
      type: 'frames_received',
      frames: [{ frame: 'delta', epoch: 'e1', prev: 0, seq: 1, changes: [{ change: 'session_closed', session: 's2' }] }],
    });
    expect(ids(inboxRequests(closed))).toEqual(['a', 'c']);
  });

  test('keeps questions that ended while it was open, and none that ended before', () => {
    const requests = [asked('a', 's1', 30_000, { state: withdrawnAt(NOW - 1) }), asked('b', 's1', 20_000), asked('c', 's2', 10_000)];
    const state = stateOf({ requests }, opened);
    expect(ids(inboxRequests(state))).toEqual(['b', 'c']);
    const ended = reduce(state, { type: 'request_ended', request: asked('b', 's1', 20_000, { state: withdrawnAt(NOW + 1) }) });
    expect(ids(inboxRequests(ended))).toEqual(['b', 'c']);
    expect(inboxCounts(ended).questions).toBe(1);
    const again = reduce(ended, { type: 'inbox_opened', at: NOW + 2 });
    expect(ids(inboxRequests(again))).toEqual(['c']);
  });

  test('includes undelivered answers of any age', () => {
    const state = ended({ outcome: 'answered', answers: [] }, undelivered('gone'), NOW - 1);
    const stuck = asked('a', 's1', 90_000, { state });
    expect(ids(inboxRequests(stateOf({ requests: [stuck] }, opened)))).toEqual(['a']);
  });

  test('separates permission requests and missed questions', () => {
    const state = stateOf(
      {
        requests: [asked('a', 's1', 30_000), asked('m', 's2', 20_000, { state: missed })],
        approvals: [anApproval({ id: 'p2', session: 's3' }), anApproval({ id: 'p1', session: 's1', askedAt: NOW - 99_000 })],
      },
      opened,
    );
    expect(ids(inboxRequests(state))).toEqual(['a']);
    expect(ids(inboxApprovals(state))).toEqual(['p1', 'p2']);
    expect(ids(inboxMissed(state))).toEqual(['s2']);
    expect(inboxCounts(state)).toEqual({ questions: 1, approvals: 2, missed: 1 });
  });

  test('matches the counts of the sidebar', () => {
    const two = [aQuestion(1), aQuestion(2)];
    const state = stateOf({
      requests: [asked('a', 's1', 30_000, { questions: two }), asked('b', 's2', 20_000)],
      approvals: [anApproval()],
    });
    expect(allWaiting(state)).toEqual({ questions: 3, approvals: 1, since: NOW - 30_000 });
    expect(inboxCounts(state)).toEqual({ questions: 3, approvals: 1, missed: 0 });
  });

  test('shows no session while it is open, and closes for any other view', () => {
    const open = stateOf({ requests: three }, opened);
    expect(sessionInView(open)).toBeNull();
    const elsewhere: Action[] = [{ type: 'session_selected', session: 's2' }, { type: 'history_opened' }, { type: 'start_opened' }];
    expect(elsewhere.map((action) => reduce(open, action).navigation.place.at)).toEqual(['session', 'history', 'start']);
  });
});

describe('going through the waiting questions', () => {
  const three = [asked('a', 's1', 30_000), asked('b', 's2', 20_000), asked('c', 's1', 10_000)];
  const from = (state: State, at: string | null) => nextWaiting(state, waitingCursor(state, at))?.id ?? null;

  test('starts with the oldest, continues by age through all sessions, and wraps around', () => {
    const state = stateOf({ requests: three });
    expect([null, 'a', 'b', 'c'].map((at) => from(state, at))).toEqual(['a', 'b', 'c', 'a']);
  });

  test('continues after the last one, even if that one has ended', () => {
    const walked = stateOf({ requests: three }, { type: 'waiting_shown', request: three[1]! });
    expect(from(walked, null)).toBe('c');
    const done = reduce(walked, { type: 'request_ended', request: asked('b', 's2', 20_000, { state: withdrawnAt(NOW) }) });
    expect(from(done, null)).toBe('c');
    expect(from(reduce(done, { type: 'waiting_shown', request: three[2]! }), null)).toBe('a');
  });

  test('returns to a single one, and skips ended and missed ones and permission requests', () => {
    const lone = stateOf({ requests: [three[0]!, asked('m', 's2', 99_000, { state: missed })], approvals: [anApproval()] });
    expect(from(lone, 'a')).toBe('a');
    expect(from(stateOf({ approvals: [anApproval()] }), null)).toBeNull();
  });
});

const list = () => screen.getByRole('region', { name: 'Questions' });
const items = () => within(list()).getAllByRole('article');

async function openInbox(bridge: FakeBridge) {
  const all = await openPage(bridge);
  await all.user.click(button(/^Inbox/));
  return all;
}

describe('the inbox', () => {
  test('lists every open question with its session, folder, agent, and age', async () => {
    const requests = [asked('b', 's2', 20_000), asked('a', 's1', 30_000)];
    await openInbox(new FakeBridge({ sessions, requests }));
    expect(button('Inbox 2 questions')).toHaveAttribute('aria-current', 'page');
    expect(items().map((item) => item.getAttribute('aria-label'))).toEqual(['api: What of a?', 'web: What of b?']);
    const second = within(items()[1]!);
    expect(second.getByRole('button', { name: 'web' })).toBeVisible();
    expect(second.getByTitle('/srv/web')).toHaveTextContent('/srv/web');
    expect(second.getByText('Claude Code')).toBeVisible();
    expect(second.getByText(/^Waiting \d/)).toBeVisible();
    expect(screen.queryByRole('complementary')).toBeNull();
    await expectNoViolations();
  });

  test('says if nothing is waiting', async () => {
    await openInbox(new FakeBridge({ sessions }));
    expect(within(list()).getByRole('status')).toHaveTextContent('No questions waiting');
    await expectNoViolations();
  });

  test('answers each question in place, with the form of the panel', async () => {
    const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000), asked('c', 's1', 10_000)];
    const bridge = new FakeBridge({ sessions, requests }).on('answer_question', ({ id }) => {
      const done = answered(bridge.request(id), [{ question: 'q1', chosen: ['q1o2'] }], delivered);
      return { ...done, state: { ...done.state, at: Date.now() } as Request['state'] };
    });
    const { user } = await openInbox(bridge);
    const second = within(items()[1]!);
    await user.click(second.getByRole('radio', { name: 'JWT' }));
    await user.click(second.getByRole('button', { name: 'Submit' }));
    expect(bridge.sent('answer_question')).toMatchObject([{ id: 'b', answers: [{ question: 'q1', chosen: ['q1o2'] }] }]);
    expect(items().map((item) => item.dataset['inboxItem'])).toEqual(['a', 'b', 'c']);
    expect(within(items()[1]!).getByText('JWT', { selector: '.part' })).toBeVisible();
    expect(within(items()[1]!).queryByRole('radio')).toBeNull();
    expect(button('Inbox 2 questions')).toBeVisible();
    // The next item is focused, but a repeated key doesn't answer it.
    expect(items()[2]).toHaveFocus();
    await user.keyboard('{Enter}1{ }');
    expect(bridge.sent('answer_question')).toHaveLength(1);
    expect(within(items()[2]!).queryByRole('radio', { checked: true })).toBeNull();
    await expectNoViolations();
  });

  test('keeps a failed answer and offers Retry', async () => {
    const requests = [asked('a', 's1', 30_000)];
    const bridge = new FakeBridge({ sessions, requests }).fail('answer_question', { code: 'storage_full' });
    const { user } = await openInbox(bridge);
    await user.click(screen.getByRole('radio', { name: 'JWT' }));
    await user.click(button('Submit'));
    expect(within(items()[0]!).getByRole('alert')).toHaveTextContent('The disk is full');
    expect(screen.getByRole('radio', { name: 'JWT' })).toBeChecked();
    await bridge.push({ change: 'request', request: answered(requests[0]!, [{ question: 'q1', chosen: ['q1o2'] }], undelivered('pipe closed')) });
    await user.click(button('Retry'));
    expect(bridge.sent('retry_delivery')).toMatchObject([{ id: 'a' }]);
  });

  test('keeps a withdrawn question in place, with the reason', async () => {
    const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000)];
    const { bridge } = await openInbox(new FakeBridge({ sessions, requests }));
    await bridge.push({ change: 'request', request: asked('a', 's1', 30_000, { state: withdrawnAt(Date.now() + 1) }) });
    expect(items()).toHaveLength(2);
    expect(within(items()[0]!).getByText('Withdrawn by the agent')).toBeVisible();
  });

  test('filters by session and reverses the order', async () => {
    const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000), asked('c', 's1', 10_000)];
    const { user } = await openInbox(new FakeBridge({ sessions, requests }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort' }), 'Newest first');
    expect(items().map((item) => item.dataset['inboxItem'])).toEqual(['c', 'b', 'a']);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Session' }), 'api');
    expect(items().map((item) => item.dataset['inboxItem'])).toEqual(['c', 'a']);
  });

  test('lists permission requests separately, to be decided in their session', async () => {
    const approvals = [anApproval({ session: 's2' })];
    const { bridge, user } = await openInbox(new FakeBridge({ sessions, requests: [asked('a', 's1', 30_000)], approvals }));
    expect(screen.queryByText(/Permission to use Bash/)).toBeNull();
    await user.click(button('Permissions 1'));
    const part = within(screen.getByRole('region', { name: 'Permissions' }));
    expect(part.getByText(/^Permission to use Bash · waiting/)).toBeVisible();
    expect(part.queryByRole('button', { name: /Allow/ })).toBeNull();
    expect(part.queryByRole('radio')).toBeNull();
    await expectNoViolations();
    await user.keyboard('1{Enter}');
    await user.click(part.getByRole('button', { name: 'Review in session' }));
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(document.activeElement?.getAttribute('data-approval')).toBe('a1');
    expect(bridge.sent('decide_approval')).toEqual([]);
  });

  test('makes invisible and bidirectional characters visible', async () => {
    const requests = [asked('a', 's1', 30_000, { questions: [aQuestion(1, { text: 'Keep\u202egnihton' })] })];
    const approvals = [anApproval({ session: 's2', title: 'Ba\u200bsh' })];
    const { user } = await openInbox(new FakeBridge({ sessions, requests, approvals }));
    expect(items()[0]).toHaveAttribute('aria-label', 'api: Keep⟨U+202E⟩gnihton');
    await user.click(button('Permissions 1'));
    expect(screen.getByText(/^Permission to use Ba⟨U\+200B⟩sh/)).toBeVisible();
  });

  test('says in an empty part where something is waiting', async () => {
    const { user } = await openInbox(new FakeBridge({ sessions, approvals: [anApproval()] }));
    expect(within(list()).getByRole('status')).toHaveTextContent('No questions waiting');
    await user.click(button('1 permission request waiting'));
    expect(screen.getByRole('region', { name: 'Permissions' })).toBeVisible();
  });

  test('lists missed questions separately, with the actions of the panel', async () => {
    const died: Session['state'] = { state: 'ended', end: { end: 'failed', why: { failure: 'desk_failed' } }, at: 1 };
    const gone = aSession({ id: 's2', name: 'web', place: 1, state: died, resumable: true });
    const requests = [asked('m', 's2', 20_000, { state: missed })];
    const { bridge, user } = await openInbox(new FakeBridge({ sessions: [api, gone], requests }));
    expect(within(list()).queryByRole('article')).toBeNull();
    await user.click(button('Missed 1'));
    const part = within(screen.getByRole('region', { name: 'Missed' }));
    expect(part.getByRole('button', { name: 'web' })).toBeVisible();
    await user.click(part.getByText('What of m?'));
    expect(part.getByRole('button', { name: 'Send on resume' })).toBeVisible();
    await user.click(part.getByRole('radio', { name: 'JWT' }));
    expect(part.getByRole('button', { name: 'Copy draft' })).toBeVisible();
    await expectNoViolations();
    await user.click(part.getByRole('button', { name: 'Dismiss' }));
    expect(bridge.sent('dismiss_request')).toMatchObject([{ id: 'm' }]);
  });

  test('links each question to its session', async () => {
    const { user } = await openInbox(new FakeBridge({ sessions, requests: [asked('b', 's2', 20_000)] }));
    await user.click(within(items()[0]!).getByRole('button', { name: 'web' }));
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(screen.getByRole('complementary')).toContainElement(document.activeElement as HTMLElement);
  });
});

describe('Ctrl+J', () => {
  const four = asked('a', 's2', 30_000, { questions: [aQuestion(1), aQuestion(2)] });
  const requests = [four, asked('b', 's1', 20_000)];

  test('moves from a text field to the oldest question of any session, then to the next', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions, requests }));
    await user.type(composer(), 'half a thought');
    await user.keyboard('{Control>}j{/Control}');
    expect(selectedSession(store.state)).toBe('s2');
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe('a');
    expect(document.activeElement).toHaveAttribute('type', 'radio');
    await user.keyboard('{Control>}j{/Control}');
    expect(selectedSession(store.state)).toBe('s1');
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe('b');
    expect(screen.getByRole('textbox', { name: 'Message to the agent' })).toHaveValue('half a thought');
    await user.keyboard('{Control>}j{/Control}');
    expect(selectedSession(store.state)).toBe('s2');
  });

  test('begins again with the oldest question once the user has gone elsewhere', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions, requests }));
    await user.keyboard('{Control>}j{/Control}');
    await user.click(button(/^Inbox/));
    await user.keyboard('{Control>}j{/Control}');
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe('a');
    expect(selectedSession(store.state)).toBe('s2');
  });

  test('shows the first unanswered question', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions, requests }));
    store.dispatch({ type: 'option_chosen', request: 'a', question: 'q1', option: 'q1o1', on: true, goOn: false });
    await user.keyboard('{Control>}j{/Control}');
    expect(screen.getByRole('group', { name: /Question 2/ })).toContainElement(document.activeElement as HTMLElement);
  });

  test('expands the panel and leaves the inbox', async () => {
    const { user, store } = await openInbox(new FakeBridge({ sessions, requests }));
    store.dispatch({ type: 'panel_collapsed', collapsed: true });
    await user.keyboard('{Control>}j{/Control}');
    expect(store.state.navigation.place.at).toBe('session');
    expect(screen.getByRole('complementary')).toContainElement(document.activeElement as HTMLElement);
  });

  test('does nothing if nothing is waiting, and ignores permission requests', async () => {
    const { user, bridge, store } = await openPage(new FakeBridge({ sessions, approvals: [anApproval({ session: 's2' })] }));
    await user.click(composer());
    await user.keyboard('{Control>}j{/Control}');
    expect(selectedSession(store.state)).toBe('s1');
    expect(composer()).toHaveFocus();
    expect(bridge.sent('decide_approval')).toEqual([]);
  });
});
