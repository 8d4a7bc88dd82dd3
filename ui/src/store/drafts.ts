import { answerOf, chooseOption, chooseOther, type Draft, withAnswer, writeOther } from '../entities/request/answerDraft';
import type { OptionId, Question, QuestionId, Request, RequestId } from '../generated/wire';
import type { Handlers } from './handlers';
import { draftOf } from './select';
import type { State } from './state';

/** Changes to the unsent answer of a request. */
export type DraftAction = OfRequest &
  (
    | {
        type: 'option_chosen';
        question: QuestionId;
        option: OptionId;
        on: boolean;
        /** Whether the choice may advance to the next question: false while moving with arrow keys. */
        goOn: boolean;
      }
    | { type: 'other_chosen'; question: QuestionId; on: boolean }
    | { type: 'other_written'; question: QuestionId; text: string }
    | { type: 'note_opened'; question: QuestionId }
    | { type: 'note_written'; question: QuestionId; text: string }
    | { type: 'question_shown'; index: number }
    | { type: 'unanswered_named' }
    | { type: 'declining'; open: boolean }
    | { type: 'words_written'; text: string }
    | { type: 'dismissing'; open: boolean }
  );

interface OfRequest {
  request: RequestId;
}

export const draftHandlers: Handlers<DraftAction> = {
  question_shown: inDraft((draft, { index }, { questions }) => {
    return { ...draft, active: Math.min(Math.max(index, 0), questions.length), warned: false };
  }),
  unanswered_named: inDraft((draft) => ({ ...draft, warned: true })),
  declining: inDraft((draft, { open }) => ({ ...draft, declining: open })),
  words_written: inDraft((draft, { text }) => ({ ...draft, words: text })),
  dismissing: inDraft((draft, { open }) => ({ ...draft, dismissing: open })),
  option_chosen: inQuestion((draft, action, question, request) => chooseOption(request, draft, question, action)),
  other_chosen: inQuestion((draft, { on }, question) => chooseOther(draft, question, on)),
  other_written: inQuestion((draft, { text }, question) => writeOther(draft, question, text)),
  note_opened: inQuestion((draft, _, question) => {
    return withAnswer(draft, question, { ...answerOf(draft, question), noteOpen: true });
  }),
  note_written: inQuestion((draft, { text }, question) => {
    return withAnswer(draft, question, { ...answerOf(draft, question), note: text });
  }),
};

function inDraft<A extends OfRequest>(next: (draft: Draft, action: A, request: Request) => Draft) {
  return (state: State, action: A): State => {
    const request = state.requests.byId[action.request];
    if (!request) return state;
    const draft = draftOf(state, request.id);
    const changed = next(draft, action, request);
    return changed === draft ? state : { ...state, drafts: { ...state.drafts, [request.id]: changed } };
  };
}

function inQuestion<A extends OfRequest & { question: QuestionId }>(
  next: (draft: Draft, action: A, question: Question, request: Request) => Draft,
) {
  return inDraft<A>((draft, action, request) => {
    const question = request.questions.find(({ id }) => id === action.question);
    return question ? next(draft, action, question, request) : draft;
  });
}
