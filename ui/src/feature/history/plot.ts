/** A bar of a plot, and the row of the table with the same numbers. */
export interface Bar {
  /** The full name, for the table. */
  name: string;
  /** The text under the bar; null if it has none. */
  label: string | null;
  count: number;
  /** Marks the bar that the plot's headline is about. */
  marked?: boolean;
}

/** The most lines above the base line. */
const LINES = 3;

export function highestOf(bars: readonly Bar[] | null): Bar | null {
  return (bars ?? []).reduce<Bar | null>((best, bar) => (best === null || bar.count > best.count ? bar : best), null);
}

/**
 * The values of the lines of a plot, smallest first: multiples of 1, 2 or 5 times a power of ten that reach up to a count.
 * Lines of amounts can be fractions, down to a cent.
 */
export function linesUpTo(most: number, whole = true): number[] {
  const least = whole ? 0 : -2;
  const reached = Math.max(most, 10 ** least);
  const wanted = reached / LINES;
  const power = 10 ** Math.max(least, Math.floor(Math.log10(wanted)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((value) => value >= wanted) ?? wanted;
  // 0.1 + 0.2 is a little more than 0.3.
  const rounded = (value: number) => Number(value.toPrecision(12));
  const count = Math.ceil(rounded(reached / step));
  return Array.from({ length: count }, (_, index) => rounded((index + 1) * step));
}
