import type { en } from './en';

export type MessageKey = keyof typeof en;

export type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

export type Params<K extends MessageKey> = Record<Names<(typeof en)[K]>, string | number>;

export type PluralKey = {
  [K in MessageKey]: K extends `${infer Base}.other` ? (`${Base}.one` extends MessageKey ? Base : never) : never;
}[MessageKey];

type PluralForms = Partial<Record<`${PluralKey}.${Intl.LDMLPluralRule}`, string>>;

/** Every text of the window in one language, with the plural forms that the language has. */
export type Catalog = Readonly<Record<Exclude<MessageKey, `${PluralKey}.one`>, string> & PluralForms>;
