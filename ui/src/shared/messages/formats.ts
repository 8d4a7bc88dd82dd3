import { spoken } from './language.svelte';

/** Caches one formatter per locale and returns the one for the current locale. */
export function inLanguage<T>(make: (locale: string) => T): () => T {
  return cached(make, () => spoken.locale);
}

/** The same for formats of dates and times. */
export function inTimeLocale<T>(make: (locale: string) => T): () => T {
  return cached(make, () => spoken.timeLocale);
}

function cached<T>(make: (locale: string) => T, now: () => string): () => T {
  const made = new Map<string, T>();
  return () => {
    const locale = now();
    const known = made.get(locale);
    if (known !== undefined) return known;
    const fresh = make(locale);
    made.set(locale, fresh);
    return fresh;
  };
}

const numbers = inLanguage((locale) => new Intl.NumberFormat(locale));
const conjunctions = inLanguage((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }));

export function number(value: number): string {
  return numbers().format(value);
}

const shares = inLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent' }));

/** A share of the whole, where 1 is all of it: `110%`. */
export function percent(share: number): string {
  return shares().format(share);
}

/** Daily hours, written `22:00-07:00` in the settings file. */
export function hours(range: string): string {
  return range.replace('-', '–');
}

/** Names in a sentence: `a, b, and c`. */
export function list(names: readonly string[]): string {
  return conjunctions().format(names);
}
