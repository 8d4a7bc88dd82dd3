import { fold, foldedFrom } from './fold';

/** What a search looks at. */
export interface Searchable {
  name: string;
  about?: string;
  aliases?: readonly string[];
}

/** Letters in order with others between them match worst, and only count if nothing contains the words. */
const SCATTERED = 4;
/** The name is what people remember, so matches of other texts rank after all matches of names. */
const OTHER = 10;

/** How well a word matches a text, lower is better; null if it doesn't match. */
function fit(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at === 0) return 0;
  if (at > 0) return /[\s/\\_.-]/.test(text[at - 1] ?? '') ? 1 : 2;
  let from = 0;
  for (const letter of word) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return SCATTERED;
}

interface Rank {
  sum: number;
  scattered: boolean;
}

function rank({ name, about = '', aliases = [] }: Searchable, words: readonly string[]): Rank | null {
  const texts = [name, about, ...aliases].map(fold);
  const ranked: Rank = { sum: 0, scattered: false };
  for (const word of words) {
    const fits = texts.map((text, index) => ({ fit: fit(text, word), other: index > 0 ? OTHER : 0 }));
    const literal = fits.flatMap(({ fit, other }) => (fit === null || fit === SCATTERED ? [] : fit + other));
    const scattered = fits.flatMap(({ fit, other }) => (fit === null ? [] : fit + other));
    const best = literal.length > 0 ? literal : scattered;
    if (best.length === 0) return null;
    ranked.sum += Math.min(...best);
    ranked.scattered ||= literal.length === 0;
  }
  return ranked;
}

function split(asked: string, between: RegExp): string[] {
  return asked
    .split(between)
    .map(fold)
    .filter((word) => word !== '');
}

export function wordsIn(asked: string): string[] {
  return split(asked, /[\s:,…]+/);
}

/** Returns whether a filter finds a text: whether the text contains each of its words. */
export function contains(text: string, asked: string): boolean {
  const folded = fold(text);
  return split(asked, /\s+/).every((word) => folded.includes(word));
}

/** What contains every searched word in its name or another of its texts, best match first. */
export function matching<T extends Searchable>(all: readonly T[], asked: string): T[] {
  const words = wordsIn(asked);
  const ranked = all.flatMap((one) => {
    const found = rank(one, words);
    return found === null ? [] : [{ one, ...found }];
  });
  const literal = ranked.filter(({ scattered }) => !scattered);
  return (literal.length > 0 ? literal : ranked).sort((a, b) => a.sum - b.sum).map(({ one }) => one);
}

/** A part of a name, and whether a searched word is in it. */
export interface Part {
  text: string;
  found: boolean;
}

/** Splits a name into the parts that contain a searched word and the parts between them. */
export function partsOf(name: string, asked: string): Part[] {
  return partsWith(name, wordsIn(asked));
}

/** Splits a text into the parts that a filter finds and the parts between them. */
export function partsFound(text: string, asked: string): Part[] {
  return partsWith(text, split(asked, /\s+/));
}

function partsWith(name: string, words: readonly string[]): Part[] {
  const { text, from } = foldedFrom(name);
  const found = new Set<number>();
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      for (const { start, end } of from.slice(at, at + word.length)) {
        for (let index = start; index < end; index += 1) found.add(index);
      }
    }
  }
  const parts: Part[] = [];
  for (let index = 0; index < name.length; index += 1) {
    const last = parts.at(-1);
    if (last && last.found === found.has(index)) last.text += name[index];
    else parts.push({ text: name[index] ?? '', found: found.has(index) });
  }
  return parts;
}
