/** What a stretch of code is; each has a colour of its own. */
export type Kind = 'plain' | 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'added' | 'removed';

/** A stretch of code of one kind. */
export interface Run {
  kind: Kind;
  text: string;
}

/** Characters of code that are coloured; more stays plain. */
const COLOURED_MAX = 48 * 1024;

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

/** Tells the words of code apart; none where the language is not known or the code is long. Loads its grammars when first asked. */
export async function highlighted(code: string, language: string): Promise<Run[] | null> {
  if (language === '' || code.length > COLOURED_MAX) return null;
  const { grammars } = await import('./grammars');
  if (!grammars.registered(language)) return null;
  const runs: Run[] = [];
  collect(grammars.highlight(language, code), 'plain', runs);
  return runs;
}

const byEnding: Readonly<Record<string, string>> = {
  cjs: 'javascript',
  h: 'c',
  htm: 'xml',
  mts: 'typescript',
  svelte: 'xml',
  vue: 'xml',
};

/** The language a file is most likely written in, by its name's ending; a guess costs nothing if it is wrong. */
export function languageOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return byEnding[ending] ?? ending;
}
