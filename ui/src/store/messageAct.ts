/** What Enter does with an unsent message: it is decided by the questions that were open when the message was begun. */
import type { Request, RequestId, Session, SessionId } from '../generated/wire';
import { goesOn } from '../entities/request/requestStatus';
import type { Handlers } from './handlers';
import type { HeldReply } from './parts/unsent';
import { filterValues, withoutKey } from './records';
import { openRequests } from './select';
import type { State } from './state';

export type MessageAct =
  | { does: 'send' }
  | { does: 'queue' }
  /** Ends these questions as replied in chat; all others stay open. */
  | { does: 'reply'; closes: readonly RequestId[] };

export type MessageActAction =
  /** A question has been there long enough to count as seen. */
  | { type: 'request_settled'; request: RequestId }
  | { type: 'reply_held'; session: SessionId; reply: HeldReply }
  | { type: 'reply_released'; session: SessionId };

export const messageActHandlers: Handlers<MessageActAction> = {
  request_settled: (state, { request }) => ({ ...state, settled: { ...state.settled, [request]: true } }),
  reply_held: (state, { session, reply }) => ({ ...state, replies: { ...state.replies, [session]: reply } }),
  reply_released: (state, { session }) => ({ ...state, replies: withoutKey(state.replies, session) }),
};

/** `told` are the questions that the composer said would close, `open` those that are open now. */
export function actOf(open: readonly RequestId[], told: readonly RequestId[], working: boolean): MessageAct {
  if (open.length > 0 && open.every((id) => told.includes(id))) return { does: 'reply', closes: open };
  return { does: working ? 'queue' : 'send' };
}

/** What becomes of a reply in chat when its undo window ends. */
export function actOfHeld({ closes }: HeldReply, open: readonly RequestId[], working: boolean): MessageAct {
  const left = open.filter((id) => closes.includes(id));
  return actOf(left, left, working);
}

/**
 * The open questions that a message to the session's agent can close. A helper's question stays with the helper, and one that the agent
 * doesn't wait for stays open.
 */
export function closableRequests(state: State, session: SessionId): Request[] {
  return openRequests(state, session).filter((request) => request.helper === undefined && !goesOn(request));
}

/** What Enter does with the message in the composer, or would do if it was begun now. */
export function messageAct(state: State, { id, nativeSession, state: { state: doing } }: Session): MessageAct {
  const told = runs(state.messages[id] ?? '') ? [] : (state.told[id] ?? (isBlank(state, id) ? settledIn(state, id) : []));
  return actOf(idsOf(closableRequests(state, id)), told, doing === 'working' || (doing === 'starting' && nativeSession === null));
}

/** Whether a message is a command of the agent or of a shell, which answers no question. */
function runs(message: string): boolean {
  return /^\s*[/!]\S/.test(message);
}

/** The questions that the user can choose to close with this message, although it was begun before them; empty if there are none. */
export function closableByChoice(state: State, session: Session): readonly RequestId[] {
  const open = idsOf(closableRequests(state, session.id));
  const offered = !isBlank(state, session.id) && messageAct(state, session).does !== 'reply';
  return offered && open.every((id) => id in state.settled) ? open : [];
}

export function questionCount(state: State, requests: readonly RequestId[]): number {
  return requests.reduce((count, id) => count + (state.requests.byId[id]?.questions.length ?? 0), 0);
}

/** The held reply in chat that will close a request; null if there is none. */
export function replyClosing({ replies }: State, { id, session }: Request): HeldReply | null {
  const reply = replies[session];
  return reply?.closes.includes(id) ? reply : null;
}

/**
 * Notes what the composer says when a message is begun, forgets it once the message is empty, and stops a held reply whose
 * message changes. A text that the user didn't begin in this window, such as a restored one, was told of no question.
 */
export function followMessages(before: State, after: State, byUser: boolean): State {
  const next = after.requests === before.requests ? after : { ...after, settled: onlyOpen(after) };
  if (next.messages === before.messages && next.attached === before.attached) return next;
  const ids = new Set([before, next].flatMap(({ messages, attached }) => [...Object.keys(messages), ...Object.keys(attached)]));
  return [...ids].reduce((folded, id) => {
    if (before.messages[id] === next.messages[id] && before.attached[id] === next.attached[id]) return folded;
    const begun = byUser && isBlank(before, id);
    const told = isBlank(next, id) ? withoutKey(folded.told, id) : begun ? { ...folded.told, [id]: settledIn(next, id) } : folded.told;
    return { ...folded, told, replies: withoutKey(folded.replies, id) };
  }, next);
}

function onlyOpen({ settled, requests }: State): State['settled'] {
  const kept = filterValues(settled, (_, id) => requests.byId[id]?.state.state === 'open');
  return Object.keys(kept).length === Object.keys(settled).length ? settled : kept;
}

function settledIn(state: State, session: SessionId): RequestId[] {
  return idsOf(closableRequests(state, session)).filter((id) => id in state.settled);
}

function isBlank({ messages, attached }: State, session: SessionId): boolean {
  return (messages[session] ?? '') === '' && (attached[session] ?? []).length === 0;
}

function idsOf(requests: readonly Request[]): RequestId[] {
  return requests.map(({ id }) => id);
}
