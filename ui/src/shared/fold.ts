/** A text as comparisons see it, with the place in the original of each of its units. */
export interface Folded {
  text: string;
  /** The part of the original that each unit of the folded text comes from. */
  from: readonly { start: number; end: number }[];
}

/** A letter with the marks after it, so that both normal forms of it are the same part of a text. */
const CLUSTERS = /\P{M}\p{M}*|\p{M}+/gu;

/** Accents, but not the vowels and tones of scripts that write them as marks. The voicing marks of kana make other letters. */
const ACCENTS = /(?![\u3099\u309a])(?=\p{Mn})\p{Script=Inherited}/gu;

// The first half of Latin-1 is exactly what folds without changing its length.
const PLAIN = /^[\u0000-\u007f]*$/;

/** Letters with a stroke, which no normal form takes apart. */
const STROKED: Record<string, string> = { Ł: 'L', Ø: 'O', Đ: 'D', Ħ: 'H', Ŧ: 'T' };

/**
 * A text without case, accents and normal form: what looks like the same word is the same text. Both cases are gone through,
 * because some letters only meet there: ß and ss, ς and σ, ı and i.
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toUpperCase();
  const letters = text.normalize('NFKD').replace(ACCENTS, '');
  return letters
    .toLowerCase()
    .toUpperCase()
    .replace(/[ŁØĐĦŦ]/g, (letter) => STROKED[letter] ?? letter);
}

export function foldedFrom(original: string): Folded {
  let text = '';
  const from: { start: number; end: number }[] = [];
  for (const { 0: cluster, index: start } of original.matchAll(CLUSTERS)) {
    const folded = fold(cluster);
    text += folded;
    for (let unit = 0; unit < folded.length; unit += 1) from.push({ start, end: start + cluster.length });
  }
  return { text, from };
}
