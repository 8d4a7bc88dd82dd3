import type { QuestionsFound, QuestionsWanted, SessionId } from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { Handlers } from './handlers';
import type { CountedDays, History, PastQuestions, QuestionsFilter, Span } from './parts/history';
import type { State } from './state';

/** Actions in the list of past questions. */
export type PastQuestionsAction =
  | { type: 'history_part_shown'; part: History['part'] }
  | { type: 'questions_filtered'; change: Partial<QuestionsFilter> }
  | { type: 'questions_wanted' }
  | { type: 'questions_found'; filter: QuestionsFilter; found: QuestionsFound; added: boolean }
  | { type: 'span_chosen'; span: Span }
  | { type: 'questions_counted'; filter: QuestionsFilter; span: Span; totals: CountedDays }
  | { type: 'questions_failed'; filter: QuestionsFilter; error: AppError }
  | { type: 'questions_saved'; path: string | null };

export const pastQuestionsHandlers: Handlers<PastQuestionsAction> = {
  history_part_shown: (state, { part }) => ({ ...state, history: { ...state.history, part } }),
  questions_filtered(state, { change }) {
    const filter = { ...state.history.questions.filter, ...change };
    return withQuestions(state, { filter, error: null, saved: null });
  },
  questions_wanted: (state) => withQuestions(state, { error: null }),
  questions_found(state, { filter, found, added }) {
    const { questions } = state.history;
    // The filter has changed since; its own result is on the way.
    if (!same(filter, questions.filter)) return state;
    const before = added ? (questions.found?.questions ?? []) : [];
    // An error can be the one of the totals, which are counted at the same time.
    return withQuestions(state, { found: { ...found, questions: add(before, found) } });
  },
  span_chosen: (state, { span }) => withQuestions(state, { span, error: null }),
  questions_counted(state, { filter, span, totals }) {
    const { questions } = state.history;
    return same(filter, questions.filter) && span === questions.span ? withQuestions(state, { totals }) : state;
  },
  questions_failed(state, { filter, error }) {
    return same(filter, state.history.questions.filter) ? withQuestions(state, { error }) : state;
  },
  questions_saved: (state, { path }) => withQuestions(state, { saved: path, error: null }),
};

function withQuestions(state: State, changes: Partial<PastQuestions>): State {
  const { history } = state;
  return { ...state, history: { ...history, questions: { ...history.questions, ...changes } } };
}

/** Converts the filter into the app's format. */
export function searchOf({ query, session, outcome }: QuestionsFilter): QuestionsWanted {
  return { query, session, outcomes: outcome === null ? [] : [outcome] };
}

/** Removes the questions of a deleted session. */
export function withoutSession(questions: PastQuestions, id: SessionId): PastQuestions {
  const { filter, found } = questions;
  const left = found && { ...found, questions: found.questions.filter(({ request }) => request.session !== id) };
  return { ...questions, found: left, filter: filter.session === id ? { ...filter, session: null } : filter };
}

function same(a: QuestionsFilter, b: QuestionsFilter): boolean {
  return a.query === b.query && a.session === b.session && a.outcome === b.outcome;
}

/** Questions that ended between two pages shift the rest, so the next page can repeat some. */
function add(before: QuestionsFound['questions'], { questions }: QuestionsFound): QuestionsFound['questions'] {
  const known = new Set(before.map(({ request }) => request.id));
  return [...before, ...questions.filter(({ request }) => !known.has(request.id))];
}
