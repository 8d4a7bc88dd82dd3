import type { TranscriptPage } from '../generated/wire';
import { noteEntry } from './activity';
import type { PageAsked } from './parts/transcripts';
import { transcriptOf } from './select';
import type { State } from './state';
import { addPage } from './transcriptWindow';

/** Merges a loaded page into a transcript; entries that were streamed in the meantime stay. */
export function takePage(state: State, asked: PageAsked, page: TranscriptPage): State {
  if (asked.generation !== state.link.generation) return state;
  const transcript = transcriptOf(state, asked.session);
  const read = addPage(transcript, asked, page);
  const next = { ...state, transcripts: { ...state.transcripts, [asked.session]: read } };
  const isKnown = asked.before !== null || asked.session in state.activity;
  const noted = isKnown ? next : page.entries.reduce((folded, entry) => noteEntry(folded, asked.session, entry), next);
  return archivePage(noted, page);
}

/** Archives the requests and approvals of a page. */
export function archivePage(state: State, page: TranscriptPage): State {
  return {
    ...state,
    archive: {
      requests: { ...state.archive.requests, ...index(page.requests) },
      approvals: { ...state.archive.approvals, ...index(page.approvals) },
    },
  };
}

function index<T extends { id: string }>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value) => [value.id, value]));
}
