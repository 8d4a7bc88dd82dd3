import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';

import { wordsOfLoss } from '../src/entities/session/sessionWords';
import { settingDescriptors, type AgentDescriptor } from '../src/generated/wire';
import { plural, t } from '../src/shared/messages';
import { de } from '../src/shared/messages/de';
import { en } from '../src/shared/messages/en';
import { spoken } from '../src/shared/messages/language.svelte';
import { zh } from '../src/shared/messages/zh';
import { dollars, duration } from '../src/shared/time';
import { claudeCode, demo } from '../src/testing/agents';

const root = join(import.meta.dirname, '../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|svelte)$/.test(name) && !/generated|messages\/(en|zh|de)[./]|gallery|testing/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
const wire = readFileSync(join(root, 'generated/wire.ts'), 'utf8');
const all = sources.map((source) => source.text).join('\n');

/** The prefixes of keys in template strings, such as `session.ended.${…}`. */
const inTemplates = (text: string) => [...text.matchAll(/`([a-z_]+\.[a-z_.]*)\$\{[^}]+\}`/g)].map((match) => match[1]!);

/** Keys that end in the id of an agent, a config option, or a value. Only known agents have texts. */
const ofAgents = (agents: readonly AgentDescriptor[]) =>
  agents.flatMap(({ id, config }) => [
    `agent.${id}`,
    ...config.flatMap((option) => [
      `config.${option.id}`,
      ...option.values.flatMap((value) => [`${option.category}.${value.id}`, `${option.category}_hint.${value.id}`]),
    ]),
  ]);

/** Keys that end in a setting's category, id, or value. */
const ofSettings = settingDescriptors.flatMap(({ id, category, ...rest }) => [
  `settings.${category}`,
  `settings.${id}`,
  `settings.${id}.help`,
  ...('choices' in rest ? rest.choices.map((value) => `settings.${id}.${value}`) : []),
]);
const OPEN = ['settings.', 'agent.', 'config.', 'mode.', 'mode_hint.', 'effort.'];

function unusedIn(text: string, keys: readonly string[]): string[] {
  const templates = inTemplates(text).filter((template) => !OPEN.includes(template));
  const isValue = (suffix: string) => [`'${suffix}'`, `"${suffix}"`].some((quoted) => wire.includes(quoted) || text.includes(quoted));
  const lookedUp = [...ofAgents([claudeCode, demo]), ...ofSettings];
  return keys.filter((key) => {
    const base = key.replace(/\.(one|other)$/, '');
    const named = text.includes(`'${key}'`) || text.includes(`plural('${base}'`) || lookedUp.includes(key);
    return !named && !templates.some((template) => key.startsWith(template) && isValue(key.slice(template.length)));
  });
}

function missingIn(text: string): string[] {
  const named = [...text.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1]!);
  const counted = [...text.matchAll(/\bplural\(\s*'([^']+)'/g)].flatMap((match) => [`${match[1]}.one`, `${match[1]}.other`]);
  return [...named, ...counted].filter((key) => !(key in en));
}

test('each text is in one part of its catalog, the same in every language', () => {
  const parts = (language: string) => {
    const texts: Record<string, Record<string, Record<string, string>>> = import.meta.glob('../src/shared/messages/*/*.ts', { eager: true });
    return Object.entries(texts)
      .filter(([path]) => path.includes(`/${language}/`))
      .flatMap(([path, part]) => Object.keys(Object.values(part)[0]!).map((key) => [key, path.split('/').at(-1)!] as const));
  };
  const english = new Map(parts('en'));
  expect(english.size).toBe(parts('en').length);
  expect([...english.keys()].sort()).toEqual(Object.keys(en).sort());
  for (const [language, texts] of Object.entries({ de, zh })) {
    const stray = parts(language).filter(([key, part]) => english.get(key) !== part);
    expect({ language, stray, count: parts(language).length }).toEqual({ language, stray: [], count: Object.keys(texts).length });
  }
});

test('no message is unused', () => {
  expect(unusedIn(all, Object.keys(en))).toEqual([]);
});

test('no message is missing', () => {
  expect(missingIn(all)).toEqual([]);
});

test('the checks find unused and missing messages', () => {
  const invented = ['settings.nobody', 'start.nobody', 'agent.nobody', 'mode.nobody', 'mode_hint.nobody', 'effort.nobody', 'config.nobody', 'tool.nobody'];
  expect(OPEN.filter((open) => !inTemplates(all).includes(open))).toEqual([]);
  expect(unusedIn(all, [...Object.keys(en), ...invented])).toEqual(invented);
  expect(missingIn(`${all} t('start.nobody') plural('nobody', 2)`)).toEqual(['start.nobody', 'nobody.one', 'nobody.other']);
});

test('components contain no texts of their own', () => {
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

test('values are filled in, and counts choose their form', () => {
  expect(t('question.place', { n: 1, count: 4 })).toBe('1 of 4');
  expect(plural('asked', 1)).toBe('Asked you 1 question');
  expect(plural('asked', 2)).toBe('Asked you 2 questions');
});

const keys = Object.keys(en) as (keyof typeof en)[];

/** A singular key; languages with one form have no text for it. */
const singular = (key: string) => key.endsWith('.one') && key.replace(/one$/, 'other') in en;

const others: { name: string; texts: Partial<Record<string, string>>; needed: string[] }[] = [
  { name: 'German', texts: de, needed: keys },
  { name: 'Chinese', texts: zh, needed: keys.filter((key) => !singular(key)) },
];

/** Texts that are the same in another language. */
const alike: Record<string, RegExp> = {
  German:
    /^(agent\.|session_action\.\w+_keys|sessions\.since|time\.|rule\.exactly|start\.(agent|name)$|history\.agent|log\.stderr|settings\.text_size\.percent|settings\.agent_arguments\.one|entry\.plan|option\.is|clients\.wait_and$)/,
  Chinese: /^(session_action\.\w+_keys|sessions\.since|rule\.exactly|log\.stderr|settings\.text_size\.percent)/,
};

const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

describe.each(others)('$name', ({ name, texts, needed }) => {
  test('has the same texts as English', () => {
    const english: Partial<Record<string, string>> = en;
    const missing = needed.filter((key) => !texts[key]).map((key) => [key, english[key]]);
    const unknown = Object.keys(texts).filter((key) => !needed.includes(key));
    expect({ missing: Object.fromEntries(missing), unknown }).toEqual({ missing: {}, unknown: [] });
  });

  test('has the same placeholders', () => {
    const differs = keys.filter((key) => {
      const text = texts[key];
      return text !== undefined && places(text).join() !== places(en[key]).join();
    });
    expect(differs).toEqual([]);
  });

  test('has no untranslated text', () => {
    const left = keys.filter((key) => texts[key] === en[key] && !alike[name]!.test(key));
    expect(left).toEqual([]);
  });
});

test('a question is answered or declined, a permission is allowed or denied: no word is used for both', () => {
  for (const texts of [en, de, zh]) {
    const ofQuestions = [texts['question.decline'], texts['question.submit'], texts['question.title']];
    const ofPermissions = [texts['approval.deny'], texts['approval.allow'], texts['approval.title'], texts['plan.approve']];
    expect(ofQuestions.filter((word) => ofPermissions.includes(word))).toEqual([]);
  }
});

describe('in another language', () => {
  afterEach(() => spoken.speak('en'));

  test('counts use the plural forms of that language', async () => {
    await spoken.speak('de');
    expect([plural('asked', 1), plural('asked', 2)]).toEqual(['Hat Ihnen 1 Frage gestellt', 'Hat Ihnen 2 Fragen gestellt']);
    await spoken.speak('zh');
    expect([plural('asked', 1), plural('asked', 2)]).toEqual(['向你提了 1 个问题', '向你提了 2 个问题']);
  });

  test('numbers, amounts, and lists use the format of that language', async () => {
    await spoken.speak('de');
    expect(t('turn.used', { input: 48_120, output: 3_204 })).toBe('48.120 Token gelesen, 3.204 geschrieben');
    expect([duration(800), dollars(0.1834)]).toEqual(['0,8 s', '0,1834\u00a0$']);
    const waiting = { questions: 1, approvals: 2, since: null };
    expect(wordsOfLoss({ working: false, waiting, undelivered: 0, unsent: false })).toBe(
      '1 Frage und 2 Genehmigungen warten auf Sie.',
    );
    await spoken.speak('zh');
    expect(duration(185_000)).toBe('3 分 5 秒');
  });

  test('the page declares its language', async () => {
    await spoken.speak('zh');
    expect(document.documentElement.lang).toBe('zh-Hans');
    await spoken.speak('en');
    expect(document.documentElement.lang).toBe('en');
  });

  test('of two languages requested at once, the later one wins', async () => {
    await Promise.all([spoken.speak('de'), spoken.speak('zh'), spoken.speak('en')]);
    expect(t('question.decline')).toBe('Skip');
  });
});
