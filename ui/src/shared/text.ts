/** Characters of a header that are shown. */
const HEADER_SHOWN = 12;

/** A header as it fits on its chip. */
export function shortHeader(header: string): string {
  const letters = [...header];
  return letters.length <= HEADER_SHOWN
    ? header
    : `${letters.slice(0, HEADER_SHOWN - 1).join('').trimEnd()}…`;
}

/** A label without the suffix that its badge stands for; what is sent keeps it. */
export function shownLabel(option: { label: string; recommended: boolean }): string {
  if (!option.recommended) return option.label;
  return option.label.replace(/\s*\(recommended\)\s*$/i, '') || option.label;
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
