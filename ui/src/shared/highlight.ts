/** The token kinds; each has its own color. */
export type Kind = 'plain' | 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'added' | 'removed';

/** A piece of code with a single token kind. */
export interface Run {
  kind: Kind;
  text: string;
}

/** The maximum number of characters to highlight; longer code stays plain. */
const COLORED_MAX = 48 * 1024;

const kinds: Readonly<Record<string, Kind>> = {
  keyword: 'keyword',
  built_in: 'keyword',
  literal: 'keyword',
  type: 'name',
  'selector-tag': 'keyword',
  string: 'text',
  regexp: 'text',
  char: 'text',
  symbol: 'text',
  link: 'text',
  number: 'number',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'name',
  name: 'name',
  attr: 'name',
  attribute: 'name',
  section: 'name',
  meta: 'number',
  property: 'name',
  'selector-class': 'name',
  'selector-id': 'name',
  addition: 'added',
  deletion: 'removed',
};

interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: readonly Node[];
}

function collect(node: Node, kind: Kind, runs: Run[]): void {
  if (node.value !== undefined) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += node.value;
    else runs.push({ kind, text: node.value });
    return;
  }
  const names = node.properties?.className;
  const name = Array.isArray(names) ? String(names[0]).replace(/^hljs-/, '') : '';
  for (const child of node.children ?? []) collect(child, kinds[name] ?? kind, runs);
}

/** Highlights code; null if the language is unknown or the code too long. Loads the grammars on first use. */
export async function highlighted(code: string, language: string): Promise<Run[] | null> {
  if (language === '' || code.length > COLORED_MAX) return null;
  const { grammars } = await import('./grammars');
  if (!grammars.registered(language)) return null;
  const runs: Run[] = [];
  collect(grammars.highlight(language, code), 'plain', runs);
  return runs;
}

const byEnding: Readonly<Record<string, string>> = { cjs: 'javascript', h: 'c', htm: 'xml', mts: 'typescript', svelte: 'xml', vue: 'xml' };

/** Guesses the language from a file extension; a wrong guess does no harm. */
export function languageOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return byEnding[ending] ?? ending;
}
