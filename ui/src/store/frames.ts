import { isBegun, withoutSecrets } from '../entities/request/answerDraft';
import { isMissed } from '../entities/request/requestStatus';
import { totalOf } from '../entities/session/sessionWords';
import type { Change, Delta, Entry, Frame, LiveText, Request, Retry, Session, Snapshot } from '../generated/wire';
import { noteEntry, noteTurn } from './activity';
import { forgetSession } from './history';
import { closeOverlay, replaceSession } from './navigation';
import type { News } from './parts/noticed';
import type { Transcript } from './parts/transcripts';
import type { Submit } from './parts/unsent';
import { rescueQueueEdits } from './queueEdits';
import { filterValues, withoutKey } from './records';
import { selectedSession, sessionOf, shownSession, transcriptOf, waitingOf } from './select';
import { allIn, indexed, withoutSession, withValue } from './sessionIndex';
import { listedSessions } from './sidebar';
import type { State } from './state';
import { addEntry } from './transcriptWindow';
import { dropUndoable, putUndoable } from './undoWindow';
import { forgetUsage, noteTurnEnd, putContext, takeContexts } from './usage';
import { putHead } from './worktrees';

/** How many entries of a transcript to keep while another session is in view. */
const KEPT_OUT_OF_VIEW = 1_000;

/** Folds frames into the state. Every change carries a whole value, so folding it twice has no effect. */
export function receiveFrames(state: State, frames: readonly Frame[]): State {
  const wasLive = state.link.generation > 0;
  const next = frames.reduce(
    (folded, frame) => (frame.frame === 'snapshot' ? takeSnapshot(folded, frame) : takeDelta(folded, frame)),
    state,
  );
  const noted = next.requests === state.requests ? next : noteMissed(next, state.requests);
  const cleared = dropOldErrors(state, noted);
  return wasLive ? announce(cleared, newsSince(state, cleared)) : cleared;
}

/**
 * Removes the errors of earlier attempts whose cause is over: something else has ended the request or approval, the session runs
 * again, or the disk accepts changes again. That a decision was too late stays.
 */
function dropOldErrors(before: State, now: State): State {
  const failed = Object.entries(now.submits).filter(([, { phase, error }]) => phase === 'failed' && error?.code !== 'already_ended');
  const wasOpen = (id: string) => (before.requests.byId[id] ?? before.approvals.byId[id])?.state.state === 'open';
  const isOver = (id: string) => {
    const item = now.requests.byId[id] ?? now.approvals.byId[id];
    return item !== undefined && item.state.state !== 'open';
  };
  const runsAgain = (key: string) =>
    now.sessions.some(({ id, state }) => key.split(':').includes(id) && state.state !== 'ended' && hasEnded(before, id));
  const isStoredAgain = before.outage !== null && now.outage === null;
  const isOld = ([key, { error }]: [string, Submit]) =>
    (wasOpen(key) && isOver(key)) ||
    (error?.code === 'session_gone' && runsAgain(key)) ||
    ((error?.code === 'storage_busy' || error?.code === 'storage_full') && isStoredAgain);
  return failed.filter(isOld).reduce((state, [key]) => ({ ...state, submits: withoutKey(state.submits, key) }), now);
}

function hasEnded({ sessions }: State, session: string): boolean {
  return sessions.find(({ id }) => id === session)?.state.state === 'ended';
}

/** Keeps a draft visible when its question becomes missed. */
function noteMissed(state: State, known: State['requests']): State {
  return Object.entries(state.drafts).reduce((noted, [id, draft]) => {
    const [before, now] = [known.byId[id], state.requests.byId[id]];
    if (!now || !isMissed(now) || !before || isMissed(before)) return noted;
    const kept = withoutSecrets(now, draft);
    const missedOpen = { ...noted.missedOpen, [id]: isBegun(kept) };
    return { ...noted, drafts: { ...noted.drafts, [id]: kept }, missedOpen };
  }, state);
}

function announce(state: State, news: readonly News[]): State {
  if (news.length === 0) return state;
  return { ...state, announced: { serial: state.announced.serial + 1, news } };
}

/** The questions, permission requests, finished turns and failures since an earlier state, without turns that the user stopped. */
function newsSince(before: State, now: State): News[] {
  const news: News[] = [];
  if (now.requests !== before.requests) {
    for (const { id, state } of allIn(now.requests)) {
      // A missed request that is asked again is announced again.
      if (state.state === 'open' && before.requests.byId[id]?.state.state !== 'open') news.push({ news: 'request', request: id });
    }
  }
  if (now.approvals !== before.approvals) {
    for (const { id, state } of allIn(now.approvals)) {
      if (state.state === 'open' && before.approvals.byId[id]?.state.state !== 'open') news.push({ news: 'approval', approval: id });
    }
  }
  if (now.sessions === before.sessions) return news;
  for (const session of now.sessions) {
    const known = sessionOf(before, session.id);
    if (session === known) continue;
    const was = known?.state.state;
    const { state } = session;
    const turn = now.finished[session.id];
    // A short turn begins and ends within the frames. Its last entry alone doesn't count: it can arrive after the turn was announced.
    const isShort = turn !== undefined && turn !== before.finished[session.id];
    // A turn isn't finished while a question or permission request is open; that is announced instead.
    const stopped = session.id in before.stopping;
    if (state.state === 'idle' && (was === 'working' || isShort) && !stopped && totalOf(waitingOf(now, session.id)) === 0) {
      news.push({ news: 'finished', session: session.id });
    } else if (state.state === 'ended' && state.end.end === 'failed' && was !== undefined && was !== 'ended') {
      news.push({ news: 'failed', session: session.id });
    }
  }
  return news;
}

