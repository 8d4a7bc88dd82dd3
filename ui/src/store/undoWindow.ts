import { answerOf, type Draft, hasWords, isBegun, takesOne, toInputs, withAnswer } from '../entities/request/answerDraft';
import type { AnswerInput, EndInput, HeldEnd, Request, RequestId } from '../generated/wire';
import { withoutKey } from './records';
import { draftOf } from './select';
import type { State } from './state';

/** The end of a request that can still be undone; null if there is none. */
export function undoableOf(state: State, request: RequestId): HeldEnd | null {
  return state.undoable[request] ?? null;
}

/** Whether a single key may answer a request: one single-choice question, and no typed text to leave out. */
export function isQuick(state: State, request: Request): boolean {
  const [question, ...more] = request.questions;
  if (!question || more.length > 0 || !takesOne(question)) return false;
  const on = state.settings?.settings.quickAnswer !== 'off';
  const draft = draftOf(state, request.id);
  return on && request.state.state === 'open' && !draft.declining && !hasWords(draft);
}

/** Adds an undoable end. An answer is shown as the selected option, wherever it was chosen. */
export function putUndoable(state: State, held: HeldEnd): State {
  const request = state.requests.byId[held.request];
  const next = { ...state, undoable: { ...state.undoable, [held.request]: held } };
  const draft = draftOf(state, held.request);
  if (!request || held.end.end !== 'answered' || isBegun(draft)) return next;
  return { ...next, drafts: { ...next.drafts, [request.id]: withChosen(held.end.answers, request, draft) } };
}

/** Removes an undoable end. If its request is still open, it was undone, so the option of an answer is cleared. */
export function dropUndoable(state: State, id: RequestId): State {
  const held = state.undoable[id];
  if (!held) return state;
  const next = { ...state, undoable: withoutKey(state.undoable, id) };
  const [request, draft] = [state.requests.byId[id], state.drafts[id]];
  if (!request || !draft || request.state.state !== 'open') return next;
  // If the user has chosen something else since, that choice stays.
  if (held.end.end !== 'answered' || !isSameAnswer(held.end.answers, request, draft)) return next;
  const cleared = request.questions.reduce(
    (before, question) => withAnswer(before, question, { ...answerOf(before, question), chosen: [] }),
    draft,
  );
  return { ...next, drafts: { ...next.drafts, [id]: cleared } };
}

/** Requests whose undoable answer or message no longer matches what is visible, so it must not be sent. */
export function outdatedEnds(state: State): Request[] {
  return Object.values(state.undoable).flatMap((held) => {
    const request = state.requests.byId[held.request];
    const draft = state.drafts[held.request];
    if (!request || !draft) return [];
    return fits(held.end, request, draft) ? [] : [request];
  });
}

/** Requests with a held skip whose answer the user has changed instead. */
export function answeredInstead(before: State, after: State): Request[] {
  if (before.drafts === after.drafts) return [];
  return Object.values(after.undoable).flatMap(({ request: id, end }) => {
    const request = after.requests.byId[id];
    if (!request || end.end !== 'canceled') return [];
    const [was, is] = [before, after].map((state) => serialized(toInputs(request, draftOf(state, id))));
    return was === is ? [] : [request];
  });
}

function fits(end: EndInput, request: Request, draft: Draft): boolean {
  switch (end.end) {
    case 'answered':
      return !draft.declining && isSameAnswer(end.answers, request, draft);
    case 'declined':
      return draft.declining && draft.words.trim() === (end.words ?? '').trim();
    case 'canceled':
      return true;
  }
}

function isSameAnswer(answers: readonly AnswerInput[], request: Request, draft: Draft): boolean {
  return serialized(toInputs(request, draft)) === serialized(answers);
}

function serialized(inputs: readonly AnswerInput[]): string {
  return JSON.stringify(inputs.map(({ question, chosen, other, note }) => [question, chosen, other, note]));
}

function withChosen(answers: readonly AnswerInput[], request: Request, draft: Draft): Draft {
  return answers.reduce((kept, { question: id, chosen, note }) => {
    const question = request.questions.find((one) => one.id === id);
    if (!question) return kept;
    return withAnswer(kept, question, { ...answerOf(kept, question), chosen, otherChosen: false, note: note ?? '' });
  }, draft);
}
