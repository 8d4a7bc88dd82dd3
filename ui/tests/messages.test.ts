import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { wordsOfLoss } from '../src/entities/session/sessionWords';
import { settingDescriptors, type AgentDescriptor } from '../src/generated/wire';
import { type Catalog, inForm, plural, t, translated } from '../src/shared/messages';
import { de } from '../src/shared/messages/de';
import { en } from '../src/shared/messages/en';
import { spoken } from '../src/shared/messages/language.svelte';
import { zh } from '../src/shared/messages/zh';
import { hours, number, percent } from '../src/shared/messages/formats';
import { duration } from '../src/shared/time';
import { cost } from '../src/shared/usage';
import { claudeCode, codex, demo, openCode } from '../src/testing/agents';
import { settle } from '../src/testing/fakeBridge';

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
  const lookedUp = [...ofAgents([claudeCode, codex, demo, openCode]), ...ofSettings];
  return keys.filter((key) => {
    const base = key.replace(/\.(one|other)$/, '');
    const named = text.includes(`'${key}'`) || text.includes(`plural('${base}'`) || lookedUp.includes(key);
    return !named && !templates.some((template) => key.startsWith(template) && isValue(key.slice(template.length)));
  });
}

test('each text is in one part of its catalog, the same in every language', () => {
  const parts = (language: string) => {
    const texts: Record<string, Record<string, Record<string, string>>> = import.meta.glob('../src/shared/messages/*/*.ts', {
      eager: true,
    });
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

test('the check finds unused messages', () => {
  const invented = ['settings', 'start', 'agent', 'mode', 'mode_hint', 'effort', 'config', 'tool'].map((part) => `${part}.nobody`);
  expect(OPEN.filter((open) => !inTemplates(all).includes(open))).toEqual([]);
  expect(unusedIn(all, [...Object.keys(en), ...invented])).toEqual(invented);
});

const keys = Object.keys(en) as (keyof typeof en)[];

/** The keys of texts with a count, without their plural category. */
const counted = keys
  .filter((key) => key.endsWith('.other') && key.replace(/other$/, 'one') in en)
  .map((key) => key.replace(/\.other$/, ''));
const isForm = (key: string) => counted.some((base) => [`${base}.one`, `${base}.other`].includes(key));

/** The keys that a language needs: each text with a count in every plural category that the language has. */
const neededIn = (tag: string) => [
  ...keys.filter((key) => !isForm(key)),
  ...counted.flatMap((key) => new Intl.PluralRules(tag).resolvedOptions().pluralCategories.map((category) => `${key}.${category}`)),
];

const others: { name: string; texts: Partial<Record<string, string>>; needed: string[] }[] = [
  { name: 'German', texts: de, needed: neededIn('de') },
  { name: 'Chinese', texts: zh, needed: neededIn('zh-Hans') },
];

/** Texts that are the same in another language. */
const alike: Record<string, readonly string[]> = {
  German: `
    agent.demo answer.name bounds.and bounds.range clients.wait_and config.agent config.sandbox entry.plan error.at_file
    failure.path foot.details grouping.agent helper.subagent history.agent log.stderr option.is plan.document
    plan.edit_label rules.example run.and session_action.down_keys session_action.rename_keys session_action.up_keys
    settings.agent_arguments.one settings.editor settings.terminal start.agent start.name time.minutes time.seconds
    time.whole_minutes tool.of_server totals.budget undelivered.file_unreadable worktree.branch worktree.branches
    worktree.commit worktree.on_branch`
    .trim()
    .split(/\s+/),
  Chinese: `
    bounds.range log.stderr rule.exactly rules.example session_action.down_keys session_action.rename_keys
    session_action.up_keys`
    .trim()
    .split(/\s+/),
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
    const left = keys.filter((key) => texts[key] === en[key]);
    expect(left.toSorted()).toEqual(alike[name]);
  });
});

