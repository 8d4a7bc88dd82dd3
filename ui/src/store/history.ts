import type { HistoryFound, SearchHit, Session, SessionId, TranscriptPage } from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { Handlers } from './handlers';
import { closeOverlay, forgetPlaces } from './navigation';
import type { Excerpt } from './parts/history';
import { withoutSession as withoutItsQuestions } from './pastQuestions';
import { filterValues, withoutKey } from './records';
import { withoutSession } from './sessionIndex';
import type { State } from './state';
import { mergeEntries } from './transcriptEntries';
import { archivePage } from './transcriptPages';

export type HistoryAction =
  | { type: 'history_written'; query: string }
  | { type: 'history_found'; query: string; found: HistoryFound; added: boolean }
  | { type: 'history_failed'; query: string; error: AppError }
  | { type: 'past_read'; sessions: readonly Session[] }
  | { type: 'excerpt_read'; session: SessionId; page: TranscriptPage; before: number | null }
  | { type: 'excerpt_failed'; session: SessionId; error: AppError }
  | { type: 'delete_asked'; open: boolean }
  | { type: 'export_done'; session: SessionId; path: string | null }
  | { type: 'export_failed'; session: SessionId; error: AppError };

export const historyHandlers: Handlers<HistoryAction> = {
  history_written(state, { query }) {
    const nothing = query.trim() === '';
    return withHistory(state, { query, error: null, ...(nothing && { hits: [], more: false, found: null }) });
  },
  history_found(state, { query, found: { hits, more }, added }) {
    const { history } = state;
    // The query has changed since; its own result is on the way.
    if (query !== history.query) return state;
    return withHistory(state, { hits: added ? add(history.hits, hits) : hits, more, found: query, error: null });
  },
  history_failed: (state, { query, error }) => (query === state.history.query ? withHistory(state, { error }) : state),
  past_read: (state, { sessions }) => withHistory(state, { past: sessions }),
  excerpt_read(state, { session, page, before }) {
    const { excerpt } = state.history;
    if (excerpt?.session.id !== session) return state;
    return archivePage(withHistory(state, { excerpt: grow(excerpt, page, before) }), page);
  },
  excerpt_failed: (state, { session, error }) => withExcerpt(state, session, { read: true, error }),
  delete_asked(state, { open }) {
    const { excerpt } = state.history;
    return excerpt ? withExcerpt(state, excerpt.session.id, { deleting: open }) : state;
  },
  export_done: (state, { session, path }) => withExcerpt(state, session, { saved: path, error: null }),
  export_failed: (state, { session, error }) => withExcerpt(state, session, { saved: null, error }),
};

function withHistory(state: State, changes: Partial<State['history']>): State {
  return { ...state, history: { ...state.history, ...changes } };
}

/** Changes the excerpt, unless another session's is open. */
function withExcerpt(state: State, session: SessionId, changes: Partial<Excerpt>): State {
  const { excerpt } = state.history;
  return excerpt?.session.id === session ? withHistory(state, { excerpt: { ...excerpt, ...changes } }) : state;
}

/** Merges a page with the loaded entries. If a page ends right before its bound, there may be more entries after it. */
function grow(excerpt: Excerpt, page: TranscriptPage, before: number | null): Excerpt {
  const entries = mergeEntries(page.entries, excerpt.entries);
  const first = page.entries[0]?.n === entries[0]?.n;
  const last = page.entries.at(-1)?.n === entries.at(-1)?.n;
  return {
    ...excerpt,
    entries,
    read: true,
    error: null,
    earlier: first ? page.more : excerpt.earlier,
    later: last ? before !== null && page.entries.at(-1)?.n === before - 1 : excerpt.later,
  };
}

function add(known: readonly SearchHit[], more: readonly SearchHit[]): readonly SearchHit[] {
  const has = (hit: SearchHit) => known.some((other) => other.session === hit.session && other.n === hit.n);
  return [...known, ...more.filter((hit) => !has(hit))];
}

/** Removes everything that belongs to a deleted session. */
export function forgetSession(state: State, id: SessionId): State {
  const drop = <T>(from: Readonly<Record<string, T>>) => withoutKey(from, id);
  const isElsewhere = (one: { session: SessionId }) => one.session !== id;
  const requests = withoutSession(state.requests, id);
  const archive = {
    requests: filterValues(state.archive.requests, isElsewhere),
    approvals: filterValues(state.archive.approvals, isElsewhere),
  };
  const gone = (request: string) => request in state.requests.byId && !(request in requests.byId);
  const queue = state.sessions.find((session) => session.id === id)?.queue ?? [];
  const waited = (message: string) => queue.some((other) => other.id === message);
  const { history } = state;
  const left = forgetPlaces(
    closeOverlay(state, (open) => open.overlay === 'log' && open.session === id),
    id,
  );
  return {
    ...left,
    sessions: state.sessions.filter((session) => session.id !== id),
    requests,
    approvals: withoutSession(state.approvals, id),
    archive,
    live: drop(state.live),
    retries: drop(state.retries),
    unread: drop(state.unread),
    finished: drop(state.finished),
    activity: drop(state.activity),
    lastAt: drop(state.lastAt),
    stopping: drop(state.stopping),
    unfolded: drop(state.unfolded),
    transcripts: drop(state.transcripts),
    messages: drop(state.messages),
    attached: drop(state.attached),
    refusals: drop(state.refusals),
    picked: drop(state.picked),
    drafts: filterValues(state.drafts, (_, request) => !gone(request)),
    missedOpen: filterValues(state.missedOpen, (_, request) => !gone(request)),
    queueEdits: filterValues(state.queueEdits, (_, message) => !waited(message)),
    delivered: state.delivered.filter((request) => !gone(request)),
    history: {
      ...history,
      hits: history.hits.filter((hit) => hit.session !== id),
      questions: withoutItsQuestions(history.questions, id),
      past: history.past?.filter((session) => session.id !== id) ?? null,
      excerpt: history.excerpt?.session.id === id ? null : history.excerpt,
    },
  };
}

/** Groups hits by session, ordered by each session's best hit. */
export function bySession(hits: readonly SearchHit[]): { session: SessionId; hits: SearchHit[] }[] {
  const groups = new Map<SessionId, SearchHit[]>();
  for (const hit of hits) groups.set(hit.session, [...(groups.get(hit.session) ?? []), hit]);
  return [...groups].map(([session, its]) => ({ session, hits: its }));
}