function takeSnapshot(state: State, snapshot: Snapshot): State {
  const transcripts = Object.fromEntries(
    Object.entries(state.transcripts).map(([id, transcript]): [string, Transcript] => [
      id,
      { ...transcript, streamed: [], meanwhile: [], status: 'unread' },
    ]),
  );
  const requests = indexed(snapshot.requests);
  const approvals = indexed(snapshot.approvals);
  const noted = snapshot.sessions.reduce((folded, session) => noteTurn(folded, sessionOf(state, session.id), session), state);
  const next: State = {
    ...state,
    link: { status: 'live', epoch: snapshot.epoch, seq: snapshot.seq, generation: state.link.generation + 1 },
    sessions: snapshot.sessions,
    requests,
    approvals,
    archive: archiveGone(state, requests, approvals),
    live: snapshot.live.reduce(addLiveText, {} as State['live']),
    retries: Object.fromEntries(snapshot.retries.map(({ session, retry }) => [session, retry])),
    undoable: {},
    transcripts,
    unread: only(state.unread, snapshot.sessions),
    finished: only(noted.finished, snapshot.sessions),
    activity: only(state.activity, snapshot.sessions),
    lastAt: only(state.lastAt, snapshot.sessions),
    stopping: only(state.stopping, snapshot.sessions.filter(isWorking)),
    changedFiles: Object.fromEntries(snapshot.changedFiles.map(({ session, totals }) => [session, totals])),
    heads: Object.fromEntries(snapshot.heads.map(({ session, head }) => [session, head])),
    storage: snapshot.storage,
    outage: snapshot.outage ?? null,
    usage: { ...state.usage, contexts: takeContexts(snapshot.contexts) },
    agentsKnown: snapshot.agents,
    delivered: state.delivered.filter((id) => id in requests.byId),
  };
  return selectFirst(snapshot.held.reduce(putUndoable, next));
}

/** Selects a session only if none is selected: incoming frames never switch the user's session. */
function selectFirst(state: State): State {
  const has = (id: string | null) => state.sessions.some((session) => session.id === id);
  if (has(selectedSession(state))) return state;
  if (has(state.remembered)) return { ...replaceSession(state, state.remembered), remembered: null };
  const running = state.sessions.find((session) => session.state.state !== 'ended');
  const first = running ?? state.sessions.at(-1);
  return replaceSession(state, first?.id ?? null);
}

function takeDelta(state: State, delta: Delta): State {
  const { link } = state;
  if (link.status !== 'live') return state;
  if (delta.epoch === link.epoch && delta.seq <= link.seq) return state;
  if (delta.epoch !== link.epoch || delta.prev !== link.seq) {
    return { ...state, link: { ...link, status: 'stale' } };
  }
  const changed = delta.changes.reduce(applyChange, state);
  return { ...changed, link: { ...link, seq: delta.seq } };
}

function applyChange(state: State, change: Change): State {
  switch (change.change) {
    case 'session':
      return putSession(state, change.session);
    case 'request':
      return putRequest(state, change.request);
    case 'approval':
      return { ...state, approvals: withValue(state.approvals, change.approval) };
    case 'end_held':
      return putUndoable(state, change.held);
    case 'hold_released':
      return dropUndoable(state, change.request);
    case 'entry':
      return noteTurnEnd(
        noteEntry(noteUnread(putEntry(state, change.session, change.entry), change.session, change.entry), change.session, change.entry),
        change.session,
        change.entry,
      );
    case 'context':
      return putContext(state, change);
    case 'live_text':
      return { ...state, live: addLiveText(state.live, change.added) };
    case 'live_cleared':
      return { ...state, live: withoutKey(state.live, change.session) };
    case 'finished':
      // The page notes itself which turns ended out of view.
      return state;
    case 'retry':
      return { ...state, retries: withRetry(state.retries, change.session, change.retry) };
    case 'files_changed':
      return { ...state, changedFiles: { ...state.changedFiles, [change.session]: change.totals } };
    case 'checked_out':
      return putHead(state, change.session, change.head);
    case 'storage':
      return { ...state, storage: change.notices };
    case 'outage':
      return { ...state, outage: change.outage };
    case 'session_deleted':
      return selectFirst(forgetUsage(forgetSession(state, change.session), change.session));
    case 'session_closed':
      return forgetUsage(closeSession(state, change.session), change.session);
  }
}

