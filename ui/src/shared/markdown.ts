import { Marked, type Token, type Tokens } from 'marked';

export type { Token, Tokens };

/** The maximum length of Markdown, in characters; longer text is shown as plain text. */
export const MARKDOWN_MAX = 256 * 1024;
/** The maximum length of one block, in characters. */
const BLOCK_MAX = 32 * 1024;
/**
 * The maximum length, in characters, without a new list item, table row, or blank line: parsing takes quadratic time.
 */
const RUN_MAX = 6 * 1024;
/** The maximum nesting depth of lists and quotes. */
const NESTED_MAX = 8;
/** The time budget for one text, in milliseconds; the rest is shown as plain text. */
const COST_MAX = 250;

/** An independent piece of a text, either parsed or left as source. */
export interface Block {
  source: string;
  /** Null if the source is shown as plain text. */
  tokens: readonly Token[] | null;
}

/** A line that makes a heading of the lines above it. */
const UNDERLINE = /\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/;

/** HTML and reference links are disabled: they stay literal text. */
const reader = new Marked({
  gfm: true,
  // Keeps the agent's line breaks.
  breaks: true,
  tokenizer: {
    html: () => undefined,
    tag: () => undefined,
    def: () => undefined,
    reflink: () => undefined,
    // The parser's own search for an underlined heading reads each paragraph many times; this one says when there is none.
    lheading: (source) => (UNDERLINE.test(source) ? false : undefined),
  },
});

const FENCE = /^\s*(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+>|#]|\d{1,9}[.)])/;
const NESTED = new RegExp(`^[ \\t]*(?:(?:[-*+>]|\\d{1,9}[.)])[ \\t]*){${NESTED_MAX + 1},}`);
const INDENTED = /^[ \t]{33,}(?:[-*+>]|\d{1,9}[.)])/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** Splits a text at blank lines that end all open constructs, so that appended text changes only the last block. */
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

/** Parses a text block by block. A block that was parsed before returns the identical object. */
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

/**
 * Joins plain text and line breaks: an agent's paragraph of many lines becomes one piece, which costs one text node instead of two
 * for each line.
 */
function joinLines(tokens: Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    const text = token.type === 'br' ? '\n' : token.type === 'text' && !token.tokens ? (token as Tokens.Text).text : null;
    if (text === null) {
      joinWithin(token);
      joined.push(token);
    } else if (last?.type === 'text' && !last.tokens) {
      (last as Tokens.Text).text += text;
      last.raw += token.raw;
    } else {
      joined.push({ type: 'text', raw: token.raw, text, escaped: false });
    }
  }
  return joined;
}

function joinWithin(token: Token): void {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    for (const cell of [...header, ...rows.flat()]) cell.tokens = joinLines(cell.tokens);
  } else if (token.type === 'list') {
    for (const item of (token as Tokens.List).items) item.tokens.forEach(joinWithin);
  } else if (token.type === 'blockquote') {
    (token as Tokens.Blockquote).tokens.forEach(joinWithin);
  } else if ('tokens' in token && token.tokens) {
    token.tokens = joinLines(token.tokens);
  }
}

function tokensOf(source: string): Token[] | null {
  try {
    const tokens = reader.lexer(source);
    tokens.forEach(joinWithin);
    return tokens;
  } catch {
    // If the parser fails, the block is shown as plain text.
    return null;
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Decodes the few HTML entities that Markdown needs; all other entities stay literal. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#39|(\w+));/g, (whole, name?: string) => (name ? (NAMED[name] ?? whole) : "'"));
}