test('a question is submitted or skipped, a permission is allowed or denied: no word is used for both', () => {
  for (const texts of [en, de, zh]) {
    const ofQuestions = (
      ['question.decline', 'question.decline_all', 'question.decline_message', 'question.submit', 'question.title'] as const
    ).map((key) => texts[key]);
    const ofPermissions = (
      ['approval.deny', 'approval.deny_message', 'approval.allow', 'approval.title', 'plan.approve', 'plan.back'] as const
    ).map((key) => texts[key]);
    expect([...ofQuestions, ...ofPermissions]).not.toContain(undefined);
    expect(ofQuestions.filter((word) => ofPermissions.includes(word))).toEqual([]);
  }
});

describe('in another language', () => {
  afterEach(() => spoken.speak('en'));

  test.each([
    ['en', en, ['other', 'one', 'other', 'other', 'other', 'other']],
    ['de', de, ['other', 'one', 'other', 'other', 'other', 'other']],
    ['zh', zh, ['other', 'other', 'other', 'other', 'other', 'other']],
  ] as const)('in %s, a count chooses its form', async (language, texts: Catalog, forms) => {
    await spoken.speak(language);
    for (const [index, count] of [0, 1, 2, 11, 21, 1_001].entries()) {
      const form = texts[`history.found.${forms[index]!}`]!;
      expect(plural('history.found', count)).toBe(form.replace('{count}', number(count)));
    }
  });

  test('the general form stands in for a plural category that a catalog leaves out', () => {
    const polish: Catalog = { ...de, 'asked.more.one': 'jedno', 'asked.more.few': 'kilka', 'asked.more.other': 'wiele' };
    const rules = new Intl.PluralRules('pl');
    const forms = [1, 2, 5, 22, 0].map((count) => inForm(polish, rules, 'asked.more', count));
    expect(forms.join(' ')).toBe('jedno kilka wiele kilka wiele');
    expect(inForm(zh, new Intl.PluralRules('en'), 'asked.more', 1)).toBe(zh['asked.more.other']);
  });

  test('numbers, amounts, and lists use the format of that language', async () => {
    await spoken.speak('de');
    expect(plural('turn.used', 48_120, { output: 3_204 })).toMatch(/48\.120.*3\.204/);
    expect([duration(800), cost(0.1834), percent(1.5)]).toEqual(['0,8 s', '0,18\u00a0$', '150\u00a0%']);
    expect(hours('22:00-07:00')).toBe('22:00–07:00');
    const loss = (questions: number, approvals: number) =>
      wordsOfLoss({ working: false, waiting: { questions, approvals, stuck: 0, since: null }, undelivered: 0, unsent: false });
    expect(loss(1, 2)).toBe('1 Frage und 2 Berechtigungsanfragen warten auf Sie.');
    expect(loss(1, 0)).toBe('1 Frage wartet auf Sie.');
    await spoken.speak('zh');
    expect(duration(185_000)).toBe('3 分 5 秒');
  });

  test('a text from an agent is translated if it is the English one', async () => {
    await spoken.speak('de');
    expect(translated('mode.plan', en['mode.plan'])).toBe(de['mode.plan']);
    expect(translated('mode.plan', 'Planning')).toBe('Planning');
  });

  test('the page declares its language', async () => {
    await spoken.speak('zh');
    expect(document.documentElement.lang).toBe('zh-Hans');
    await spoken.speak('en');
    expect(document.documentElement.lang).toBe('en');
  });

  test('a request that a newer one replaces resolves once the newer catalog is in use', async () => {
    vi.resetModules();
    let load: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (load = resolve));
    vi.doMock('../src/shared/messages/de', async (original) => {
      await held;
      return original();
    });
    const fresh = (await import('../src/shared/messages/language.svelte')).spoken;
    const replaced = fresh.speak('en');
    void fresh.speak('de');
    const resolved = vi.fn();
    const replacedThen = replaced.then(resolved);
    await settle();
    expect(resolved).not.toHaveBeenCalled();
    load();
    await replacedThen;
    expect(fresh.catalog['question.decline']).toBe('Überspringen');
  });

  test('of two languages requested at once, the later one wins', async () => {
    await Promise.all([spoken.speak('de'), spoken.speak('zh'), spoken.speak('en')]);
    expect(t('question.decline')).toBe('Skip');
  });
});