/** Inserts or updates a session. The first one to arrive is selected. */
export function putSession(state: State, session: Session): State {
  const index = state.sessions.findIndex((other) => other.id === session.id);
  const before = state.sessions[index];
  if (before) {
    const kept = noteTurn(rescueQueueEdits(state, before, session), before, session);
    const stopping = isWorking(session) ? kept.stopping : withoutKey(kept.stopping, session.id);
    return { ...kept, stopping, sessions: state.sessions.with(index, session) };
  }
  return selectFirst({ ...state, sessions: [...state.sessions, session] });
}

function isWorking(session: Session): boolean {
  return session.state.state === 'working';
}

/** Removes a session; if it was in view, its neighbor is shown instead. */
function closeSession(state: State, closed: string): State {
  const order = listedSessions(state);
  const index = order.findIndex((session) => session.id === closed);
  if (index < 0) return state;
  const neighbor = order[index + 1] ?? order[index - 1];
  const requests = withoutSession(state.requests, closed);
  const approvals = withoutSession(state.approvals, closed);
  const sessions = state.sessions.filter((session) => session.id !== closed);
  const left = closeOverlay(state, (open) => open.overlay === 'log' && open.session === closed);
  return {
    ...(selectedSession(left) === closed ? replaceSession(left, neighbor?.id ?? null) : left),
    sessions,
    requests,
    approvals,
    archive: archiveGone(state, requests, approvals),
    transcripts: withoutKey(state.transcripts, closed),
    live: withoutKey(state.live, closed),
    retries: withoutKey(state.retries, closed),
    unread: only(state.unread, sessions),
    finished: only(state.finished, sessions),
    activity: only(state.activity, sessions),
    lastAt: only(state.lastAt, sessions),
    stopping: only(state.stopping, sessions),
  };
}

/** Marks a session as unread when something happens out of view, except for the user's own messages. */
function noteUnread(state: State, session: string, entry: Entry): State {
  if (entry.body.kind === 'user' || state.unread[session]) return state;
  if (session === shownSession(state)) return state;
  return { ...state, unread: { ...state.unread, [session]: true } };
}

/** Inserts or updates a request, and briefly remembers that its outcome was just delivered. */
export function putRequest(state: State, request: Request): State {
  const before = state.requests.byId[request.id];
  const requests = withValue(state.requests, request);
  const arrived = before && !isDelivered(before) && isDelivered(request);
  const delivered = arrived ? [...state.delivered, request.id] : state.delivered;
  return { ...state, requests, delivered };
}

function isDelivered(request: Request): boolean {
  return request.state.state === 'ended' && request.state.delivery?.delivery === 'delivered';
}

function putEntry(state: State, session: string, entry: Entry): State {
  const transcript = transcriptOf(state, session);
  if (shownSession(state) !== session && isReadAgain(transcript)) return forgetTranscript(state, session);
  return { ...state, transcripts: { ...state.transcripts, [session]: addEntry(transcript, entry) } };
}

/** A long transcript doesn't grow while out of view: it is loaded from disk when it is shown again. */
function isReadAgain({ status, entries, later }: Transcript): boolean {
  return status === 'unread' || later || (status === 'read' && entries.length > KEPT_OUT_OF_VIEW);
}

function forgetTranscript(state: State, session: string): State {
  if (!(session in state.transcripts)) return state;
  return { ...state, transcripts: withoutKey(state.transcripts, session) };
}

/** Adds streamed text of an agent; consecutive text of one kind is joined. */
function addLiveText(live: State['live'], added: LiveText): State['live'] {
  const before = live[added.session] ?? [];
  const last = before.at(-1);
  const after = last?.kind === added.kind ? before.with(-1, { ...last, text: last.text + added.text }) : [...before, added];
  return { ...live, [added.session]: after };
}

function withRetry(retries: State['retries'], session: string, retry: Retry | null): State['retries'] {
  return retry === null ? withoutKey(retries, session) : { ...retries, [session]: retry };
}

function only<T>(from: Readonly<Record<string, T>>, sessions: readonly Session[]): Record<string, T> {
  return filterValues(from, (_, id) => sessionOf({ sessions }, id) !== null);
}

/** Archives what the app no longer sends, because the transcript still refers to it. */
function archiveGone({ archive, ...state }: State, requests: State['requests'], approvals: State['approvals']): State['archive'] {
  const gone = <T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>) =>
    filterValues(before, (_, id) => !(id in after));
  return {
    requests: { ...archive.requests, ...gone(state.requests.byId, requests.byId) },
    approvals: { ...archive.approvals, ...gone(state.approvals.byId, approvals.byId) },
  };
}
