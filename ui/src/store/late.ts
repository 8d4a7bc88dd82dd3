import type { Request, Session, SessionId } from '../generated/wire';
import { visits } from '../shared/visitors';
import { ofSession } from './sessionIndex';
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
  return ofSession(state.requests, session).filter(isMissed);
}

/** The answers of a session that wait for its agent, oldest first. */
export function keptOf(state: State, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isKept);
}
