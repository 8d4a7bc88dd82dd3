import { screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, test } from 'vitest';

import type { Approval, Change, Request, Session } from '../src/generated/wire';
import { spoken } from '../src/shared/messages/language.svelte';
import { inboxCounts, inboxItems, isWaiting, nextWaiting, waitingCursor } from '../src/store/inbox';
import { type Action, reduce } from '../src/store/reducer';
import { selectedSession, sessionInView } from '../src/store/select';
import type { InboxKind } from '../src/store/parts/navigation';
import { initialState, type State } from '../src/store/state';
import {
  aDecision,
  anApproval,
  aQuestion,
  aRequest,
  aSession,
  aSnapshot,
  ended,
  NOW,
  undelivered,
  withdrawn,
} from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage, settle } from './open';

const api = aSession({ id: 's1', name: 'api', place: 0 });
const web = aSession({ id: 's2', name: 'web', place: 1, folder: '/srv/web' });
const docs = aSession({ id: 's3', name: 'docs', place: 2 });
const sessions = [api, web, docs];

const asked = (id: string, session: string, age: number, changes: Partial<Request> = {}): Request =>
  aRequest({ id, session, askedAt: NOW - age, questions: [aQuestion(1, { text: `What of ${id}?` })], ...changes });
const missed = ended({ outcome: 'orphaned', why: 'agent_ended' }, null, NOW - 1000);
const decided = (id: string, at: number) =>
  anApproval({ id, askedAt: NOW - 9_000, state: { state: 'decided', decision: aDecision('allow'), at, error: null } });
const withdrawnAt = (at: number) => ended(withdrawn(), null, at);

function stateOf(snapshot: { sessions?: Session[]; requests?: Request[]; approvals?: Approval[] }, ...actions: Action[]) {
  const frame = { frame: 'snapshot' as const, ...aSnapshot({ sessions, ...snapshot }) };
  const before = reduce(initialState(), { type: 'frames_received', frames: [frame] });
  return actions.reduce(reduce, before);
}

const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);
const opened: Action = { type: 'inbox_opened', at: NOW };
/** The first delta after the snapshot. */
const arrives = (change: Change): Action => ({
  type: 'frames_received',
  frames: [{ frame: 'delta', epoch: 'e1', prev: 0, seq: 1, changes: [change] }],
});

