import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|svelte|css)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
const all = files.map(({ text }) => text).join('\n');
const tokens = files.find(({ name }) => name === 'shared/tokens.css')?.text ?? '';

const named = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map((match) => match[1]!));

/** The properties that are read without a fallback, and those that are set. */
const read = (text: string) => named(text, /var\((--[\w-]+)\)/g);
const set = (text: string) => named(text, /(--[\w-]+)[:='"]/g);
const without = (some: Set<string>, others: Set<string>) => [...some].filter((one) => !others.has(one));
const missing = (text: string) => without(read(text), set(text));
const unused = (text: string) => without(set(tokens), read(text));

test('no style reads a token that is missing, and no token is unused', () => {
  expect(set(tokens).size).toBeGreaterThan(50);
  expect(missing(all)).toEqual([]);
  expect(unused(all)).toEqual([]);
  expect(missing(`${all} var(--nobody) var(--somebody, 0)`)).toEqual(['--nobody']);
  expect(unused('')).toContain('--text');
});

test('no component is unused', () => {
  const components = files.filter(({ name }) => name.endsWith('.svelte'));
  expect(components.length).toBeGreaterThan(100);
  const isUsed = (component: string) => all.includes(`/${component}'`);
  expect(components.filter(({ name }) => !isUsed(basename(name))).map(({ name }) => name)).toEqual([]);
  expect(isUsed('Nobody.svelte')).toBe(false);
});

test('colors stand in tokens.css alone', () => {
  // A mix or a shade of a token names no color of its own.
  const color =
    /(?<![\w&-])#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})(?![\w-])|(?<![\w.-])(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\((?!from var)/i;
  const others = files.filter(({ name }) => !name.endsWith('tokens.css'));
  expect(others.filter(({ text }) => color.test(text)).map(({ name }) => name)).toEqual([]);
  expect(tokens).toMatch(color);
});
