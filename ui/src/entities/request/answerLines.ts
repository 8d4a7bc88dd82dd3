import type { Answer, Question, Request } from '../../generated/wire';
import { t } from '../../shared/messages';
import { cutText } from '../../shared/text';
import { answerOf, type Draft, isAnswered, wordsOf } from './answerDraft';
import { labelIn, nameIn } from './questionNames';

/** Letters of a label that are read back; the whole one stands with the question. */
const LABEL_SHOWN = 600;

/** One question's answer as the person reads it back. */
export interface AnswerLine {
  question: Question;
  name: string;
  /** The chosen labels and own words, each whole; none means not answered. */
  parts: string[];
  note: string | null;
}

/** The answers of an ended request, unanswered questions included. */
export function linesOfAnswers(request: Request, answers: readonly Answer[]): AnswerLine[] {
  return request.questions.map((question) => {
    const answer = answers.find((given) => given.question === question.id);
    const own = answer?.secretGiven ? t('secret.given') : (answer?.other ?? null);
    return lineOf(request, question, answer?.chosen ?? [], own, answer?.note ?? null);
  });
}

/** The answers of a draft as they would be sent. */
export function linesOfDraft(request: Request, draft: Draft): AnswerLine[] {
  return request.questions.map((question) => {
    const answer = answerOf(draft, question);
    if (!isAnswered(question, answer)) return lineOf(request, question, [], null, null);
    const words = wordsOf(question, answer);
    const own = words !== null && question.kind === 'secret' ? t('secret.given') : words;
    return lineOf(request, question, answer.chosen, own, answer.note.trim() === '' ? null : answer.note);
  });
}

/** All that was begun, as plain text: also words that no choice sends. */
export function textOfDraft(request: Request, draft: Draft): string {
  const begun = request.questions.flatMap((question) => {
    const answer = answerOf(draft, question);
    const { parts } = lineOf(request, question, answer.chosen, null, null);
    const note = answer.note.trim() === '' ? '' : t('answer.note', { note: answer.note });
    const own = question.kind === 'secret' ? '' : answer.other;
    const lines = [...parts, own, note].filter((text) => text.trim() !== '');
    return lines.length > 0 ? [[question.text, ...lines].join('\n')] : [];
  });
  return [...begun, draft.words].filter((text) => text.trim() !== '').join('\n\n');
}

function lineOf(
  request: Request,
  question: Question,
  chosen: readonly string[],
  own: string | null,
  note: string | null,
): AnswerLine {
  const labels = question.options
    .filter((option) => chosen.includes(option.id))
    .map((option) => cutText(labelIn(question, option), LABEL_SHOWN));
  const parts = own === null ? labels : [...labels, own];
  return { question, name: nameIn(request, question), parts, note };
}
