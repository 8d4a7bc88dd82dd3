import type { Entry } from '../generated/wire';

/** Entries in ascending order, in chunks: adding one copies a single chunk instead of all entries. */
export type Entries = readonly (readonly Entry[])[];

const CHUNK = 512;

export function inChunks(entries: readonly Entry[]): Entries {
  const count = Math.ceil(entries.length / CHUNK);
  return Array.from({ length: count }, (_, at) => entries.slice(at * CHUNK, (at + 1) * CHUNK));
}

export function allOf(entries: Entries): Entry[] {
  return ([] as Entry[]).concat(...entries);
}

export function firstOf(entries: Entries): Entry | undefined {
  return entries[0]?.[0];
}

export function lastOf(entries: Entries): Entry | undefined {
  return entries.at(-1)?.at(-1);
}

/** The last text of the agent among the entries; null if there is none. */
export function lastTextOf(entries: Entries): string | null {
  for (const chunk of entries.toReversed()) {
    const found = chunk.findLast(({ body }) => body.kind === 'agent');
    if (found?.body.kind === 'agent') return found.body.text;
  }
  return null;
}

export function countOf(entries: Entries): number {
  return entries.reduce((count, chunk) => count + chunk.length, 0);
}

/** Removes leading chunks, as many as possible while keeping at least `kept` entries. */
export function withoutFirst(entries: Entries, kept: number): Entries {
  let count = countOf(entries);
  const start = entries.findIndex((chunk) => (count -= chunk.length) < kept);
  return entries.slice(Math.max(start, 0));
}

/** Removes trailing chunks, as many as possible while keeping at least `kept` entries. */
export function withoutLast(entries: Entries, kept: number): Entries {
  let count = 0;
  const end = entries.findIndex((chunk) => (count += chunk.length) >= kept);
  return end < 0 ? entries : entries.slice(0, end + 1);
}

/** Inserts an entry in order; replaces an entry with the same number. */
export function withEntry(entries: Entries, entry: Entry): Entries {
  const last = entries.at(-1) ?? [];
  const end = last.at(-1);
  if (!end || end.n < entry.n) {
    if (last.length === 0 || last.length >= CHUNK) return [...entries, [entry]];
    return entries.with(-1, [...last, entry]);
  }
  const at = entries.findLastIndex((chunk) => (chunk[0]?.n ?? 0) <= entry.n);
  const chunk = entries[Math.max(at, 0)] ?? [];
  const index = chunk.findIndex((other) => other.n >= entry.n);
  const changed =
    chunk[index]?.n === entry.n
      ? chunk.with(index, entry)
      : chunk.toSpliced(index < 0 ? chunk.length : index, 0, entry);
  return entries.with(Math.max(at, 0), changed);
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
