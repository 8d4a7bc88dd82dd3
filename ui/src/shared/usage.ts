import { inLanguage } from './messages/formats';

const money = (digits: Intl.NumberFormatOptions) =>
  inLanguage((locale) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', ...digits }));

const cents = money({});
const fractions = money({ maximumSignificantDigits: 2 });
const whole = money({ maximumFractionDigits: 0 });

/** Formats US dollars in cents, or as a fraction of a cent if there is nothing else. */
export function cost(dollars: number): string {
  return (dollars > 0 && dollars < 0.005 ? fractions() : cents()).format(dollars);
}

/** Formats US dollars for tight spaces: `$15`, `$2.50`. */
export function shortCost(dollars: number): string {
  return (Number.isInteger(dollars) ? whole() : cents()).format(dollars);
}

const counts = inLanguage((locale) => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }));

/** Formats a number of tokens for tight spaces: `3.4M`. */
export function tokenCount(tokens: number): string {
  return counts().format(tokens);
}
