import type { HistoryFound, SearchHit, Session, SessionId, TranscriptPage } from '../generated/wire';
import type { AppError } from '../platform/bridge';
import { closeOverlay, forgetPlaces } from './navigation';
import { withoutSession as withoutItsQuestions } from './pastQuestions';
import { filterValues, withoutKey } from './records';
import { withoutSession } from './sessionIndex';
import type { Excerpt, State } from './state';
import { archivePage, mergeEntries } from './transcriptPages';

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

export function reduceHistory(state: State, action: HistoryAction): State {
  const { history } = state;
  const next = (changes: Partial<State['history']>): State => ({
    ...state,
    history: { ...history, ...changes },
  });
  switch (action.type) {
    case 'history_written': {
      const nothing = action.query.trim() === '';
      const found = nothing ? { hits: [], more: false, found: null } : {};
      return next({ query: action.query, error: null, ...found });
    }
    case 'history_found': {
      // The query has changed since; its own result is on the way.
      if (action.query !== history.query) return state;
      const { hits, more } = action.found;
      return next({ hits: action.added ? add(history.hits, hits) : hits, more, found: action.query, error: null });
    }
    case 'history_failed':
      return action.query === history.query ? next({ error: action.error }) : state;
    case 'past_read':
      return next({ past: action.sessions });
    case 'excerpt_read': {
      const { excerpt } = history;
      if (excerpt?.session.id !== action.session) return state;
      return archivePage(next({ excerpt: grow(excerpt, action.page, action.before) }), action.page);
    }
    case 'excerpt_failed':
    case 'delete_asked':
    case 'export_done':
    case 'export_failed':
      return history.excerpt ? next({ excerpt: updateExcerpt(history.excerpt, action) }) : state;
  }
}

type ExcerptAction = Extract<
  HistoryAction,
  { type: 'excerpt_failed' | 'delete_asked' | 'export_done' | 'export_failed' }
>;

function updateExcerpt(excerpt: Excerpt, action: ExcerptAction): Excerpt {
  if (action.type === 'delete_asked') return { ...excerpt, deleting: action.open };
  if (action.session !== excerpt.session.id) return excerpt;
  switch (action.type) {
    case 'excerpt_failed':
      return { ...excerpt, read: true, error: action.error };
    case 'export_done':
      return { ...excerpt, saved: action.path, error: null };
    case 'export_failed':
      return { ...excerpt, saved: null, error: action.error };
  }
}

export const emptyExcerpt = {
  entries: [],
  read: false,
  earlier: false,
  later: false,
  error: null,
  saved: null,
  deleting: false,
} as const;

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
  const has = (hit: SearchHit) =>
    known.some((other) => other.session === hit.session && other.n === hit.n);
  return [...known, ...more.filter((hit) => !has(hit))];
}

/** A session that can be viewed: a listed one or a past one. */
export function anySession(state: State, id: SessionId): Session | null {
  const here = (session: Session) => session.id === id;
  return state.sessions.find(here) ?? state.history.past?.find(here) ?? null;
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
  const left = forgetPlaces(closeOverlay(state, (open) => open.overlay === 'log' && open.session === id), id);
  return {
    ...left,
    sessions: state.sessions.filter((session) => session.id !== id),
    requests,
    approvals: withoutSession(state.approvals, id),
    archive,
    live: drop(state.live),
    unread: drop(state.unread),
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
