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
