/** A text to insert, and the position to insert it at. */
export interface Insertion {
  at: number;
  text: string;
}

/** Quotes a text in a draft as Markdown, on lines of its own at the caret, with an empty line for the reply. */
export function quoteInto(draft: string, caret: number, quoted: string): Insertion {
  const lines = quoted.trim().split(/\r?\n/);
  const quote = lines.map((line) => (line.trim() === '' ? '>' : `> ${line}`)).join('\n');
  const before = draft.slice(0, caret);
  // Without an empty line, Markdown joins it with a quote above.
  const begin = before.trim() === '' ? '' : before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return { at: caret, text: `${begin}${quote}\n\n` };
}
