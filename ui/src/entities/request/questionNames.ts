import type { Question, QuestionOption, Request } from '../../generated/wire';
import { t } from '../../shared/messages';
import { cutText, shownLabel } from '../../shared/text';
import { visibly } from '../../shared/visible';

/** Characters of a name: longer ones are shortened where they only name something. */
const NAME_SHOWN = 200;
/** Characters of a text that is read aloud or stands in a tooltip. */
const SPOKEN = 500;

/** What a question is called where its whole text does not fit. */
export function nameOf(question: Question): string {
  const name = question.header?.trim() || question.text.trim();
  return visibly(cutText(name, NAME_SHOWN));
}

/** What a question is called among the others of its request: those that look the same are numbered. */
export function nameIn(request: Request, question: Question): string {
  const name = nameOf(question);
  const twins = request.questions.filter((other) => nameOf(other) === name);
  if (twins.length < 2) return name;
  return t('question.twin', { name, n: request.questions.indexOf(question) + 1 });
}

/** What a question is called on a pill. */
export function pillName(question: Question, index: number): string {
  const header = question.header?.trim();
  return header ? visibly(cutText(header, NAME_SHOWN)) : t('question.numbered', { n: index + 1 });
}

/** A question's text where it is one line of many: read aloud, or in a tooltip. */
export function spokenText(question: Question | undefined): string {
  return question ? visibly(cutText(question.text, SPOKEN)) : '';
}

const labels = new WeakMap<Question, ReadonlyMap<string, string>>();

/** An option's label as it is shown among the others: an empty one is named, and those that look the same are numbered. */
export function labelIn(question: Question, option: QuestionOption): string {
  let known = labels.get(question);
  if (!known) {
    known = labelsOf(question);
    labels.set(question, known);
  }
  return known.get(option.id) ?? shownLabel(option);
}

function labelsOf(question: Question): ReadonlyMap<string, string> {
  if (question.kind === 'confirm') {
    const words = [t('question.yes'), t('question.no')];
    return new Map(question.options.map(({ id }, index) => [id, words[index] ?? '']));
  }
  const shown = question.options.map((option) => shownLabel(option));
  const times = new Map<string, number>();
  for (const label of shown) times.set(label, (times.get(label) ?? 0) + 1);
  return new Map(
    question.options.map(({ id }, index) => {
      const label = shown[index] ?? '';
      const n = index + 1;
      if (label === '') return [id, t('question.option_empty', { n })];
      return [id, (times.get(label) ?? 0) > 1 ? t('question.option_twin', { label, n }) : label];
    }),
  );
}

/** What stands below the first paragraph of a question: its lists, its code, its further paragraphs. */
export interface Parted {
  /** Empty where the text does not begin with a paragraph. */
  head: string;
  rest: string;
}

const BEGINS_BLOCK = /^\s*(?:`{3,}|~{3,}|[-*+]\s|#{1,6}\s|[|>]|\d{1,9}[.)]\s)/;
const RULES = /^[\s|:-]+$/;

/** The line above it is the head of a table, or a heading. */
const isRule = (line: string) => RULES.test(line) && line.includes('-');

/** Parts a question's text into what names it and what explains it. */
export function parted(text: string): Parted {
  const lines = text.trim().split('\n');
  const until = lines.findIndex(
    (line, index) =>
      line.trim() === '' ||
      BEGINS_BLOCK.test(line) ||
      isRule(lines[index + 1] ?? ''),
  );
  if (until < 0) return { head: lines.join('\n'), rest: '' };
  return { head: lines.slice(0, until).join('\n'), rest: lines.slice(until).join('\n').replace(/^\s*\n/, '') };
}
