import {
  answerOf,
  type Draft,
  emptyDraft,
  hasWords,
  isBegun,
  takesOne,
  toInputs,
  withAnswer,
} from '../entities/request/answerDraft';
import type { Request, RequestId, UndoableAnswer } from '../generated/wire';
import type { State } from './state';

/** The held answer of a request; null if there is none. */
export function undoableAnswerOf(state: State, request: RequestId): UndoableAnswer | null {
  return state.undoable[request] ?? null;
}

/** Whether a single key may answer a request: one single-choice question, and no typed text to leave out. */
export function isQuick(state: State, request: Request): boolean {
  const [question, ...more] = request.questions;
  if (!question || more.length > 0 || !takesOne(question)) return false;
  const on = state.settings?.settings.quickAnswer !== 'off';
  const draft = state.drafts[request.id] ?? emptyDraft;
  return on && request.state.state === 'open' && !draft.declining && !hasWords(draft);
}

/** Holds an answer, and shows it as the selected option, wherever it was chosen. */
export function putUndoable(state: State, held: UndoableAnswer): State {
  const request = state.requests.byId[held.request];
  const kept = { ...state, undoable: { ...state.undoable, [held.request]: held } };
  const draft = state.drafts[held.request] ?? emptyDraft;
  if (!request || isBegun(draft)) return kept;
  return { ...kept, drafts: { ...kept.drafts, [request.id]: withUndoable(held, request, draft) } };
}

/** Removes a held answer. If its request is still open, the answer was undone, so its option is cleared. */
export function dropUndoable(state: State, id: RequestId): State {
  const { [id]: held, ...rest } = state.undoable;
  if (!held) return state;
  const next = { ...state, undoable: rest };
  const [request, draft] = [state.requests.byId[id], state.drafts[id]];
  if (!request || !draft || request.state.state !== 'open') return next;
  // If the user has chosen something else since, that choice stays.
  if (!isSameAnswer(held, request, draft)) return next;
  const unmade = request.questions.reduce(
    (before, question) => withAnswer(before, question, { ...answerOf(before, question), chosen: [] }),
    draft,
  );
  return { ...next, drafts: { ...next.drafts, [id]: unmade } };
}

/** Requests whose held answer no longer matches the visible choice, so it must not be sent. */
export function outdatedAnswers(state: State): Request[] {
  return Object.values(state.undoable).flatMap((held) => {
    const request = state.requests.byId[held.request];
    const draft = state.drafts[held.request];
    const said = draft && !draft.declining && request && isSameAnswer(held, request, draft);
    return !request || !draft || said ? [] : [request];
  });
}

function isSameAnswer(held: UndoableAnswer, request: Request, draft: Draft): boolean {
  const told = (answers: UndoableAnswer['answers']) =>
    answers.map(({ question, chosen, other, note }) => [question, chosen, other, note]);
  return JSON.stringify(told(toInputs(request, draft))) === JSON.stringify(told(held.answers));
}

function withUndoable(held: UndoableAnswer, request: Request, draft: Draft): Draft {
  return held.answers.reduce((kept, { question: id, chosen, note }) => {
    const question = request.questions.find((one) => one.id === id);
    if (!question) return kept;
    return withAnswer(kept, question, { ...answerOf(kept, question), chosen, otherChosen: false, note: note ?? '' });
  }, draft);
}
