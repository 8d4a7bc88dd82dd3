import { type Draft, emptyDraft } from '../entities/request/answerDraft';
import { isMissed, isSaved, isStuck } from '../entities/request/requestStatus';
import type { CloseLoss, SessionFace, Waiting } from '../entities/session/sessionWords';
import type { Approval, ApprovalId, Request, RequestId, Session, SessionId } from '../generated/wire';
import { emptyTranscript, type Transcript } from './parts/transcripts';
import { type ApprovalDraft, emptyApprovalDraft, type Submit } from './parts/unsent';
import { remembered } from './remembered';
import { ofSession } from './sessionIndex';
import type { State } from './state';

/** The parts of the state that say what is waiting. */
export type WaitingParts = Pick<State, 'requests' | 'approvals'>;

export type PanelItem =
  | { kind: 'sent'; id: string; at: number; request: Request }
  | { kind: 'question'; id: string; at: number; request: Request }
  | { kind: 'approval'; id: string; at: number; approval: Approval };

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

/** The open requests of a session, oldest first. */
export function openRequests(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter((request) => request.state.state === 'open');
}

/** The open approvals of a session, oldest first. */
export function openApprovals(state: Pick<State, 'approvals'>, session: SessionId): Approval[] {
  return ofSession(state.approvals, session).filter((approval) => approval.state.state === 'open');
}

/** How many requests of a session wait for the user. */
export function waitingCount(state: WaitingParts, session: SessionId): number {
  const { questions, approvals } = waitingOf(state, session);
  return questions + approvals;
}

/** Whether a request is open, or its answer is stuck. */
function isPending(request: Request): boolean {
  return request.state.state === 'open' || isStuck(request);
}

function pendingRequests(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isPending);
}

/** Whether anything in a session waits for the user. */
function needsUser({ requests, approvals }: WaitingParts, session: SessionId): boolean {
  return ofSession(requests, session).some(isPending) || ofSession(approvals, session).some(({ state }) => state.state === 'open');
}

/** The oldest open question, stuck answer, or permission request of a session; null if there is none. */
export function oldestPending(state: WaitingParts, session: SessionId): Request | Approval | null {
  const pending = [...pendingRequests(state, session), ...openApprovals(state, session)];
  return pending.reduce<Request | Approval | null>((first, one) => (first && first.askedAt <= one.askedAt ? first : one), null);
}

/**
 * What waits for the user in a session, counted as the title, the tray, and the dialog before quitting count it: each open card
 * once, however many questions it holds. What was missed, or answered but not delivered, waits for no answer; it has its own words.
 */
export function waitingOf(state: WaitingParts, session: SessionId): Waiting {
  const questions = openRequests(state, session);
  const approvals = openApprovals(state, session);
  const asked = [...questions, ...approvals].map(({ askedAt }) => askedAt);
  return { questions: questions.length, approvals: approvals.length, since: asked.length > 0 ? Math.min(...asked) : null };
}

/** How many answers of a session couldn't be delivered. */
export function stuckCount({ requests }: Pick<State, 'requests'>, session: SessionId): number {
  return ofSession(requests, session).filter(isStuck).length;
}

/** What closing a session would lose; null if it would lose nothing. */
export function closeLoss(state: State, session: Session): CloseLoss | null {
  const waiting = waitingOf(state, session.id);
  const parked = ofSession(state.requests, session.id).filter(
    (request) => request.state.state === 'ended' && session.resumable && request.state.delivery?.delivery === 'parked',
  ).length;
  const undelivered = parked + stuckCount(state, session.id);
  const loss = {
    working: session.state.state === 'working' || session.state.state === 'starting',
    waiting,
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
  const undelivered = stuckCount(state, session.id);
  if (!loss || (!loss.working && loss.waiting.since === null && undelivered === 0)) return null;
  return { ...loss, undelivered, unsent: false };
}

/** The user's messages in a session, oldest first, without consecutive duplicates. */
export function saidBefore(state: State, session: SessionId): string[] {
  const said = transcriptOf(state, session).entries.flatMap(({ body }) => (body.kind === 'user' && body.text !== '' ? [body.text] : []));
  return said.filter((text, index) => text !== said[index + 1]);
}

export function faceOf(state: WaitingParts & Pick<State, 'finished'>, session: Session): SessionFace {
  if (needsUser(state, session.id)) return 'needs_you';
  if (session.state.state === 'idle' && session.id in state.finished) return 'done';
  if (session.state.state !== 'ended') return session.state.state;
  return session.state.end.end === 'failed' ? 'failed' : 'ended';
}

/** The request that the panel shows: the picked one while it is open, otherwise the oldest open one. */
export function shownRequest(state: State, session: SessionId): Request | null {
  const open = openRequests(state, session);
  return open.find((request) => request.id === state.picked[session]) ?? open[0] ?? null;
}

/** Whether an ended request still has a card: pending, stuck, delivered last, or answered too late. */
function isStillShown(state: State, request: Request, deliveredLast: RequestId | undefined): boolean {
  // Missed requests have their own list.
  if (request.state.state === 'open' || isMissed(request)) return false;
  if (state.submits[request.id]?.phase === 'failed') return true;
  const how = request.state.delivery?.delivery;
  return how === 'pending' || how === 'failed' || request.id === deliveredLast;
}

/** The panel's cards, oldest first, so that new cards never move the one being read. */
export function panelItems(state: State, session: SessionId): PanelItem[] {
  const items: PanelItem[] = [];
  // One confirmation is enough: several would push down the question being read.
  const deliveredLast = state.delivered.findLast((id) => state.requests.byId[id]?.session === session);
  for (const request of ofSession(state.requests, session)) {
    if (!isStillShown(state, request, deliveredLast)) continue;
    items.push({ kind: 'sent', id: request.id, at: request.askedAt, request });
  }
  for (const approval of openApprovals(state, session)) {
    items.push({ kind: 'approval', id: approval.id, at: approval.askedAt, approval });
  }
  const shown = shownRequest(state, session);
  if (shown) items.push({ kind: 'question', id: shown.id, at: shown.askedAt, request: shown });
  // What was sent goes away by itself: below what waits, it moves nothing then.
  const late = ({ kind }: PanelItem) => Number(kind === 'sent');
  return items.sort((a, b) => late(a) - late(b) || a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** The missed requests of a session, oldest first. */
export function missedOf(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isMissed);
}

/** The saved answers of a session that wait for its agent, oldest first. */
export function savedOf(state: Pick<State, 'requests'>, session: SessionId): Request[] {
  return ofSession(state.requests, session).filter(isSaved);
}
