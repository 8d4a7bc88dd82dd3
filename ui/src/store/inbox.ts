import { sameHere } from '../entities/approval/readableHere';
import { goesOn } from '../entities/request/requestStatus';
import type { Waiting } from '../entities/session/sessionWords';
import type { Approval, Request, RequestId, Session, SessionId } from '../generated/wire';
import type { Handlers } from './handlers';
import type { InboxKind } from './parts/navigation';
import { remembered } from './remembered';
import { approvalDraftOf, isPending, missedOf, savedOf, sessionOf, waitingOf } from './select';
import { type Age, allIn, byAge } from './sessionIndex';
import type { State } from './state';

export type InboxAction =
  | { type: 'inbox_kind_shown'; kind: InboxKind }
  | { type: 'inbox_filtered'; session: SessionId | null; at: number }
  | { type: 'inbox_sorted'; newestFirst: boolean }
  | { type: 'waiting_shown'; request: Request };

export const inboxHandlers: Handlers<InboxAction> = {
  inbox_kind_shown: (state, { kind }) => ({ ...state, inbox: { ...state.inbox, kind } }),
  inbox_filtered: (state, { session, at }) => ({ ...state, inbox: { ...state.inbox, session, since: at } }),
  inbox_sorted: (state, { newestFirst }) => ({ ...state, inbox: { ...state.inbox, newestFirst } }),
  waiting_shown: (state, { request: { id, askedAt } }) => ({ ...state, lastWaiting: { id, askedAt } }),
};

/** An entry of the inbox. A question is never in one entry with a permission request. */
export type InboxItem = Age & { session: SessionId } & (
    | { kind: 'question' | 'missed'; request: Request }
    /** A permission request or a plan, or several requests that are the same to decide. */
    | { kind: 'approval'; approvals: readonly [Approval, ...Approval[]] }
    /** The saved answers of a session. */
    | { kind: 'saved' }
  );

/** The parts of the state that the list reads; nothing else that changes needs a new list. */
export type InboxSources = Pick<State, 'inbox' | 'sessions' | 'requests' | 'approvals' | 'decisions' | 'submits'>;

/** The session that the inbox is filtered to; null if it shows all, or if that session no longer exists. */
export function inboxSession(state: InboxSources): Session | null {
  return sessionOf(state, state.inbox.session);
}

/** What the inbox lists: all that is waiting, and what ended since it was opened, so nothing moves under a click. */
export function inboxItems(state: InboxSources): InboxItem[] {
  const { kind, newestFirst } = state.inbox;
  const questions = kind === 'approvals' || kind === 'missed' ? [] : inboxRequests(state).map(questionItem);
  const approvals = kind === 'questions' || kind === 'missed' ? [] : inboxApprovals(state);
  const late = kind === 'questions' || kind === 'approvals' ? [] : inboxMissed(state);
  // A question that was missed since the inbox was opened stays where it was asked.
  const listed = new Set(questions.map(({ id }) => id));
  const items = [...questions, ...approvals, ...late.filter(({ id }) => !listed.has(id))].sort(byAge);
  if (newestFirst) items.reverse();
  // Agents that wait come before those that go on.
  const goOn = (item: InboxItem) => Number(item.kind === 'question' && goesOn(item.request));
  return items.sort((a, b) => goOn(a) - goOn(b));
}

function inSession<T extends { session: SessionId }>(state: InboxSources, all: readonly T[]): T[] {
  const only = inboxSession(state)?.id ?? null;
  return all.filter(({ session }) => only === null || session === only);
}

/** All sessions, or only that of the filter. */
function listedIn(state: InboxSources): readonly Session[] {
  const only = inboxSession(state);
  return only ? [only] : state.sessions;
}

/** Whether the user can still do something with an item. */
export function isWaiting(state: InboxSources, item: InboxItem): boolean {
  if (item.kind === 'approval') return item.approvals.some(({ state }) => state.state === 'open');
  return item.kind !== 'question' || waits(state, item.request);
}

/** Whether a request waits for the user: it is open, or its answer couldn't be delivered. */
function waits(state: InboxSources, request: Request): boolean {
  return isPending(request) || state.submits[request.id]?.phase === 'failed';
}

