import type { Entry } from '../generated/wire';

/** The last text of the agent among the entries; null if there is none. */
export function lastTextOf(entries: readonly Entry[]): string | null {
  const found = entries.findLast(({ body }) => body.kind === 'agent');
  return found?.body.kind === 'agent' ? found.body.text : null;
}

/** Inserts an entry in order; replaces an entry with the same number. */
export function withEntry(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  const at = entries.findLastIndex(({ n }) => n <= entry.n);
  return entries[at]?.n === entry.n ? entries.with(at, entry) : entries.toSpliced(at + 1, 0, entry);
}

/** Merges entries in order; loaded entries take precedence over those of the page. */
export function mergeEntries(page: readonly Entry[], kept: readonly Entry[]): Entry[] {
  const places = new Map(page.map((entry) => [entry.n, entry]));
  for (const entry of kept) places.set(entry.n, entry);
  return [...places.values()].sort((a, b) => a.n - b.n);
}

/** Entry numbers as ordered, separate ranges; both ends are included. */
export type Places = readonly (readonly [from: number, to: number])[];

export function holds(places: Places, n: number): boolean {
  const run = places.findLast(([from]) => from <= n);
  return run !== undefined && n <= run[1];
}

export function withPlace(places: Places, n: number): Places {
  const at = places.findLastIndex(([from]) => from <= n);
  const [before, after] = [places[at], places[at + 1]];
  if (before && n <= before[1]) return places;
  const from = before && before[1] === n - 1 ? before[0] : n;
  const to = after && after[0] === n + 1 ? after[1] : n;
  const start = from === n ? at + 1 : at;
  const end = to === n ? at + 1 : at + 2;
  return places.toSpliced(start, end - start, [from, to]);
}
