import type { Catalog, MessageKey, Names, Params, PluralKey } from './catalog';
import type { en } from './en';
import { agents } from './en/agents';
import { number } from './formats';
import { spoken } from './language.svelte';

export type { Catalog, MessageKey, Params } from './catalog';

type Arguments<K extends MessageKey> = [Names<(typeof en)[K]>] extends [never] ? [] : [params: Params<K>];

/** A key whose text has no values. */
export type PlainKey = { [K in MessageKey]: [Names<(typeof en)[K]>] extends [never] ? K : never }[MessageKey];

/** The text of a key in the current language, with its values filled in. */
export function t<K extends MessageKey>(key: K, ...args: Arguments<K>): string {
  return fill(textOf(key), args[0] ?? {});
}

/** The text of a key that ends in an id from an agent; null if the catalog has no text for the id. */
export function lookUp(key: `${OpenPart}.${string}`): string | null {
  return textIn(spoken.catalog, key);
}

/**
 * The translation of a text from an agent. If the English catalog has a different text for its id, the agent means
 * something else by that id, and its own text is returned.
 */
export function translated(key: `${OpenPart}.${string}`, own: string): string {
  return textIn(agents, key) === own ? (lookUp(key) ?? own) : own;
}

function textIn(catalog: Readonly<Record<string, string>>, key: string): string | null {
  return Object.hasOwn(catalog, key) ? (catalog[key] ?? null) : null;
}

/** Keys with these prefixes end in the id of an agent, a config option, or a value. */
type OpenPart = 'agent' | 'config' | 'mode' | 'mode_hint' | 'effort';

/** The text of a key in the plural form for a count, with its values filled in. */
export function plural<K extends PluralKey>(key: K, count: number, ...args: PluralArguments<K>): string {
  return fill(inForm(spoken.catalog, spoken.plurals, key, count), { count, ...args[0] });
}

type PluralNames<K extends PluralKey> = Exclude<Names<(typeof en)[`${K}.other`]>, 'count'>;

type PluralArguments<K extends PluralKey> = [PluralNames<K>] extends [never] ? [] : [params: Record<PluralNames<K>, string | number>];

/** The plural form for a count. The general form stands in for a category that the catalog leaves out. */
export function inForm(catalog: Catalog, rules: Intl.PluralRules, key: PluralKey, count: number): string {
  return catalog[`${key}.${rules.select(count)}`] ?? catalog[`${key}.other`];
}

function textOf(key: MessageKey): string {
  return spoken.catalog[key] ?? key;
}

function fill(text: string, params: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole;
    return typeof value === 'number' ? number(value) : value;
  });
}
