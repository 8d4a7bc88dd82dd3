import { isStuck } from '../entities/request/requestStatus';
import type { Waiting } from '../entities/session/sessionWords';
import type { Approval, Request, RequestId, Session, SessionId } from '../generated/wire';
import type { Handlers } from './handlers';
import { missedOf, openApprovals, savedOf, sessionOf, sessionsInOrder, waitingOf } from './select';
import { type Age, allIn, byAge } from './sessionIndex';
import type { InboxPart, State } from './state';

export type InboxAction =
  | { type: 'inbox_part_shown'; part: InboxPart }
  | { type: 'inbox_filtered'; session: SessionId | null; at: number }
  | { type: 'inbox_sorted'; newestFirst: boolean }
  | { type: 'waiting_shown'; request: Request };

export const inboxHandlers: Handlers<InboxAction> = {
  inbox_part_shown: (state, { part }) => ({ ...state, inbox: { ...state.inbox, part } }),
  inbox_filtered: (state, { session, at }) => ({ ...state, inbox: { ...state.inbox, session, since: at } }),
  inbox_sorted: (state, { newestFirst }) => ({ ...state, inbox: { ...state.inbox, newestFirst } }),
  waiting_shown: (state, { request: { id, askedAt } }) => ({ ...state, lastWaiting: { id, askedAt } }),
};

/** The session that the inbox is filtered to; null if it shows all, or if that session no longer exists. */
export function inboxSession(state: State): Session | null {
  return sessionOf(state, state.inbox.session);
}

function inOrder<T extends Age & { session: SessionId }>(state: State, all: readonly T[]): T[] {
  const only = inboxSession(state)?.id ?? null;
  const sorted = all.filter((one) => only === null || one.session === only).sort(byAge);
  return state.inbox.newestFirst ? sorted.reverse() : sorted;
}

/** Whether a request waits for the user: it is open, or its answer couldn't be delivered. */
function waits(state: State, request: Request): boolean {
  return request.state.state === 'open' || isStuck(request) || state.submits[request.id]?.phase === 'failed';
}

/** What the inbox lists: all that is waiting, and what ended since it was opened, so nothing moves under a click. */
export function inboxRequests(state: State): Request[] {
  const listed = allIn(state.requests).filter(
    (request) =>
      waits(state, request) || (request.state.state === 'ended' && request.state.at >= state.inbox.since),
  );
  return inOrder(state, listed);
}

/** The waiting approvals, in inbox order. */
export function inboxApprovals(state: State): Approval[] {
  return inOrder(state, state.sessions.flatMap((session) => openApprovals(state, session.id)));
}

/** The sessions with missed requests or saved answers, in sidebar order. */
export function inboxMissed(state: State): Session[] {
  const only = inboxSession(state)?.id ?? null;
  return sessionsInOrder(state).filter(
    ({ id }) => (only === null || id === only) && missedCount(state, id) > 0,
  );
}

function missedCount(state: State, session: SessionId): number {
  return missedOf(state, session).length + savedOf(state, session).length;
}

/** What is waiting in all sessions, by kind; the sum of the sidebar's badges. */
export function allWaiting(state: State): Waiting {
  const each = state.sessions.map((session) => waitingOf(state, session.id));
  const since = each.flatMap((waiting) => waiting.since ?? []);
  return {
    questions: each.reduce((sum, waiting) => sum + waiting.questions, 0),
    approvals: each.reduce((sum, waiting) => sum + waiting.approvals, 0),
    since: since.length > 0 ? Math.min(...since) : null,
  };
}

/** How many questions, permission requests, and missed requests each part of the inbox lists. */
export function inboxCounts(state: State): Record<InboxPart, number> {
  return {
    questions: inboxRequests(state)
      .filter((request) => waits(state, request))
      .reduce((sum, request) => sum + request.questions.length, 0),
    approvals: inboxApprovals(state).length,
    missed: inboxMissed(state).reduce((sum, { id }) => sum + missedCount(state, id), 0),
  };
}

/** The next waiting request by age, wrapping around; null if nothing is waiting. */
export function nextWaiting(state: State, from: Age | null): Request | null {
  const waiting = allIn(state.requests)
    .filter((request) => request.state.state === 'open' || isStuck(request))
    .filter((request) => sessionOf(state, request.session) !== null)
    .sort(byAge);
  const after = from && waiting.find((request) => byAge(request, from) > 0 && request.id !== from.id);
  return after ?? waiting[0] ?? null;
}

/** Where to continue through the waiting requests: after the focused one, otherwise after the one shown last. */
export function waitingCursor(state: State, at: RequestId | null): Age | null {
  return state.requests.byId[at ?? ''] ?? state.lastWaiting;
}
