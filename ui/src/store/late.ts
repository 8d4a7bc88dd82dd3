import type { Request, Session, SessionId } from '../generated/wire';
import { visits } from '../shared/visitors';
import type { State } from './state';

/** Whether a request ended without the person, and no agent is still to be told of that. */
export function isMissed({ state }: Request): boolean {
  if (state.state === 'open') return false;
  const how = state.delivery?.delivery;
  const without = state.outcome.outcome === 'orphaned' || state.outcome.outcome === 'expired';
  return without && how !== 'pending' && how !== 'failed';
}

/** Whether an end of the person's waits for an agent that can take it. */
export function isKept({ state }: Request): boolean {
  if (state.state === 'open' || state.delivery?.delivery !== 'parked') return false;
  return state.outcome.outcome === 'answered' || state.outcome.outcome === 'declined';
}

/** Whether a late answer can still come to a session's agent: now, when the session is resumed, or when its client asks again. */
export function takesLate(session: Session): boolean {
  return session.state.state !== 'ended' || session.resumable || visits(session);
}

/** The missed requests of a session, oldest first. */
export function missedOf(state: State, session: SessionId): Request[] {
  return inOrder(state, session, isMissed);
}

/** The answers of a session that wait for its agent, oldest first. */
export function keptOf(state: State, session: SessionId): Request[] {
  return inOrder(state, session, isKept);
}

function inOrder(state: State, session: SessionId, is: (request: Request) => boolean): Request[] {
  return Object.values(state.requests)
    .filter((request) => request.session === session && is(request))
    .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1));
}
