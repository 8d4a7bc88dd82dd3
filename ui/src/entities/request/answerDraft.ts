import type { AnswerInput, OptionId, Question, QuestionId, Request } from '../../generated/wire';
import { allows } from '../../shared/answerBounds';

export interface DraftAnswer {
  chosen: readonly OptionId[];
  otherChosen: boolean;
  /** Kept even if another option is chosen, so that no text is lost. */
  other: string;
  note: string;
  noteOpen: boolean;
}

export interface Draft {
  /** The index of the visible question; the number of questions means the summary. */
  active: number;
  answers: Readonly<Record<QuestionId, DraftAnswer>>;
  /** Whether a submit was blocked to list the unanswered questions. */
  warned: boolean;
  declining: boolean;
  /** Whether to confirm before skipping or dismissing the request deletes the user's text. */
  dismissing: boolean;
  words: string;
}

export const emptyAnswer: DraftAnswer = { chosen: [], otherChosen: false, other: '', note: '', noteOpen: false };

export const emptyDraft: Draft = { active: 0, answers: {}, warned: false, declining: false, dismissing: false, words: '' };

export function takesOne(question: Question): boolean {
  return question.kind === 'single' || question.kind === 'confirm';
}

/** Whether a question has no options and takes free text only. */
export function takesWords(question: Question): boolean {
  return question.kind === 'text' || question.kind === 'secret';
}

/** The answer as the card shows it: until the user touches it, what the form is filled in with. */
export function answerOf(draft: Draft, question: Question): DraftAnswer {
  return draft.answers[question.id] ?? defaultOf(question);
}

/** The answer as the user gave it, without what the form is filled in with. */
export function ownAnswerOf(draft: Draft, question: Question): DraftAnswer {
  return draft.answers[question.id] ?? emptyAnswer;
}

function defaultOf({ default: filled }: Question): DraftAnswer {
  return filled ? { ...emptyAnswer, chosen: filled.chosen, other: filled.other ?? '' } : emptyAnswer;
}

/** Whether the text is still what the form was filled in with. */
export function isDefaultText({ default: filled }: Question, answer: DraftAnswer): boolean {
  return filled !== undefined && filled.other !== null && answer.other === filled.other;
}

/** Whether an answer is what the form demands; no answer is not checked. */
export function fits(question: Question, answer: DraftAnswer): boolean {
  if (!question.bounds || !isAnswered(question, answer)) return true;
  return allows(question.bounds, answer.chosen.length, wordsOf(question, answer));
}

/** The user's own answer as it would be sent; blank text counts as none. */
export function wordsOf(question: Question, answer: DraftAnswer): string | null {
  const counts = takesWords(question) || answer.otherChosen;
  return counts && answer.other.trim() !== '' ? answer.other : null;
}

export function isAnswered(question: Question, answer: DraftAnswer): boolean {
  return answer.chosen.length > 0 || wordsOf(question, answer) !== null;
}

export function unanswered(request: Request, draft: Draft): Question[] {
  return request.questions.filter((question) => !isAnswered(question, answerOf(draft, question)));
}

/** Questions whose note has no answer to go along with. */
export function strayNotes(request: Request, draft: Draft): Question[] {
  return unanswered(request, draft).filter((question) => answerOf(draft, question).note.trim() !== '');
}

/** Whether the draft holds anything: a choice or text. */
export function isBegun(draft: Draft): boolean {
  return hasWords(draft) || Object.values(draft.answers).some(({ chosen }) => chosen.length > 0);
}

/** Whether the user typed anything in any field. */
export function hasWords(draft: Draft): boolean {
  const written = Object.values(draft.answers).flatMap(({ other, note }) => [other, note]);
  return [draft.words, ...written].some((text) => text.trim() !== '');
}

/** Whether the draft answers a question that asks for a secret. */
export function hasSecret(request: Request, draft: Draft): boolean {
  return request.questions.some((question) => question.kind === 'secret' && answerOf(draft, question).other !== '');
}

/** Removes secrets: they are never stored, so they can't be sent late. */
export function withoutSecrets(request: Request, draft: Draft): Draft {
  const secrets = request.questions.filter(({ kind, id }) => kind === 'secret' && id in draft.answers);
  return secrets.reduce((kept, question) => withAnswer(kept, question, emptyAnswer), draft);
}

/** The answers to send, without unanswered questions. */
export function toInputs(request: Request, draft: Draft): AnswerInput[] {
  return request.questions.flatMap((question) => {
    const answer = answerOf(draft, question);
    if (!isAnswered(question, answer)) return [];
    const note = answer.note.trim() === '' ? null : answer.note;
    const other = wordsOf(question, answer);
    return [{ question: question.id, chosen: [...answer.chosen], other, note }];
  });
}

/** The next unanswered question after an index, wrapping around; the summary if there is none. None that is filled in is passed unseen. */
export function afterwards(request: Request, draft: Draft, from: number): number {
  const count = request.questions.length;
  for (let step = 1; step < count; step += 1) {
    const index = (from + step) % count;
    const question = request.questions[index];
    if (!question) continue;
    const seen = index > from ? ownAnswerOf(draft, question) : answerOf(draft, question);
    if (!isAnswered(question, seen)) return index;
  }
  return count;
}

/** Selects or clears an option. A new choice in a single-choice question moves on to the next unanswered question. */
export function chooseOption(
  request: Request,
  draft: Draft,
  question: Question,
  choice: { option: string; on: boolean; goOn: boolean },
): Draft {
  const answer = answerOf(draft, question);
  const rest = answer.chosen.filter((option) => option !== choice.option);
  const single = takesOne(question);
  const changed: DraftAnswer = single
    ? { ...answer, chosen: choice.on ? [choice.option] : [], otherChosen: false }
    : { ...answer, chosen: choice.on ? [...rest, choice.option] : rest };
  const next = withAnswer(draft, question, changed);
  const fresh = single && choice.on && choice.goOn && !isAnswered(question, ownAnswerOf(draft, question));
  if (!fresh || request.questions.length < 2) return next;
  const from = request.questions.findIndex((other) => other.id === question.id);
  return { ...next, active: afterwards(request, next, from) };
}

/** Selects or clears the Other row; its text is kept either way. */
export function chooseOther(draft: Draft, question: Question, on: boolean): Draft {
  const answer = answerOf(draft, question);
  const chosen = on && takesOne(question) ? [] : answer.chosen;
  return withAnswer(draft, question, { ...answer, chosen, otherChosen: on });
}

export function writeOther(draft: Draft, question: Question, text: string): Draft {
  const chosen = text === '' || takesWords(question) ? draft : chooseOther(draft, question, true);
  return withAnswer(chosen, question, { ...answerOf(chosen, question), other: text });
}

export function withAnswer(draft: Draft, question: Question, answer: DraftAnswer): Draft {
  return { ...draft, warned: false, answers: { ...draft.answers, [question.id]: answer } };
}
