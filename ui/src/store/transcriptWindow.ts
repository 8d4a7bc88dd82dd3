import type { Entry, TranscriptPage } from '../generated/wire';
import type { Transcript } from './parts/transcripts';
import type { PageAsked } from './parts/transcripts';
import { holds, mergeEntries, withEntry, withPlace } from './transcriptEntries';

/**
 * How many entries of a transcript the page keeps in memory: the newest ones, or those around the scroll position.
 * Beyond `most`, it drops back to `kept`; dropped entries are loaded again on scrolling.
 */
export const WINDOW = { kept: 2_000, most: 3_000 } as const;

/** Adds a streamed entry, unless it is outside the loaded range. */
export function addEntry(transcript: Transcript, entry: Entry): Transcript {
  const { entries, atEnd, later, more } = transcript;
  const newest = Math.max(transcript.newest, entry.n);
  const [first, last] = [entries[0]?.n ?? entry.n, entries.at(-1)?.n ?? 0];
  const behind = entry.n > last;
  const full = !atEnd && behind && entries.length >= WINDOW.most;
  if ((behind && later) || full) return outside({ ...transcript, newest, later: true }, entry);
  if (more && entry.n < first) return outside({ ...transcript, newest }, entry);
  return { ...transcript, newest, entries: withEntry(entries, entry), streamed: withPlace(transcript.streamed, entry.n) };
}

/** A page that is still loading may not include this entry. */
function outside(transcript: Transcript, entry: Entry): Transcript {
  if (transcript.status !== 'reading') return transcript;
  return { ...transcript, meanwhile: [...transcript.meanwhile, entry].slice(-WINDOW.most) };
}

/** Merges a page. A page that would leave a gap is dropped, because the loaded range has moved on. */
export function addPage(transcript: Transcript, asked: PageAsked, page: TranscriptPage): Transcript {
  const read: Transcript = { ...transcript, status: 'read', error: null, meanwhile: [] };
  const first = transcript.entries[0]?.n ?? null;
  const last = transcript.entries.at(-1)?.n ?? null;
  if (asked.before === null) {
    // If the end wasn't loaded, the loaded entries don't connect to the latest page.
    const own = transcript.later ? [] : transcript.entries.filter(({ n }) => holds(transcript.streamed, n));
    const [begins, ends] = [own[0]?.n, page.entries.at(-1)?.n];
    if (begins !== undefined && ends !== undefined && begins > ends + 1) return read;
    const loaded = { ...read, entries: mergeEntries(page.entries, own), more: page.more };
    return finish(loaded, transcript.meanwhile);
  }
  if (first === null || last === null || asked.before <= first) {
    if (first !== null && asked.before < first) return read;
    const loaded = { ...read, entries: mergeEntries(page.entries, transcript.entries), more: page.more };
    return finish(loaded, transcript.meanwhile);
  }
  const next = page.entries[0]?.n;
  if (next === undefined || next > last + 1) return read;
  const fresh = page.entries.filter(({ n }) => n > last);
  return finish({ ...read, entries: [...transcript.entries, ...fresh] }, transcript.meanwhile);
}

/** Merges the entries that arrived while the page was loading, if they connect to the loaded range. */
function finish(transcript: Transcript, meanwhile: readonly Entry[]): Transcript {
  let { entries, streamed } = transcript;
  for (const entry of meanwhile) {
    const [first, last] = [entries[0]?.n ?? 0, entries.at(-1)?.n ?? 0];
    if (entry.n > last + 1 || (transcript.more && entry.n < first)) continue;
    entries = withEntry(entries, entry);
    streamed = withPlace(streamed, entry.n);
  }
  const last = entries.at(-1)?.n ?? 0;
  const newest = Math.max(transcript.newest, last);
  return { ...transcript, entries, streamed, newest, later: last < newest };
}

/** Unloads entries far from the scroll position. */
export function trim(transcript: Transcript, from: 'start' | 'end'): Transcript {
  if (transcript.entries.length <= WINDOW.most) return transcript;
  return from === 'start'
    ? { ...transcript, entries: transcript.entries.slice(-WINDOW.kept), more: true }
    : { ...transcript, entries: transcript.entries.slice(0, WINDOW.kept), later: true };
}

export function isOverfull(transcript: Transcript): boolean {
  return transcript.entries.length > WINDOW.most;
}
