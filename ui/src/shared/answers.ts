import type { Answer, Question, Request } from '../generated/wire';
import { answerOf, isAnswered, wordsOf } from '../store/drafts';
import type { Draft } from '../store/state';
import { t } from './messages';
import { shownLabel } from './text';

/** One question's answer as the person reads it back. */
export interface AnswerLine {
  question: Question;
  name: string;
  /** The chosen labels and own words, each whole; none means not answered. */
  parts: string[];
  note: string | null;
}

/** What a question is called where its whole text does not fit. */
export function nameOf(question: Question): string {
  return question.header?.trim() || question.text;
}

/** What a question is called on a pill. */
export function pillName(question: Question, index: number): string {
  return question.header?.trim() || t('question.numbered', { n: index + 1 });
}

/** The answers of an ended request, unanswered questions included. */
export function linesOfAnswers(request: Request, answers: readonly Answer[]): AnswerLine[] {
  return request.questions.map((question) => {
    const answer = answers.find((given) => given.question === question.id);
    const own = answer?.secretGiven ? t('secret.given') : (answer?.other ?? null);
    return lineOf(question, answer?.chosen ?? [], own, answer?.note ?? null);
  });
}

/** The answers of a draft as they would be sent. */
export function linesOfDraft(request: Request, draft: Draft): AnswerLine[] {
  return request.questions.map((question) => {
    const answer = answerOf(draft, question);
    if (!isAnswered(question, answer)) return lineOf(question, [], null, null);
    const words = wordsOf(question, answer);
    const own = words !== null && question.kind === 'secret' ? t('secret.given') : words;
    return lineOf(question, answer.chosen, own, answer.note.trim() === '' ? null : answer.note);
  });
}

/** All that was begun, as plain text: also words that no choice sends. */
export function textOfDraft(request: Request, draft: Draft): string {
  const begun = request.questions.flatMap((question) => {
    const answer = answerOf(draft, question);
    const { parts } = lineOf(question, answer.chosen, null, null);
    const note = answer.note.trim() === '' ? '' : t('answer.note', { note: answer.note });
    const lines = [...parts, answer.other, note].filter((text) => text.trim() !== '');
    return lines.length > 0 ? [[question.text, ...lines].join('\n')] : [];
  });
  return [...begun, draft.words].filter((text) => text.trim() !== '').join('\n\n');
}

function lineOf(
  question: Question,
  chosen: readonly string[],
  own: string | null,
  note: string | null,
): AnswerLine {
  const labels = question.options
    .filter((option) => chosen.includes(option.id))
    .map((option) => shownLabel(option));
  const parts = own === null ? labels : [...labels, own];
  return { question, name: nameOf(question), parts, note };
}
