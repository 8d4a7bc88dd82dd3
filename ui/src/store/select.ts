import { type Draft, emptyDraft } from '../entities/request/answerDraft';
import { goesOn, isMissed, isSaved, isStuck } from '../entities/request/requestStatus';
import type { CloseLoss, SessionFace, Waiting } from '../entities/session/sessionWords';
import type { Approval, ApprovalId, Request, RequestId, Session, SessionId, TodoItem } from '../generated/wire';
import type { CommandName } from '../platform/bridge';
import type { ItemKey } from './parts/layout';
import { emptyTranscript, type Transcript } from './parts/transcripts';
import { type ApprovalDraft, emptyApprovalDraft, type Submit } from './parts/unsent';
import { remembered } from './remembered';
import { ofSession } from './sessionIndex';
import type { State } from './state';
import { keyOf, type Target } from './submit';

/** The parts of the state that say what is waiting. */
export type WaitingParts = Pick<State, 'requests' | 'approvals'>;

/** What the sheet of the side can show: a request, a sent answer, or the list of missed questions and saved answers. */
export type PanelItem =
  | { kind: 'sent'; key: ItemKey; at: number; request: Request }
  | { kind: 'question'; key: ItemKey; at: number; request: Request }
  | { kind: 'approval'; key: ItemKey; at: number; approval: Approval }
  | { kind: 'late'; key: 'late'; at: number; count: number };

/** The sessions in the order that the user gave them. */
export const sessionsInOrder = remembered<State, 'sessions', readonly Session[]>(['sessions'], ({ sessions }) =>
  sessions.toSorted((a, b) => a.place - b.place),
);

/** The user's home folder, if it is known. */
export function homeOf({ settings }: State): string | null {
  return settings?.home ?? null;
}

/** The session in view, or the one to return to from another place. */
export function selectedSession({ navigation }: State): SessionId | null {
  return navigation.place.session;
}

/** The id of the session in view; null at any other place. */
export function shownSession({ navigation: { place } }: State): SessionId | null {
  return place.at === 'session' ? place.session : null;
}

const byId = new WeakMap<readonly Session[], ReadonlyMap<SessionId, Session>>();

/** The listed sessions by their ids. */
function sessionsById({ sessions }: Pick<State, 'sessions'>): ReadonlyMap<SessionId, Session> {
  const known = byId.get(sessions) ?? new Map(sessions.map((session) => [session.id, session]));
  byId.set(sessions, known);
  return known;
}

export function sessionOf(state: Pick<State, 'sessions'>, id: SessionId | null): Session | null {
  return sessionsById(state).get(id ?? '') ?? null;
}

/** A session that can be viewed: a listed one or a past one. */
export function anySession(state: State, id: SessionId): Session | null {
  return sessionOf(state, id) ?? state.history.past?.find((session) => session.id === id) ?? null;
}

/** The session whose changes are in view; null at any other place. */
export function sessionInChanges(state: State): Session | null {
  const { place } = state.navigation;
  return sessionOf(state, place.at === 'changes' ? place.session : null);
}

/** The session in view; null at any other place. */
export function sessionInView(state: State): Session | null {
  return sessionOf(state, shownSession(state));
}

export function requestOf(state: State, id: RequestId): Request | null {
  return state.requests.byId[id] ?? state.archive.requests[id] ?? null;
}

export function approvalOf(state: State, id: string): Approval | null {
  return state.approvals.byId[id] ?? state.archive.approvals[id] ?? null;
}

export function draftOf(state: State, request: RequestId): Draft {
  return state.drafts[request] ?? emptyDraft;
}

export function approvalDraftOf(state: Pick<State, 'decisions'>, approval: ApprovalId): ApprovalDraft {
  return state.decisions[approval] ?? emptyApprovalDraft;
}

export function transcriptOf(state: State, session: SessionId): Transcript {
  return state.transcripts[session] ?? emptyTranscript;
}

export function submitOf(state: State, key: string): Submit | null {
  return state.submits[key] ?? null;
}

