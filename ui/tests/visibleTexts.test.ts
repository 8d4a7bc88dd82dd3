import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { clientNames } from '../src/shared/clientWords';
import { languageNames } from '../src/shared/messages/language.svelte';
import { programNames } from '../src/shared/programs';
import { visibleTexts } from './visibleTexts';

const root = join(import.meta.dirname, '../src');
/** Hold messages to agents, who are told everything in English. */
const FOR_AGENTS = ['store/commentMessage.ts', 'store/rebaseMessage.ts'];
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) =>
    /\.(ts|svelte)$/.test(name) && !FOR_AGENTS.includes(name) && !/^(generated|gallery|testing)\/|messages\/(en|zh|de)[./]/.test(name),
);

/** Names that are the same in every language. */
const NAMES: readonly string[] = [...Object.values(clientNames), ...Object.values(programNames), ...Object.values(languageNames)];

/** The kind of a token in highlighted code, under a property that elsewhere holds text. */
const TOKEN_KIND = 'shared/highlight.ts: name';

test('every visible text is in the catalogs', () => {
  const found = files.flatMap((name) =>
    visibleTexts(readFileSync(join(root, name), 'utf8'), name.endsWith('.svelte') ? 'svelte' : 'ts')
      .filter((text) => !NAMES.includes(text))
      .map((text) => `${name}: ${text}`)
      .filter((found) => found !== TOKEN_KIND),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});

test.each([
  ['text in an element', '<p class="lead">Hello</p>', ['Hello']],
  ['text beside an expression', '<p>{count} left</p>', ['left']],
  ['text in a block', '{#if open}<b>Open</b>{:else}Shut{/if}', ['Open', 'Shut']],
  ['text in a snippet', '<Button onclick={send}>Send it</Button>', ['Send it']],
  ['text in an expression', "<p>{sending ? 'Sending' : t('action.send')}</p>", ['Sending']],
  ['text in a template string', '<p>{`${count} lines`}</p>', ['lines']],
  ['the default of an expression', "<p>{name ?? 'nobody'}</p>", ['nobody']],
  ['a title', '<p title="Close">{t(key)}</p>', ['Close']],
  ['a label in an expression', "<p aria-label={open ? 'Fold' : t(key)}></p>", ['Fold']],
  ['a placeholder', '<input placeholder="Name {n}" />', ['Name']],
  ['an alternative text', '<img src={path} alt="Logo" />', ['Logo']],
  ['a prop that is shown', '<Field label="Folder" />', ['Folder']],
  ['a prop of another name', '<Field hint="Where it works" />', ['Where it works']],
  ['the items of a menu', "<Menu items={[{ id: 'end', words: 'End' }]} />", ['End']],
  ['a constant of the script', '<script lang="ts">const words = \'Not yet done\';</script>', ['Not yet done']],
  ['text in a catalog', "<p title={t('action.close')} class=\"lead size\">{plural('asked', n)}</p>", []],
  ['what is not text', '<Icon name="check" /><p data-state="open now" id="a">{a === "b" ? "·" : 1} · {2} %</p>', []],
])('%s in a component', (_, source, expected) => {
  expect(visibleTexts(source, 'svelte')).toEqual(expected);
});

test.each([
  ['a sentence', "export const said = () => 'It is done.';", ['It is done.']],
  ['letters of another language', "const name = 'Grüße';", ['Grüße']],
  ['the words of an item', "const item: Item = { id: 'a', words: 'Apply' };", ['Apply']],
  ['an assigned title', "document.title = 'Askdesk';", ['Askdesk']],
  ['an attribute that a script sets', "field.setAttribute('aria-label', 'Search');", ['Search']],
  ['what only developers read', "element.closest('main p'); throw new Error(`no such ${thing} here`);", []],
  ['types and keys', "type Kind = 'a kind' | 'b'; const made = { kind: 'other' } satisfies Made; export { x } from './some file';", []],
])('%s in a module', (_, source, expected) => {
  expect(visibleTexts(source, 'ts')).toEqual(expected);
});
