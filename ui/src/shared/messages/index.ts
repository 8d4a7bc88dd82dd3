import { number } from './formats';
import { en } from './en';
import { spoken } from './language.svelte';

export type MessageKey = keyof typeof en;

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

export type Params<K extends MessageKey> = Record<Names<(typeof en)[K]>, string | number>;

type Arguments<K extends MessageKey> = [Names<(typeof en)[K]>] extends [never]
  ? []
  : [params: Params<K>];

/** The text of one key in the language that is spoken, with its values put in. */
export function t<K extends MessageKey>(key: K, ...args: Arguments<K>): string {
  return fill(textOf(key), args[0] ?? {});
}

/** The text of a key that ends in an id of an agent's own; none where the catalogue does not know the id. */
export function lookUp(key: `${OpenPart}.${string}`): string | null {
  return textIn(spoken.catalogue, key);
}

/**
 * The translation of an agent's own words; the words themselves where the catalogue means something else by their id.
 * Two agents may use one id for different things.
 */
export function translated(key: `${OpenPart}.${string}`, own: string): string {
  return textIn(en, key) === own ? (lookUp(key) ?? own) : own;
}

function textIn(catalogue: Readonly<Record<string, string>>, key: string): string | null {
  return Object.hasOwn(catalogue, key) ? (catalogue[key] ?? null) : null;
}

/** The parts of the catalogue that hold words for ids of agents: of agents, their config options and their values. */
type OpenPart = 'agent' | 'config' | 'mode' | 'mode_hint' | 'effort';

type PluralKey = {
  [K in MessageKey]: K extends `${infer Base}.other`
    ? `${Base}.one` extends MessageKey
      ? Base
      : never
    : never;
}[MessageKey];

/** The text of a key that has a singular and a plural, with its count put in. */
export function plural(key: PluralKey, count: number): string {
  const form = spoken.plurals.select(count) === 'one' ? 'one' : 'other';
  return fill(textOf(`${key}.${form}`), { count });
}

/** A part of the texts in a language whose counts have a singular and a plural. */
export type Words<Part> = Readonly<Record<keyof Part, string>>;

/** A part of the texts in a language whose counts have one form. */
export type OneForm<Part> = Readonly<Record<Exclude<keyof Part, `${PluralKey}.one`>, string>>;

/** Every text of the window in a language whose counts have a singular and a plural. */
export type Catalogue = Words<typeof en>;

/** Every text of the window in a language whose counts have one form. */
export type OneFormCatalogue = OneForm<typeof en>;

function textOf(key: MessageKey): string {
  const catalogue: Partial<Catalogue> = spoken.catalogue;
  return catalogue[key] ?? key;
}

function fill(text: string, params: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole;
    return typeof value === 'number' ? number(value) : value;
  });
}
