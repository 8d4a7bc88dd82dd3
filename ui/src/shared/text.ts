import { visibly } from './visible';

/** The maximum length of a displayed header, in graphemes. */
const HEADER_SHOWN = 12;

/** How many characters to search for one grapheme; longer clusters are cut. */
const LETTER_MAX = 64;

/** Made on first use, because making it takes some milliseconds. */
let letters: Intl.Segmenter | undefined;

/** The first graphemes of a text; combined characters aren't split. */
export function firstLetters(text: string, count: number): string {
  let end = 0;
  let seen = 0;
  letters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { index, segment } of letters.segment(text.slice(0, count * LETTER_MAX))) {
    if (seen === count) break;
    seen += 1;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** A header, shortened to fit its chip. */
export function shortHeader(header: string): string {
  if (firstLetters(header, HEADER_SHOWN) === header) return header;
  return `${firstLetters(header, HEADER_SHOWN - 1).trimEnd()}…`;
}

/** Shortens a text to a number of graphemes, with an ellipsis if it was cut. */
export function cutText(text: string, count: number): string {
  if (text.length <= count) return text;
  const first = firstLetters(text, count);
  return first === text ? text : `${first.trimEnd()}…`;
}

/** Shortens a path to a number of graphemes. Its end names the file, so the beginning is cut. */
export function cutPath(path: string, count: number): string {
  if (path.length <= count) return path;
  letters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const starts = [...letters.segment(path.slice(-count * LETTER_MAX))].map(({ index }) => index);
  const from = starts.at(-count);
  const tail = path.slice(-count * LETTER_MAX);
  return from === undefined || (from === 0 && tail === path) ? path : `…${tail.slice(from)}`;
}

/** An option's label without the suffix that its badge replaces, all characters visible. The sent label keeps both. */
export function shownLabel(option: { label: string; recommended: boolean }): string {
  const label = visibly(option.label).trim();
  if (!option.recommended) return label;
  return label.replace(/\s*\(recommended\)$/i, '') || label;
}

/** A fence with at most a language: more words would be hidden with it. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(?:[ \t]*([\w+#.-]+))?[ \t]*$/;

/** A text without the lines that fence its code, which say nothing where everything is shown as code. */
export function withoutFences(text: string): string {
  let open = '';
  return text
    .split('\n')
    .filter((line) => {
      const [, fence, language] = FENCE.exec(line) ?? [];
      if (fence === undefined) return true;
      // Shorter fences inside are part of the code.
      const ends = open !== '' && fence.startsWith(open) && language === undefined;
      if (open !== '' && !ends) return true;
      open = ends ? '' : fence;
      return false;
    })
    .join('\n');
}

/** The maximum length of an excerpt, in characters, regardless of its line count. */
const STRETCH_MAX = 64 * 1024;

/** The first lines of a text and the number of hidden lines. A single overlong line is cut too. */
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
