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

/** The values of the lines of a plot, smallest first: multiples of 1, 2 or 5 times a power of ten that reach up to a count. */
export function linesUpTo(most: number): number[] {
  const wanted = Math.max(most, 1) / LINES;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(wanted)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((value) => value >= wanted) ?? wanted;
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) }, (_, index) => (index + 1) * step);
}