function inboxRequests(state: InboxSources): Request[] {
  const listed = allIn(state.requests).filter(
    (request) => waits(state, request) || (request.state.state === 'ended' && request.state.at >= state.inbox.since),
  );
  return inSession(state, listed);
}

function questionItem(request: Request): InboxItem {
  return { kind: 'question', id: request.id, askedAt: request.askedAt, session: request.session, request };
}

/** The approvals, those that are the same to decide in one item. */
function inboxApprovals(state: InboxSources): InboxItem[] {
  // What a rule denied was never the user's to decide.
  const isListed = ({ rule, state: now }: Approval) => now.state === 'open' || (now.at >= state.inbox.since && rule?.action !== 'deny');
  const listed = allIn(state.approvals).filter(isListed);
  const groups: [Approval, ...Approval[]][] = [];
  const joins = new Map<string, { group: Approval[]; until: number }>();
  for (const approval of inSession(state, listed).sort(byAge)) {
    // What the user has begun to write belongs to one request.
    const same = hasDraft(state, approval) ? null : sameHere(approval);
    const known = same === null ? undefined : joins.get(same);
    const until = approval.state.state === 'open' ? Infinity : approval.state.at;
    // A request that came when the others had ended is another one, with its own place.
    if (known && approval.askedAt <= known.until) {
      known.group.push(approval);
      known.until = Math.max(known.until, until);
      continue;
    }
    const group: [Approval, ...Approval[]] = [approval];
    groups.push(group);
    if (same !== null) joins.set(same, { group, until });
  }
  return groups.map((approvals) => {
    const [{ id, askedAt, session }] = approvals;
    return { kind: 'approval', id, askedAt, session, approvals };
  });
}

function hasDraft(state: InboxSources, { id }: Approval): boolean {
  const { form, message } = approvalDraftOf(state, id);
  return form !== 'none' || message.trim() !== '';
}

/** The missed requests, and the sessions with saved answers. */
function inboxMissed(state: InboxSources): InboxItem[] {
  return listedIn(state).flatMap(({ id: session }): InboxItem[] => {
    const missed = missedOf(state, session).map((request): InboxItem => ({ ...questionItem(request), kind: 'missed', request }));
    const [saved] = savedOf(state, session);
    return saved ? [...missed, { kind: 'saved', id: `saved:${session}`, askedAt: saved.askedAt, session }] : missed;
  });
}

/** What needs the user in all sessions, by kind; the sum of the sidebar's badges. */
export const allWaiting = remembered<State, 'sessions' | 'requests' | 'approvals', Waiting>(
  ['sessions', 'requests', 'approvals'],
  (state) => {
    const each = state.sessions.map((session) => waitingOf(state, session.id));
    const since = each.flatMap((waiting) => waiting.since ?? []);
    return {
      questions: each.reduce((sum, waiting) => sum + waiting.questions, 0),
      approvals: each.reduce((sum, waiting) => sum + waiting.approvals, 0),
      stuck: each.reduce((sum, waiting) => sum + waiting.stuck, 0),
      since: since.length > 0 ? Math.min(...since) : null,
    };
  },
);

/** How much needs the user, with its sum, and how many were missed or are saved, which wait for nothing. */
export function inboxCounts(state: InboxSources): Record<InboxKind, number> {
  const questions = inSession(state, allIn(state.requests)).filter(isPending).length;
  const approvals = inSession(state, allIn(state.approvals)).filter((approval) => approval.state.state === 'open').length;
  const missed = listedIn(state).reduce((sum, { id }) => sum + missedOf(state, id).length + savedOf(state, id).length, 0);
  return { all: questions + approvals, questions, approvals, missed };
}

/** The next waiting request by age, wrapping around; null if nothing is waiting. */
export function nextWaiting(state: State, from: Age | null): Request | null {
  const waiting = allIn(state.requests)
    .filter(isPending)
    .filter((request) => sessionOf(state, request.session) !== null)
    .sort(byAge);
  const after = from && waiting.find((request) => byAge(request, from) > 0 && request.id !== from.id);
  return after ?? waiting[0] ?? null;
}

/** Where to continue through the waiting requests: after the focused one, otherwise after the one shown last. */
export function waitingCursor(state: State, at: RequestId | null): Age | null {
  return state.requests.byId[at ?? ''] ?? state.lastWaiting;
}
