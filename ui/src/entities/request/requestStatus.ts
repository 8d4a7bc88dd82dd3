import type { Ended, Request, Session } from '../../generated/wire';
import { isInbound } from '../session/origin';

/** Whether a request ended without the user, and no agent still has to be told of that end. */
export function isMissed({ state }: Request): boolean {
  if (state.state === 'open') return false;
  const how = state.delivery?.delivery;
  const without = state.outcome.outcome === 'orphaned' || state.outcome.outcome === 'expired';
  return without && how !== 'pending' && how !== 'failed';
}

/** Whether the agent doesn't wait for the answer. */
export function goesOn({ asker }: Request): boolean {
  return asker === 'goes_on' || asker === 'in_background';
}

/** Whether the agent gets every answer as a message, because its call closed when it asked. */
export function isSentAsMessage({ asker }: Request): boolean {
  return asker === 'goes_on';
}

/** Whether an answer was the result of a call that its client had moved to the background, and hands on as a notification. */
export function isNotification({ asker }: Request, { delivery }: Ended): boolean {
  return asker === 'in_background' && delivery?.delivery === 'delivered' && delivery.late !== true;
}

/** Whether an answer arrived after its call had closed. */
export function isLate(request: Request, { delivery }: Ended): boolean {
  return delivery?.delivery === 'delivered' && delivery.late === true && !isSentAsMessage(request);
}

/** Whether the user's answer or skip is parked until an agent can take it. */
export function isSaved({ state }: Request): boolean {
  if (state.state === 'open' || state.delivery?.delivery !== 'parked') return false;
  return state.outcome.outcome === 'answered' || state.outcome.outcome === 'declined';
}

/** Whether a late answer can still reach a session's agent: now, after a resume, or when its client asks again. */
export function takesLate(session: Session): boolean {
  return session.state.state !== 'ended' || session.resumable || isInbound(session);
}

/** Whether delivery failed: the answer is saved, and only the user can retry. */
export function isStuck(request: Request): boolean {
  return request.state.state === 'ended' && request.state.delivery?.delivery === 'failed';
}
