import type { Answer, Question, Request } from '../../generated/wire';
import { t } from '../../shared/messages';
import { list } from '../../shared/messages/formats';
import { cutText } from '../../shared/text';
import { answerOf, type Draft, isAnswered, ownAnswerOf, wordsOf } from './answerDraft';
import { labelIn, nameBefore, nameIn } from './questionNames';

/** The maximum length of a label that is read back, in graphemes; the question shows the full label. */
const LABEL_SHOWN = 600;

/** A question's answer, formatted for reading back. */
export interface AnswerLine {
  question: Question;
  name: string;
  /** The full chosen labels and the user's own answer; empty means unanswered. */
  parts: string[];
  note: string | null;
}

/** The answers of an ended request, including unanswered questions. */
export function linesOfAnswers(request: Pick<Request, 'questions'>, answers: readonly Answer[]): AnswerLine[] {
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

/** Everything in a draft as plain text, including text that isn't part of any chosen answer. */
export function textOfDraft(request: Request, draft: Draft): string {
  const begun = request.questions.flatMap((question) => {
    const answer = ownAnswerOf(draft, question);
    const { parts } = lineOf(request, question, answer.chosen, null, null);
    const note = answer.note.trim() === '' ? '' : t('answer.note', { note: answer.note });
    const own = question.kind === 'secret' ? '' : answer.other;
    const lines = [...parts, own, note].filter((text) => text.trim() !== '');
    return lines.length > 0 ? [[question.text, ...lines].join('\n')] : [];
  });
  return [...begun, draft.words].filter((text) => text.trim() !== '').join('\n\n');
}

/** An answer after its question's name, as text. */
export function wordsOfLine({ name, parts }: Pick<AnswerLine, 'name' | 'parts'>): string {
  return `${nameBefore(name)} ${parts.length > 0 ? list(parts) : t('ended.unanswered')}`;
}

function lineOf(
  request: Pick<Request, 'questions'>,
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
