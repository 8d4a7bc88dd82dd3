import type { Question, QuestionOption, Request } from '../../generated/wire';
import { t } from '../../shared/messages';
import { cutText, shownLabel } from '../../shared/text';
import { visibly } from '../../shared/visible';

/** The maximum length of a question's name in graphemes, where it serves as a label. */
const NAME_SHOWN = 200;
/** The maximum length of a spoken text or a tooltip, in graphemes. */
const SPOKEN = 500;
/** The maximum length of a question's text where it stands for its header in a line, in graphemes. */
const TWIN_SHOWN = 60;

/** A question's short name, for places where its full text doesn't fit. */
export function nameOf(question: Question): string {
  const name = question.header?.trim() || question.text.trim();
  return visibly(cutText(name, NAME_SHOWN));
}

/** A question's name within its request; identical names are numbered. */
export function nameIn(request: Pick<Request, 'questions'>, question: Question): string {
  const name = nameOf(question);
  const twins = request.questions.filter((other) => nameOf(other) === name);
  if (twins.length < 2) return name;
  return t('question.twin', { name, n: request.questions.indexOf(question) + 1 });
}

/** A question's name in front of its answer: with a colon, unless it ends with a mark of its own. */
export function nameBefore(name: string): string {
  return /[?!.:？！。：؟]$/u.test(name) ? name : t('answer.name', { name });
}

const headers = new WeakMap<readonly Request[], ReadonlyMap<string, string | null>>();

/** The text of the question under each header; null if several have it. Kept with the list, because every line of a transcript asks. */
function textsUnderHeaders(requests: readonly Request[]): ReadonlyMap<string, string | null> {
  let known = headers.get(requests);
  if (!known) {
    const texts = new Map<string, string | null>();
    for (const { header, text } of requests.flatMap(({ questions }) => questions)) {
      const under = header?.trim();
      if (under) texts.set(under, (texts.get(under) ?? text) === text && texts.get(under) !== null ? text : null);
    }
    headers.set(requests, (known = texts));
  }
  return known;
}

/** A question's name among the requests of its session: if another question has the same header, its text. */
export function nameAmong(requests: readonly Request[], request: Request, question: Question): string {
  const header = question.header?.trim();
  const text = header ? textsUnderHeaders(requests).get(header) : undefined;
  const isTwin = (other: Question) => other.text !== question.text && other.header?.trim() === header;
  const hasTwin = header && ((text !== undefined && text !== question.text) || request.questions.some(isTwin));
  return hasTwin ? visibly(cutText(question.text.trim(), TWIN_SHOWN)) : nameIn(request, question);
}

export function pillName(question: Question, index: number): string {
  const header = question.header?.trim();
  return header ? visibly(cutText(header, NAME_SHOWN)) : t('question.numbered', { n: index + 1 });
}

/** A question's text as a single line, for screen readers and tooltips. */
export function spokenText(question: Question | undefined): string {
  return question ? visibly(cutText(question.text, SPOKEN)) : '';
}

const labels = new WeakMap<Question, ReadonlyMap<string, string>>();

/** An option's label among the others: an empty label gets a name, and identical labels are numbered. */
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

/** A question's text, split into its first paragraph and the rest: lists, code, further paragraphs. */
export interface Parted {
  /** Empty if the text doesn't start with a paragraph. */
  head: string;
  rest: string;
}

const BEGINS_BLOCK = /^\s*(?:`{3,}|~{3,}|[-*+]\s|#{1,6}\s|[|>]|\d{1,9}[.)]\s)/;
const RULES = /^[\s|:-]+$/;

/** A rule turns the line above it into a table header or a heading. */
const isRule = (line: string) => RULES.test(line) && line.includes('-');

/** Splits a question's text into its name and its explanation. */
export function parted(text: string): Parted {
  const lines = text.trim().split('\n');
  const until = lines.findIndex((line, index) => line.trim() === '' || BEGINS_BLOCK.test(line) || isRule(lines[index + 1] ?? ''));
  if (until < 0) return { head: lines.join('\n'), rest: '' };
  return {
    head: lines.slice(0, until).join('\n'),
    rest: lines
      .slice(until)
      .join('\n')
      .replace(/^\s*\n/, ''),
  };
}
