/** What the text before the caret asks to be completed. */
export interface Asked {
  what: 'command' | 'file';
  /** What is typed behind the slash or the at sign. */
  query: string;
  /** Where the slash or the at sign is. */
  from: number;
}

/** A command is the first word of a message; a file can be named anywhere, in quotes if its path has spaces. */
export function askedAt(text: string, caret: number): Asked | null {
  const before = text.slice(0, caret);
  const command = /^\s*\/(\S*)$/.exec(before);
  if (command) return { what: 'command', query: command[1] ?? '', from: before.indexOf('/') };
  const file = /(?:^|[\s([{'`])@(?:"([^"\n]*)|([^\s"@]*))$/.exec(before);
  if (!file) return null;
  return { what: 'file', query: file[1] ?? file[2] ?? '', from: before.lastIndexOf('@') };
}

/** A message and where its caret is. */
export interface Written {
  text: string;
  caret: number;
}

/** Replaces what is asked, up to the caret, and continues behind it. */
export function filledIn({ text, caret }: Written, { from }: Asked, words: string): Written {
  const rest = text.slice(caret);
  const gap = words === '' || words.endsWith('/') || /^\s/.test(rest) ? '' : ' ';
  return { text: text.slice(0, from) + words + gap + rest, caret: from + words.length + (gap || !/^\s/.test(rest) ? gap.length : 1) };
}

/** How a message names a file. The quotes of a folder stay open, because a name in it may follow. */
export function namedFile(path: string): string {
  if (!/\s/.test(path)) return `@${path}`;
  return path.endsWith('/') ? `@"${path}` : `@"${path}"`;
}
