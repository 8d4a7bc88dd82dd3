import type { Entry, TranscriptPage } from '../generated/wire';
import { emptyTranscript, type State } from './state';
import { addPage } from './transcriptWindow';

/** The page of a transcript that was asked for. */
export interface PageAsked {
  session: string;
  /** None means the newest page. */
  before: number | null;
  generation: number;
}

/** Puts a page of a transcript in its place; what the stream said in the meantime stays. */
export function takePage(state: State, asked: PageAsked, page: TranscriptPage): State {
  if (asked.generation !== state.link.generation) return state;
  const transcript = state.transcripts[asked.session] ?? emptyTranscript;
  const read = addPage(transcript, asked, page);
  const next = { ...state, transcripts: { ...state.transcripts, [asked.session]: read } };
  return archivePage(next, page);
}

/** Keeps what a page speaks of. */
export function archivePage(state: State, page: TranscriptPage): State {
  return {
    ...state,
    archive: {
      requests: { ...state.archive.requests, ...index(page.requests) },
      approvals: { ...state.archive.approvals, ...index(page.approvals) },
    },
  };
}

/** Puts entries in their order; those that are kept go before those of a page. */
export function mergeEntries(page: readonly Entry[], kept: readonly Entry[]): Entry[] {
  const places = new Map(page.map((entry) => [entry.n, entry]));
  for (const entry of kept) places.set(entry.n, entry);
  return [...places.values()].sort((a, b) => a.n - b.n);
}

function index<T extends { id: string }>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value) => [value.id, value]));
}
