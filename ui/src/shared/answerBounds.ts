/** What a form demands of an answer. The app checks the same; both are held by the table `answer_bounds.json`. */
import type { AnswerBounds, NumberLimit, TextFormat } from '../generated/wire';
import { type PlainKey, plural, t } from './messages';

/** Whether an answer keeps to them: the number of chosen options, and the text. */
export function allows(bounds: AnswerBounds, chosen: number, words: string | null): boolean {
  if (bounds.bounds === 'options') return within(chosen, bounds.min, bounds.max);
  if (words === null) return true;
  if (bounds.bounds === 'text') {
    return within([...words].length, bounds.min, bounds.max) && (!bounds.format || formats[bounds.format](words.trim()));
  }
  const { whole, min, max } = bounds;
  const value = numberIn(words);
  if (value === null || (whole && !Number.isInteger(value))) return false;
  return (
    (!min || value > min.value || (!min.exclusive && value === min.value)) &&
    (!max || value < max.value || (!max.exclusive && value === max.value))
  );
}

function within(count: number, min: number | null, max: number | null): boolean {
  return (min === null || count >= min) && (max === null || count <= max);
}

function numberIn(words: string): number | null {
  const typed = words.trim();
  const value = /\d/.test(typed) && /^[\d+\-.eE]+$/.test(typed) ? Number(typed) : NaN;
  return Number.isFinite(value) ? value : null;
}

function isDate(words: string): boolean {
  const [year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(words) ?? []).slice(1).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  // Day 0 of the next month is the last one of this. Years before 100 would be those of the last century.
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= last;
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const formats: Record<TextFormat, (words: string) => boolean> = {
  email: (words) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(words),
  uri: (words) => /^[A-Za-z][A-Za-z\d+.-]*:\S+$/.test(words),
  date: isDate,
  date_time: (words) => /^.{10}[Tt]/.test(words) && isDate(words.slice(0, 10)) && TIME.test(words.slice(11)),
};

const kinds = { email: 'bounds.email', uri: 'bounds.uri', date: 'bounds.date', date_time: 'bounds.date_time' } as const satisfies Record<
  TextFormat,
  PlainKey
>;

/** The same as a line of its own: `A whole number, 2–9`. */
export function lineOfBounds(bounds: AnswerBounds): string {
  const [first = '', ...rest] = wordsOfBounds(bounds);
  return first.toLocaleUpperCase() + rest.join('');
}

/** What the answer must be, as part of a sentence: `a whole number, 2–9`. */
export function wordsOfBounds(bounds: AnswerBounds): string {
  const parts: string[] = [];
  if (bounds.bounds === 'number') {
    parts.push(t(bounds.whole ? 'bounds.whole' : 'bounds.number'), rangeOf(bounds.min, bounds.max));
  } else {
    const range = rangeOf(limit(bounds.min), limit(bounds.max));
    if (bounds.bounds === 'text' && bounds.format) parts.push(t(kinds[bounds.format]));
    const count = bounds.max ?? bounds.min ?? 0;
    if (range === '') return parts.join('');
    parts.push(bounds.bounds === 'text' ? plural('bounds.characters', count, { range }) : plural('bounds.options', count, { range }));
  }
  return parts.filter(Boolean).reduce((one, other) => (one === '' ? other : t('bounds.and', { one, other })), '');
}

const limit = (value: number | null): NumberLimit | null => (value === null ? null : { value, exclusive: false });

/** As it would be typed: no grouping, a point before the fraction. */
function rangeOf(min: NumberLimit | null, max: NumberLimit | null): string {
  if (min && max && !min.exclusive && !max.exclusive) {
    const [from, to] = [String(min.value), String(max.value)];
    return from === to ? from : t('bounds.range', { min: from, max: to });
  }
  const least = min && t(min.exclusive ? 'bounds.more_than' : 'bounds.at_least', { value: String(min.value) });
  const most = max && t(max.exclusive ? 'bounds.less_than' : 'bounds.at_most', { value: String(max.value) });
  return least && most ? t('bounds.and', { one: least, other: most }) : (least ?? most ?? '');
}
