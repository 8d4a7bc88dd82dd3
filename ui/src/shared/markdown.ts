import { Marked, type Token, type Tokens } from 'marked';

export type { Token, Tokens };

/** Characters of a text that are looked at for Markdown; a longer one is shown as it is. */
export const MARKDOWN_MAX = 256 * 1024;
/** Characters of one block. */
const BLOCK_MAX = 32 * 1024;
/** Characters in a row without a new list item, table row or blank line: reading those costs the square of their number. */
const RUN_MAX = 6 * 1024;
/** How deep lists and quotes may stand in each other. */
const NESTED_MAX = 8;
/** Milliseconds one text may cost; what comes after is shown as it is. */
const COST_MAX = 250;

/** A stretch of a text that stands for itself, read or left as it is. */
export interface Block {
  source: string;
  /** None where the source is shown as plain text. */
  tokens: readonly Token[] | null;
}

/** HTML and named links are not Markdown here: they stay the characters they are. */
const reader = new Marked({
  gfm: true,
  // What an agent wrote on a line of its own stays there.
  breaks: true,
  tokenizer: { html: () => undefined, tag: () => undefined, def: () => undefined, reflink: () => undefined },
});

const FENCE = /^\s*(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+>|#]|\d{1,9}[.)])/;
const NESTED = new RegExp(`^[ \\t]*(?:(?:[-*+>]|\\d{1,9}[.)])[ \\t]*){${NESTED_MAX + 1},}`);
const INDENTED = /^[ \t]{33,}(?:[-*+>]|\d{1,9}[.)])/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** Cuts a text where a blank line ends everything before it, so that what is added later changes the last block alone. */
export function cutBlocks(text: string): { source: string; plain: boolean }[] {
  const blocks: { source: string; plain: boolean }[] = [];
  let lines: string[] = [];
  let size = 0;
  let run = 0;
  let plain = false;
  let fence: string | null = null;
  let blank = false;
  const close = () => {
    if (lines.length > 0) blocks.push({ source: lines.join('\n'), plain: plain || size > BLOCK_MAX });
    [lines, size, run, plain, blank] = [[], 0, 0, false, false];
  };
  for (const line of text.split('\n')) {
    const empty = line.trim() === '';
    if (fence === null && blank && !empty && /^\S/.test(line) && !/^(?:[-*+]|\d{1,9}[.)])\s/.test(line)) {
      close();
    }
    const mark = FENCE.exec(line)?.[1] ?? null;
    if (fence === null) {
      run = empty || ITEM.test(line) ? line.length : run + line.length;
      const nested = (NESTED.test(line) && !RULE.test(line)) || INDENTED.test(line);
      if (run > RUN_MAX || nested) plain = true;
      fence = mark;
      size += line.length + 1;
    } else if (mark?.startsWith(fence) && line.trim() === mark) {
      fence = null;
    }
    lines.push(line);
    blank = empty;
  }
  close();
  return blocks;
}

/** Reads a text block by block; a block that was read before is the same value again. */
export class BlockReader {
  #known = new Map<string, Block>();

  read(text: string): Block[] {
    if (text.length > MARKDOWN_MAX) return [{ source: text, tokens: null }];
    const until = performance.now() + COST_MAX;
    const known = new Map<string, Block>();
    const blocks = cutBlocks(text).map(({ source, plain }) => {
      const read = plain || performance.now() > until;
      const block = this.#known.get(source) ?? { source, tokens: read ? null : tokensOf(source) };
      known.set(source, block);
      return block;
    });
    this.#known = known;
    return blocks;
  }
}

function tokensOf(source: string): Token[] | null {
  try {
    return reader.lexer(source);
  } catch {
    // What the reader cannot take is text.
    return null;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Puts the few characters in that Markdown writes by name; all others stay as they are written. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#39|(\w+));/g, (whole, name?: string) => (name ? (NAMED[name] ?? whole) : "'"));
}
