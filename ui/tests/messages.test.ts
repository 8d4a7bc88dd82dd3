import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { en } from '../src/shared/messages/en';
import { plural, t } from '../src/shared/messages';

const root = join(import.meta.dirname, '../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|svelte)$/.test(name) && !/generated|messages\/en\.ts|gallery|testing/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
const all = sources.map((source) => source.text).join('\n');

/** Keys put together in a template, as `session.ended.${…}`. */
const templates = [...all.matchAll(/`([a-z_]+(?:\.[a-z_]+)*\.)\$\{[^}]+\}`/g)].map((match) => match[1]!);

test('no message is unused', () => {
  const unused = Object.keys(en).filter((key) => {
    const base = key.replace(/\.(one|other)$/, '');
    const named = all.includes(`'${key}'`) || all.includes(`plural('${base}'`);
    return !named && !templates.some((template) => key.startsWith(template));
  });
  expect(unused).toEqual([]);
});

test('no message is missing', () => {
  const named = [...all.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1]!);
  const counted = [...all.matchAll(/\bplural\(\s*'([^']+)'/g)].flatMap((match) => [
    `${match[1]}.one`,
    `${match[1]}.other`,
  ]);
  expect([...named, ...counted].filter((key) => !(key in en))).toEqual([]);
});

test('texts of the window stand in the catalogue, not in components', () => {
  const loose = sources
    .filter(({ name }) => name.endsWith('.svelte'))
    .flatMap(({ name, text }) => {
      const markup = text
        .replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, '')
        .replace(/\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, '')
        .replace(/=>/g, '')
        .replace(/"[^"]*"/g, '');
      return [...markup.matchAll(/>([^<>]*[A-Za-z]{3,}[^<>]*)</g)].map((match) => `${name}: ${match[1]}`);
    });
  expect(loose).toEqual([]);
});

test('values are put in, and counts choose their form', () => {
  expect(t('question.place', { n: 1, count: 4 })).toBe('1 of 4');
  expect(plural('asked', 1)).toBe('Asked you 1 question');
  expect(plural('asked', 2)).toBe('Asked you 2 questions');
});