/** Whether a command is on its way, or another one that excludes it. */
export function isSending<C extends CommandName>(state: State, command: C, target: Target<C>): boolean {
  return submitOf(state, keyOf(command, target))?.phase === 'sending';
}

/** The open requests of a session, oldest first. */
export function openRequests(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter((request) => request.state.state === 'open');
}

/** The open approvals of a session, oldest first. */
export function openApprovals(state: Pick<State, 'approvals'>, session: SessionId): Approval[] {
  return ofSession(state.approvals, session).filter((approval) => approval.state.state === 'open');
}

/** Whether a request is open, or its answer is stuck. */
export function isPending(request: Request): boolean {
  return request.state.state === 'open' || isStuck(request);
}

function pendingRequests(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isPending);
}

/** Whether anything in a session waits for the user. */
function needsUser({ requests, approvals }: WaitingParts, session: SessionId): boolean {
  return ofSession(requests, session).some(isPending) || ofSession(approvals, session).some(({ state }) => state.state === 'open');
}

/** Whether an agent waits for the user, so that it can't go on. */
export function isBlocked({ requests, approvals }: WaitingParts, session: SessionId): boolean {
  return (
    ofSession(requests, session).some((request) => isPending(request) && !goesOn(request)) ||
    ofSession(approvals, session).some(({ state }) => state.state === 'open')
  );
}

/** The oldest open question, stuck answer, or permission request of a session; null if there is none. */
export function oldestPending(state: WaitingParts, session: SessionId): Request | Approval | null {
  const pending = [...pendingRequests(state, session), ...openApprovals(state, session)];
  return pending.reduce<Request | Approval | null>((first, one) => (first && first.askedAt <= one.askedAt ? first : one), null);
}

/**
 * What needs the user in a session: open questions, open permission requests, and answers that couldn't be delivered. The app counts
 * the same for the title, the tray and the command line (`pending` in the domain). A card counts once, however many questions it holds.
 */
export function waitingOf(state: WaitingParts, session: SessionId): Waiting {
  const pending = pendingRequests(state, session);
  const stuck = pending.filter(isStuck).length;
  const approvals = openApprovals(state, session).length;
  return { questions: pending.length - stuck, approvals, stuck, since: oldestPending(state, session)?.askedAt ?? null };
}

/** What closing a session would lose; null if it would lose nothing. */
export function closeLoss(state: State, session: Session): CloseLoss | null {
  const waiting = waitingOf(state, session.id);
  const parked = ofSession(state.requests, session.id).filter(
    (request) => request.state.state === 'ended' && session.resumable && request.state.delivery?.delivery === 'parked',
  ).length;
  const undelivered = parked + waiting.stuck;
  const loss = {
    working: session.state.state === 'working' || session.state.state === 'starting',
    waiting: { ...waiting, stuck: 0 },
    undelivered,
    unsent:
      (state.messages[session.id] ?? '').trim() !== '' ||
      (state.attached[session.id] ?? []).length > 0 ||
      (state.comments[session.id] ?? []).length > 0,
  };
  const nothing = !loss.working && waiting.since === null && undelivered === 0 && !loss.unsent;
  return nothing ? null : loss;
}

/** What ending a session would interrupt: a turn, or what is waiting in it; null if it is at rest. Drafts and saved answers stay. */
export function endLoss(state: State, session: Session): CloseLoss | null {
  const loss = closeLoss(state, session);
  const undelivered = waitingOf(state, session.id).stuck;
  if (!loss || (!loss.working && loss.waiting.since === null && undelivered === 0)) return null;
  return { ...loss, undelivered, unsent: false };
}

/** The agent's list of todos as it last wrote it. */
export function todosOf(state: State, session: SessionId): readonly TodoItem[] {
  const { entries } = transcriptOf(state, session);
  for (const { body } of entries.toReversed()) {
    if (body.kind === 'plan') return body.items;
    if (body.kind === 'tool' && body.detail.detail === 'todos') return body.detail.items;
  }
  return [];
}

