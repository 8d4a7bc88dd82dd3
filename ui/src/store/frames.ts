import type {
  Change,
  Delta,
  Entry,
  Frame,
  LiveText,
  Request,
  Session,
  Snapshot,
} from '../generated/wire';
import { forgetSession } from './history';
import { keepEdits } from './queue';
import { emptyTranscript, type State, type Transcript } from './state';

/** Folds frames into the state; every change carries a whole value, so folding one twice changes nothing. */
export function receiveFrames(state: State, frames: readonly Frame[]): State {
  const known = state.requests;
  const wasLive = state.link.generation > 0;
  const next = frames.reduce(
    (folded, frame) =>
      frame.frame === 'snapshot' ? takeSnapshot(folded, frame) : takeDelta(folded, frame),
    state,
  );
  return wasLive && next.requests !== known ? announceNew(next, known) : next;
}

function announceNew(state: State, known: State['requests']): State {
  const fresh = Object.values(state.requests).filter(
    (request) => request.state.state === 'open' && !(request.id in known),
  );
  if (fresh.length === 0) return state;
  const announced = {
    serial: state.announced.serial + 1,
    requests: fresh.map((request) => request.id),
  };
  return { ...state, announced };
}

function takeSnapshot(state: State, snapshot: Snapshot): State {
  const transcripts = Object.fromEntries(
    Object.entries(state.transcripts).map(([id, transcript]): [string, Transcript] => [
      id,
      { ...transcript, streamed: new Set(), status: 'unread' },
    ]),
  );
  const requests = byId(snapshot.requests);
  const approvals = byId(snapshot.approvals);
  const next: State = {
    ...state,
    link: {
      status: 'live',
      epoch: snapshot.epoch,
      seq: snapshot.seq,
      generation: state.link.generation + 1,
    },
    sessions: snapshot.sessions,
    requests,
    approvals,
    archive: {
      requests: { ...state.archive.requests, ...without(state.requests, requests) },
      approvals: { ...state.archive.approvals, ...without(state.approvals, approvals) },
    },
    live: snapshot.live.reduce(addLiveText, {} as State['live']),
    transcripts,
    storage: snapshot.storage,
    delivered: state.delivered.filter((id) => id in requests),
  };
  return selectFirst(next);
}

/** Selects a session only where none is: nothing that arrives ever takes the person elsewhere. */
function selectFirst(state: State): State {
  const has = (id: string | null) => state.sessions.some((session) => session.id === id);
  if (has(state.selected)) return state;
  if (has(state.remembered)) return { ...state, selected: state.remembered, remembered: null };
  const running = state.sessions.find((session) => session.state.state !== 'ended');
  const first = running ?? state.sessions.at(-1);
  return { ...state, selected: first?.id ?? null };
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
    case 'session_closed':
      return removeSession(state, change.session);
    case 'request':
      return putRequest(state, change.request);
    case 'approval': {
      const { approval } = change;
      return { ...state, approvals: { ...state.approvals, [approval.id]: approval } };
    }
    case 'entry':
      return putEntry(state, change.session, change.entry);
    case 'live_text':
      return { ...state, live: addLiveText(state.live, change.added) };
    case 'live_cleared': {
      const { [change.session]: _, ...live } = state.live;
      return { ...state, live };
    }
    case 'session_deleted':
      return selectFirst(forgetSession(state, change.session));
  }
}

/** Puts a session in its place; the first one that comes is selected. */
export function putSession(state: State, session: Session): State {
  const index = state.sessions.findIndex((other) => other.id === session.id);
  if (index >= 0) {
    const kept = keepEdits(state, state.sessions[index], session);
    return { ...kept, sessions: state.sessions.with(index, session) };
  }
  return selectFirst({ ...state, sessions: [...state.sessions, session] });
}

/** Takes a session away; where it was shown, another one is. */
function removeSession(state: State, id: string): State {
  const isElsewhere = (value: { session: string }) => value.session !== id;
  const requests = Object.values(state.requests).filter(isElsewhere);
  const approvals = Object.values(state.approvals).filter(isElsewhere);
  const { [id]: _, ...live } = state.live;
  const sessions = state.sessions.filter((session) => session.id !== id);
  return selectFirst({
    ...state,
    sessions,
    requests: byId(requests),
    approvals: byId(approvals),
    live,
  });
}

/** Puts a request in its place, and remembers for a moment that its end was just delivered. */
export function putRequest(state: State, request: Request): State {
  const before = state.requests[request.id];
  const requests = { ...state.requests, [request.id]: request };
  const arrived = before && !isDelivered(before) && isDelivered(request);
  const delivered = arrived ? [...state.delivered, request.id] : state.delivered;
  return { ...state, requests, delivered };
}

function isDelivered(request: Request): boolean {
  return request.state.state === 'ended' && request.state.delivery?.delivery === 'delivered';
}

function putEntry(state: State, session: string, entry: Entry): State {
  const transcript = state.transcripts[session] ?? emptyTranscript;
  const changed: Transcript = {
    ...transcript,
    entries: upsertEntry(transcript.entries, entry),
    streamed: new Set(transcript.streamed).add(entry.n),
  };
  return { ...state, transcripts: { ...state.transcripts, [session]: changed } };
}

function upsertEntry(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const last = entries.at(-1);
  if (!last || last.n < entry.n) return [...entries, entry];
  const index = entries.findIndex((other) => other.n >= entry.n);
  return entries[index]?.n === entry.n
    ? entries.with(index, entry)
    : entries.toSpliced(index, 0, entry);
}

/** Adds text to what an agent is writing; text of one kind flows together. */
function addLiveText(live: State['live'], added: LiveText): State['live'] {
  const before = live[added.session] ?? [];
  const last = before.at(-1);
  const after =
    last?.kind === added.kind
      ? before.with(-1, { ...last, text: last.text + added.text })
      : [...before, added];
  return { ...live, [added.session]: after };
}

function byId<T extends { id: string }>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value) => [value.id, value]));
}

function without<T>(from: Readonly<Record<string, T>>, taken: Readonly<Record<string, T>>) {
  return Object.fromEntries(Object.entries(from).filter(([id]) => !(id in taken)));
}
