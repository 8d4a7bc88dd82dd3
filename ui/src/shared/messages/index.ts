import { en } from './en';

export type MessageKey = keyof typeof en;

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

type Params<K extends MessageKey> = Record<Names<(typeof en)[K]>, string | number>;

type Arguments<K extends MessageKey> = [Names<(typeof en)[K]>] extends [never]
  ? []
  : [params: Params<K>];

/** The text of one key, with its values put in. */
export function t<K extends MessageKey>(key: K, ...args: Arguments<K>): string {
  return fill(en[key], args[0] ?? {});
}

type PluralKey = {
  [K in MessageKey]: K extends `${infer Base}.other`
    ? `${Base}.one` extends MessageKey
      ? Base
      : never
    : never;
}[MessageKey];

const rules = new Intl.PluralRules('en');

/** The text of a key that has a singular and a plural, with its count put in. */
export function plural(key: PluralKey, count: number): string {
  const form = rules.select(count) === 'one' ? 'one' : 'other';
  return fill(en[`${key}.${form}`], { count });
}

function fill(text: string, params: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
