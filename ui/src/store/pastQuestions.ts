import type { QuestionsFound, QuestionsWanted, SessionId } from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { History, PastQuestions, QuestionsFilter, State } from './state';

/** Actions in the list of past questions. */
export type PastQuestionsAction =
  | { type: 'history_part_shown'; part: History['part'] }
  | { type: 'questions_filtered'; change: Partial<QuestionsFilter> }
  | { type: 'questions_found'; filter: QuestionsFilter; found: QuestionsFound; added: boolean }
  | { type: 'questions_failed'; filter: QuestionsFilter; error: AppError }
  | { type: 'questions_saved'; path: string | null };

export function reducePastQuestions(state: State, action: PastQuestionsAction): State {
  const { history } = state;
  const { questions } = history;
  const next = (changes: Partial<PastQuestions>): State => ({
    ...state,
    history: { ...history, questions: { ...questions, ...changes } },
  });
  switch (action.type) {
    case 'history_part_shown':
      return { ...state, history: { ...history, part: action.part } };
    case 'questions_filtered':
      return next({ filter: { ...questions.filter, ...action.change }, error: null, saved: null });
    case 'questions_found': {
      // The filter has changed since; its own result is on the way.
      if (!same(action.filter, questions.filter)) return state;
      const before = action.added ? (questions.found?.questions ?? []) : [];
      return next({ found: { ...action.found, questions: add(before, action.found) }, error: null });
    }
    case 'questions_failed':
      return same(action.filter, questions.filter) ? next({ error: action.error }) : state;
    case 'questions_saved':
      return next({ saved: action.path, error: null });
  }
}

/** Converts the filter into the app's format. */
export function searchOf({ query, session, outcome }: QuestionsFilter): QuestionsWanted {
  return { query, session, outcomes: outcome === null ? [] : [outcome] };
}

/** Removes the questions of a deleted session. */
export function withoutSession(questions: PastQuestions, id: SessionId): PastQuestions {
  const { filter, found } = questions;
  const left = found && {
    ...found,
    questions: found.questions.filter(({ request }) => request.session !== id),
  };
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