/** The user's messages in a session, oldest first, without consecutive duplicates. */
export function saidBefore(state: State, session: SessionId): string[] {
  const said = transcriptOf(state, session).entries.flatMap(({ body }) => (body.kind === 'user' && body.text !== '' ? [body.text] : []));
  return said.filter((text, index) => text !== said[index + 1]);
}

export function faceOf(state: WaitingParts & Pick<State, 'finished'>, session: Session): SessionFace {
  if (needsUser(state, session.id)) return session.state.state === 'working' && !isBlocked(state, session.id) ? 'goes_on' : 'needs_you';
  if (session.state.state === 'idle' && session.id in state.finished) return 'done';
  if (session.state.state !== 'ended') return session.state.state;
  return session.state.end.end === 'failed' ? 'failed' : 'ended';
}

/** Whether an ended request still has a card: pending, stuck, delivered last, or answered too late. */
function isStillShown(state: State, request: Request, deliveredLast: RequestId | undefined): boolean {
  // Missed requests have their own list.
  if (request.state.state === 'open' || isMissed(request)) return false;
  if (state.submits[request.id]?.phase === 'failed') return true;
  const how = request.state.delivery?.delivery;
  return how === 'pending' || how === 'failed' || request.id === deliveredLast;
}

/** The key of a request's item, in whatever state the request is. */
export function keyOfRequest(request: Request): ItemKey {
  if (request.state.state === 'open') return `question ${request.id}`;
  return isMissed(request) || isSaved(request) ? 'late' : `sent ${request.id}`;
}

/** The items of a session's sheet: first what waits for the user, oldest first, then what was sent, then what is late. */
export function panelItems(state: State, session: SessionId): PanelItem[] {
  const items: PanelItem[] = [];
  // One confirmation is enough.
  const deliveredLast = state.delivered.findLast((id) => state.requests.byId[id]?.session === session);
  for (const request of ofSession(state.requests, session)) {
    const isOpen = request.state.state === 'open';
    if (!isOpen && !isStillShown(state, request, deliveredLast)) continue;
    const kind = isOpen ? 'question' : 'sent';
    items.push({ kind, key: `${kind} ${request.id}`, at: request.askedAt, request });
  }
  for (const approval of openApprovals(state, session)) {
    items.push({ kind: 'approval', key: `approval ${approval.id}`, at: approval.askedAt, approval });
  }
  const count = missedOf(state, session).length + savedOf(state, session).length;
  if (count > 0) items.push({ kind: 'late', key: 'late', at: 0, count });
  const rank = ({ kind }: PanelItem) => (kind === 'late' ? 2 : Number(kind === 'sent'));
  return items.sort((a, b) => rank(a) - rank(b) || a.at - b.at || (a.key < b.key ? -1 : 1));
}

/**
 * The item that the sheet shows: the picked one, or the one in view, so that nothing that arrives replaces it. What is only confirmed
 * makes room. After a question comes the next one, not a permission request.
 */
export function shownItem(items: readonly PanelItem[], picked: ItemKey | undefined, inView: ItemKey | null): PanelItem | null {
  const id = inView?.split(' ')[1];
  const stays = items.find((item) => (id ? item.key.endsWith(` ${id}`) : item.key === inView));
  return (
    items.find(({ key }) => key === picked) ??
    (stays && !isConfirmation(stays) ? stays : undefined) ??
    items.find(({ kind }) => kind !== 'sent' && inView?.startsWith(kind)) ??
    items[0] ??
    null
  );
}

/** Whether an item only says that an answer is on its way or has arrived. */
function isConfirmation(item: PanelItem): boolean {
  if (item.kind !== 'sent' || item.request.state.state === 'open') return false;
  const how = item.request.state.delivery?.delivery;
  return how === 'pending' || how === 'delivered';
}

/** The missed requests of a session, oldest first. */
export function missedOf(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isMissed);
}

/** The saved answers of a session that wait for its agent, oldest first. */
export function savedOf(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isSaved);
}
