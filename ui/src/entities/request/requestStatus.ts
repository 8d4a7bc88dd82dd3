import type { Request, Session } from '../../generated/wire';
import { isInbound } from '../session/origin';

/** Whether a request ended without the person, and no agent is still to be told of that. */
export function isMissed({ state }: Request): boolean {
  if (state.state === 'open') return false;
  const how = state.delivery?.delivery;
  const without = state.outcome.outcome === 'orphaned' || state.outcome.outcome === 'expired';
  return without && how !== 'pending' && how !== 'failed';
}

/** Whether an end of the person's waits for an agent that can take it. */
export function isSaved({ state }: Request): boolean {
  if (state.state === 'open' || state.delivery?.delivery !== 'parked') return false;
  return state.outcome.outcome === 'answered' || state.outcome.outcome === 'declined';
}

/** Whether a late answer can still come to a session's agent: now, when the session is resumed, or when its client asks again. */
export function takesLate(session: Session): boolean {
  return session.state.state !== 'ended' || session.resumable || isInbound(session);
}

/** Whether an end could not be handed over: its answer is kept, and only the person can try again. */
export function isStuck(request: Request): boolean {
  return request.state.state === 'ended' && request.state.delivery?.delivery === 'failed';
}