describe('what the inbox lists', () => {
  const three = [asked('b', 's2', 20_000), asked('c', 's1', 10_000), asked('a', 's3', 30_000)];

  test('is sorted by age over all sessions, then by id', () => {
    const same = [asked('y', 's1', 5_000), asked('x', 's2', 5_000)];
    expect(ids(inboxItems(stateOf({ requests: [...three, ...same] }, opened)))).toEqual(['a', 'b', 'c', 'x', 'y']);
  });

  test('can be reversed and filtered to a session', () => {
    const turned = stateOf({ requests: three }, opened, { type: 'inbox_sorted', newestFirst: true });
    expect(ids(inboxItems(turned))).toEqual(['c', 'b', 'a']);
    const narrowed = reduce(turned, { type: 'inbox_filtered', session: 's2', at: NOW });
    expect(ids(inboxItems(narrowed))).toEqual(['b']);
    expect(inboxCounts(narrowed)).toEqual({ all: 1, questions: 1, approvals: 0, missed: 0 });
  });

  test('shows all again if the session of the filter is closed', () => {
    const narrowed = stateOf({ requests: three }, opened, { type: 'inbox_filtered', session: 's2', at: NOW });
    const closed = reduce(narrowed, arrives({ change: 'session_closed', session: 's2' }));
    expect(ids(inboxItems(closed))).toEqual(['a', 'c']);
  });

  test('keeps questions that ended while it was open, and none that ended before', () => {
    const requests = [asked('a', 's1', 30_000, { state: withdrawnAt(NOW - 1) }), asked('b', 's1', 20_000), asked('c', 's2', 10_000)];
    const state = stateOf({ requests }, opened);
    expect(ids(inboxItems(state))).toEqual(['b', 'c']);
    const ended = reduce(state, { type: 'request_ended', request: asked('b', 's1', 20_000, { state: withdrawnAt(NOW + 1) }) });
    expect(ids(inboxItems(ended))).toEqual(['b', 'c']);
    expect(inboxCounts(ended).questions).toBe(1);
    const again = reduce(ended, { type: 'inbox_opened', at: NOW + 2 });
    expect(ids(inboxItems(again))).toEqual(['c']);
  });

  test('includes undelivered answers of any age', () => {
    const state = ended({ outcome: 'answered', answers: [] }, undelivered('gone'), NOW - 1);
    const stuck = asked('a', 's1', 90_000, { state });
    expect(ids(inboxItems(stateOf({ requests: [stuck] }, opened)))).toEqual(['a']);
    expect(inboxCounts(stateOf({ requests: [stuck] }, opened))).toEqual({ all: 1, questions: 1, approvals: 0, missed: 0 });
  });

  test('waits for the user while an item is open or an answer isn’t sent, and counts what is open', () => {
    const requests = [asked('a', 's1', 30_000), asked('b', 's1', 20_000), asked('c', 's2', 10_000)];
    const gone = { ...requests[1]!, state: withdrawnAt(NOW + 1) };
    const state = stateOf({ requests, approvals: [anApproval(), decided('p2', NOW + 1)] }, opened, {
      type: 'request_ended',
      request: gone,
    });
    const waiting = (of: State) => ids(inboxItems(of).filter((item) => isWaiting(of, item))).sort();
    expect(waiting(state)).toEqual(['a', 'a1', 'c']);
    const failed: State = { ...state, submits: { b: { command: 'c1', payload: '', phase: 'failed', error: null } } };
    expect(waiting(failed)).toEqual(['a', 'a1', 'b', 'c']);
    for (const of of [state, failed]) expect(inboxCounts(of).all).toBe(3);
  });

  test('is one list of questions, permission requests and missed questions, by age, that can be filtered by kind', () => {
    const state = stateOf(
      {
        requests: [asked('a', 's1', 30_000), asked('m', 's2', 20_000, { state: missed })],
        approvals: [anApproval({ id: 'p2', session: 's3' }), anApproval({ id: 'p1', session: 's1', askedAt: NOW - 99_000 })],
      },
      opened,
    );
    const shown = (kind: InboxKind) => ids(inboxItems(reduce(state, { type: 'inbox_kind_shown', kind })));
    expect(shown('all')).toEqual(['p1', 'a', 'm', 'p2']);
    expect(shown('questions')).toEqual(['a']);
    expect(shown('approvals')).toEqual(['p1', 'p2']);
    expect(shown('missed')).toEqual(['m']);
    expect(inboxCounts(state)).toEqual({ all: 3, questions: 1, approvals: 2, missed: 1 });
  });

  test('keeps permission requests that ended while it was open, none that ended before, and none that a rule denied', () => {
    const approvals = [anApproval({ id: 'p1', askedAt: NOW - 9_000 }), decided('p2', NOW - 1)];
    const state = stateOf({ approvals }, opened);
    expect(ids(inboxItems(state))).toEqual(['p1']);
    const after = reduce(state, { type: 'approval_decided', approval: decided('p1', NOW + 1) });
    expect(ids(inboxItems(after))).toEqual(['p1']);
    expect(inboxCounts(after).approvals).toBe(0);
    const rule = { action: 'deny', tool: 'Bash', argument: null, folder: null } as const;
    const denied = reduce(after, arrives({ change: 'approval', approval: { ...decided('p3', NOW + 1), session: 's2', rule } }));
    expect(ids(inboxItems(denied))).toEqual(['p1']);
  });

  test('shows the saved answers of a session as one item, and a question that was missed meanwhile in one place', () => {
    const saved = ended({ outcome: 'answered', answers: [] }, { delivery: 'parked' }, NOW - 9_000);
    const requests = [asked('a', 's1', 30_000, { state: saved }), asked('b', 's1', 20_000, { state: saved }), asked('c', 's2', 10_000)];
    const state = stateOf({ requests }, opened);
    expect(ids(inboxItems(state))).toEqual(['saved:s1', 'c']);
    const orphaned = { ...missed, at: NOW + 1 };
    const after = reduce(state, { type: 'request_ended', request: asked('c', 's2', 10_000, { state: orphaned }) });
    expect(inboxItems(after).map(({ kind, id }) => `${kind} ${id}`)).toEqual(['saved saved:s1', 'question c']);
  });

  describe('case_81 identical permission requests', () => {
    const same = (id: string, age: number, changes: Partial<Approval> = {}) => anApproval({ id, askedAt: NOW - age, ...changes });
    const groups = (state: State) => inboxItems(state).map((item) => (item.kind === 'approval' ? ids(item.approvals) : [item.id]));

    test('of a session are one item, at the place of the oldest', () => {
      const approvals = [
        same('p3', 1_000),
        same('p1', 9_000),
        same('x', 5_000, { session: 's2' }),
        same('p2', 4_000, { description: 'Once more' }),
      ];
      const state = stateOf({ requests: [asked('a', 's1', 7_000)], approvals }, opened);
      expect(groups(state)).toEqual([['p1', 'p2', 'p3'], ['a'], ['x']]);
      expect(inboxCounts(state).approvals).toBe(4);
    });

    test('are separate if they can’t be read in full here', () => {
      const subject = { detail: 'other', input: '{}' } as const;
      expect(groups(stateOf({ approvals: [same('p1', 9_000, { subject }), same('p2', 1_000, { subject })] }, opened))).toEqual([
        ['p1'],
        ['p2'],
      ]);
    });

    test('stay together while one ends; one that is asked after all have ended has its own place', () => {
      const withdrawn = (id: string, age: number, at: number): Action => ({
        type: 'approval_decided',
        approval: same(id, age, { state: { state: 'withdrawn', at } }),
      });
      const state = stateOf({ approvals: [same('p1', 9_000), same('p2', 8_000)] }, opened, withdrawn('p1', 9_000, NOW + 10));
      expect(groups(state)).toEqual([['p1', 'p2']]);
      const both = reduce(state, withdrawn('p2', 8_000, NOW + 20));
      const later = reduce(both, arrives({ change: 'approval', approval: same('p3', -30) }));
      expect(groups(later)).toEqual([['p1', 'p2'], ['p3']]);
    });

    test('leave out one with a draft, which stays its own', () => {
      const state = stateOf({ approvals: [same('p1', 9_000), same('p2', 8_000), same('p3', 7_000)] }, opened, {
        type: 'approval_drafted',
        approval: 'p2',
        change: { form: 'message', message: 'Not yet' },
      });
      expect(groups(state)).toEqual([['p1', 'p3'], ['p2']]);
    });
  });

  test('case_129_one_number_is_in_the_inbox_the_sidebar_and_the_panel', async () => {
    const stuck = ended({ outcome: 'answered', answers: [] }, undelivered('gone'), NOW - 1);
    const bridge = new FakeBridge({
      sessions: [api, web],
      requests: [
        asked('a', 's1', 30_000, { questions: [aQuestion(1), aQuestion(2), aQuestion(3)] }),
        asked('m', 's1', 20_000, { state: missed }),
        asked('u', 's1', 15_000, { state: stuck }),
        asked('b', 's2', 10_000),
      ],
      approvals: [anApproval({ session: 's1' })],
    });
    const { user } = await openPage(bridge);
    const badge = () => document.querySelector('[data-inbox] [data-count]');
    expect(badge()).toHaveAttribute('data-count', '4');
    expect(badge()).toHaveAttribute('title', '2 questions, 1 permission request, and 1 answer not delivered');
    const row = screen.getByRole('button', { name: /^api/ });
    expect(row).toHaveTextContent('1 question, 1 permission request, 1 answer not delivered, and 1 missed');
    expect(screen.getByRole('button', { name: /^web/ })).toHaveTextContent('1 question');
    await user.click(button('Fold side'));
    expect(screen.getByRole('button', { name: '3 requests, open the side' })).toBeVisible();
    await user.click(document.querySelector('[data-inbox]')!);
    const parts = within(screen.getByRole('group', { name: 'Filter by kind' }));
    expect(parts.getAllByRole('button').map((part) => part.textContent)).toEqual(['All 4', 'Questions 3', 'Permissions 1', 'Missed 1']);
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

const list = () => screen.getByRole('region', { name: 'Requests' });
const items = () => within(list()).getAllByRole('article');
const shownKinds = () => items().map((item) => item.dataset['inboxKind']);

async function openInbox(bridge: FakeBridge) {
  const all = await openPage(bridge);
  await all.user.click(button(/^Inbox/));
  return all;
}

describe('the inbox', () => {
  test('lists every open question with its session, folder, agent, and age, and leads there', async () => {
    const requests = [asked('b', 's2', 20_000), asked('a', 's1', 30_000)];
    const { user } = await openInbox(new FakeBridge({ sessions, requests }));
    expect(button('Inbox 2 questions')).toHaveAttribute('aria-current', 'page');
    expect(items().map((item) => item.getAttribute('aria-label'))).toEqual(['api: What of a?', 'web: What of b?']);
    const second = within(items()[1]!);
    expect(second.getByRole('button', { name: 'web' })).toBeVisible();
    expect(second.getByRole('button', { name: 'web' })).toHaveAttribute('title', expect.stringContaining('/srv/web'));
    expect(second.getByText('Claude Code')).toBeVisible();
    expect(second.getByText(/^Waiting \d/)).toBeVisible();
    expect(screen.queryByRole('complementary')).toBeNull();
    await expectNoViolations();
    await user.click(second.getByRole('button', { name: 'web' }));
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(screen.getByRole('complementary')).toContainElement(document.activeElement as HTMLElement);
  });

  test('answers each question in place, with the form of the panel', async () => {
    const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000), asked('c', 's1', 10_000)];
    const { user, bridge } = await openInbox(new FakeBridge({ sessions, requests }));
    const second = within(items()[1]!);
    await user.click(second.getByRole('radio', { name: 'JWT' }));
    await user.click(second.getByRole('button', { name: 'Submit' }));
    expect(bridge.sent('answer_question')).toMatchObject([{ id: 'b', answers: [{ question: 'q1', chosen: ['q1o2'] }] }]);
    expect(items().map((item) => item.dataset['inboxItem'])).toEqual(['a', 'b', 'c']);
    expect(within(items()[1]!).getByText('JWT', { selector: '.part' })).toBeVisible();
    expect(items()[1]!.querySelector('summary')).toHaveTextContent('What of b?');
    expect(within(items()[1]!).queryByRole('radio')).toBeNull();
    expect(await screen.findByRole('button', { name: 'Inbox 2 questions' })).toBeVisible();
    // The next question takes the keys.
    expect(within(items()[2]!).getByRole('radio', { name: 'OAuth 2.0' })).toHaveFocus();
    expect(within(items()[2]!).queryByRole('radio', { checked: true })).toBeNull();
    await user.keyboard('2');
    expect(within(items()[2]!).getByRole('radio', { name: 'JWT' })).toBeChecked();
  });

  describe('case_82 from the palette', () => {
    async function run(user: Awaited<ReturnType<typeof openInbox>>['user'], name: RegExp) {
      await user.keyboard('{Control>}k{/Control}');
      await user.click(screen.getByRole('option', { name }));
    }

    test('is sorted and filtered', async () => {
      const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000), asked('c', 's1', 10_000)];
      const { user } = await openInbox(new FakeBridge({ sessions, requests }));
      const shown = () => items().map((item) => item.dataset['inboxItem']);
      await run(user, /^Newest first Inbox/);
      expect(shown()).toEqual(['c', 'b', 'a']);
      await run(user, /^Oldest first Inbox/);
      expect(shown()).toEqual(['a', 'b', 'c']);
      await run(user, /^Filter by session Inbox/);
      const filter = screen.getByRole('combobox', { name: 'Session' });
      expect(filter).toHaveFocus();
      await user.selectOptions(filter, 'web');
      expect(shown()).toEqual(['b']);
      await run(user, /^All sessions Inbox/);
      expect(shown()).toEqual(['a', 'b', 'c']);
    });

    test('skips nothing if the chosen question is gone by then', async () => {
      const requests = [asked('a', 's1', 30_000), asked('b', 's2', 20_000)];
      const { user, bridge } = await openInbox(new FakeBridge({ sessions, requests }));
      await user.keyboard('{Control>}k{/Control}');
      await bridge.push({ change: 'session_closed', session: 's1' });
      expect(items().map((item) => item.dataset['inboxItem'])).toEqual(['b']);
      await user.click(screen.getByRole('option', { name: /^Skip What of a/ }));
      expect([...bridge.sent('hold_end'), ...bridge.sent('cancel_question')]).toEqual([]);
    });

    test('opens the session that the palette names, although another has become the current one', async () => {
      const { user, bridge, store } = await openInbox(new FakeBridge({ sessions, requests: [asked('b', 's2', 20_000)] }));
      store.dispatch({ type: 'inbox_sorted', newestFirst: true });
      await user.keyboard('{Control>}k{/Control}');
      await bridge.push({ change: 'request', request: asked('c', 's1', 10_000) });
      expect(items()[0]).toHaveAttribute('aria-current', 'true');
      expect(items()[0]?.dataset['inboxItem']).toBe('c');
      await user.click(screen.getByRole('option', { name: /^Open web/ }));
      expect(store.state.navigation.place).toMatchObject({ at: 'session', session: 's2' });
    });
  });

  describe('in another language', () => {
    afterEach(() => spoken.speak('en'));

    test('names its filters and orders at once', async () => {
      await openInbox(new FakeBridge({ sessions, requests: [asked('a', 's1', 30_000)] }));
      await spoken.speak('de');
      await settle();
      const order = within(screen.getByRole('combobox', { name: 'Sortierung' }));
      expect(order.getAllByRole('option').map((option) => option.textContent)).toEqual(['Älteste zuerst', 'Neueste zuerst']);
      expect(screen.getByRole('button', { name: 'Fragen 1' })).toBeVisible();
    });
  });

  test('shows one kind or one session, and says where else something is waiting', async () => {
    const { user, store } = await openInbox(
      new FakeBridge({ sessions, requests: [asked('a', 's1', 30_000)], approvals: [anApproval({ session: 's2' })] }),
    );
    const kinds = within(screen.getByRole('group', { name: 'Filter by kind' }));
    expect(kinds.getAllByRole('button').map((one) => one.textContent)).toEqual(['All 2', 'Questions 1', 'Permissions 1']);
    expect(shownKinds()).toEqual(['question', 'approval']);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Session' }), 'docs');
    expect(within(list()).getByRole('status')).toHaveTextContent(/^Nothing is waiting for you in docs$/);
    // The filter stays when the inbox is opened again.
    await user.click(button(/^Inbox/));
    await user.click(within(list()).getByRole('button', { name: 'All sessions' }));
    expect(shownKinds()).toEqual(['question', 'approval']);
    await user.click(button('Permissions 1'));
    expect(button('Permissions 1')).toHaveAttribute('aria-pressed', 'true');
    expect(shownKinds()).toEqual(['approval']);
    expect(within(list()).queryByRole('radio')).toBeNull();
    await user.click(button('Questions 1'));
    expect(shownKinds()).toEqual(['question']);
    expect(within(list()).queryByRole('button', { name: /Allow/ })).toBeNull();
    store.dispatch({ type: 'inbox_filtered', session: 's2', at: NOW });
    await settle();
    expect(within(list()).getByRole('status')).toHaveTextContent('No questions waiting');
    await user.click(button('1 permission request waiting'));
    expect(shownKinds()).toEqual(['approval']);
  });

  test('makes invisible and bidirectional characters visible', async () => {
    const requests = [asked('a', 's1', 30_000, { questions: [aQuestion(1, { text: 'Keep\u202egnihton' })] })];
    const subject = { detail: 'other', input: '{}' } as const;
    const approvals = [anApproval({ session: 's2', title: 'Ba\u200bsh', subject })];
    const { bridge } = await openInbox(new FakeBridge({ sessions, requests, approvals }));
    expect(items()[0]).toHaveAttribute('aria-label', 'api: Keep⟨U+202E⟩gnihton');
    expect(items()[1]).toHaveAttribute('aria-label', 'web: Ba⟨U+200B⟩sh');
    await bridge.push({ change: 'session', session: aSession({ id: 's2', name: 'Why red?', place: 1 }) });
    expect(items()[1]).toHaveAttribute('aria-label', 'Why red? Ba⟨U+200B⟩sh');
    expect(within(items()[1]!).getByText('Use Ba⟨U+200B⟩sh?')).toBeVisible();
  });

  test('shows the working sessions while nothing is waiting', async () => {
    const { user } = await openInbox(new FakeBridge({ sessions: [api, { ...web, state: { state: 'idle' } }] }));
    expect(within(list()).getByRole('status')).toHaveTextContent('Nothing is waiting for you');
    const working = within(screen.getByRole('region', { name: 'Working now' }));
    expect(working.getAllByRole('button')).toHaveLength(1);
    await user.click(working.getByRole('button', { name: /api/ }));
    expect(screen.getByRole('heading', { name: 'api' })).toBeVisible();
  });

  test('lists missed questions and the saved answers of a session, with the actions of the panel', async () => {
    const saved = ended({ outcome: 'answered', answers: [] }, { delivery: 'parked' }, NOW - 9_000);
    const over: Session['state'] = { state: 'ended', end: { end: 'app_quit' }, at: 1 };
    const { bridge, user } = await openInbox(
      new FakeBridge({
        sessions: [api, { ...web, state: over, resumable: true }],
        requests: [asked('m', 's2', 20_000, { state: missed }), asked('a', 's1', 10_000), asked('k', 's2', 5_000, { state: saved })],
      }),
    );
    expect(shownKinds()).toEqual(['missed', 'question', 'saved']);
    await user.click(within(items()[0]!).getByText('What of m?'));
    await user.click(within(items()[0]!).getByRole('button', { name: 'Dismiss' }));
    expect(bridge.sent('dismiss_request')).toMatchObject([{ id: 'm' }]);
    await user.click(within(items()[2]!).getByRole('button', { name: 'Resume' }));
    expect(bridge.sent('resume_session')).toMatchObject([{ session: 's2' }]);
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

  test('begins again with the oldest question once the user has gone elsewhere, and expands the panel', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions, requests }));
    await user.keyboard('{Control>}j{/Control}');
    await user.click(button(/^Inbox/));
    store.dispatch({ type: 'side_folded', folded: true });
    await user.keyboard('{Control>}j{/Control}');
    expect(document.activeElement?.closest('[data-card]')?.getAttribute('data-card')).toBe('a');
    expect(selectedSession(store.state)).toBe('s2');
  });
});
