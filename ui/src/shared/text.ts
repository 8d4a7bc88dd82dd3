import { visibly } from './visible';

/** Letters of a header that are shown. */
const HEADER_SHOWN = 12;

/** Characters in which one letter is looked for; what is put together of more is cut. */
const LETTER_MAX = 64;

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first letters of a text, as a person counts them: what is put together stays whole. */
export function firstLetters(text: string, count: number): string {
  let end = 0;
  let seen = 0;
  for (const { index, segment } of letters.segment(text.slice(0, count * LETTER_MAX))) {
    if (seen === count) break;
    seen += 1;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** A header as it fits on its chip. */
export function shortHeader(header: string): string {
  if (firstLetters(header, HEADER_SHOWN) === header) return header;
  return `${firstLetters(header, HEADER_SHOWN - 1).trimEnd()}…`;
}

/** A text of so many letters at most, with a mark where it was cut. */
export function cutText(text: string, count: number): string {
  return text.length <= count ? text : `${firstLetters(text, count).trimEnd()}…`;
}

/** A label without the suffix that its badge stands for, every character visible; what is sent keeps it. */
export function shownLabel(option: { label: string; recommended: boolean }): string {
  const label = visibly(option.label).trim();
  if (!option.recommended) return label;
  return label.replace(/\s*\(recommended\)$/i, '') || label;
}

/** Characters a stretch may have however few lines it is cut to. */
const STRETCH_MAX = 64 * 1024;

/** The first lines of a text, and how many more there are; one endless line is cut as well. */
export function cutLines(text: string, lines: number): { shown: string; hidden: number } {
  let end = -1;
  for (let count = 0; count < lines; count += 1) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) break;
  }
  const by = end < 0 ? text.length : end;
  const until = Math.min(by, STRETCH_MAX);
  if (until >= text.trimEnd().length) return { shown: text, hidden: 0 };
  let hidden = 1;
  for (let at = text.indexOf('\n', until + 1); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) {
    hidden += 1;
  }
  return { shown: text.slice(0, until), hidden };
}
