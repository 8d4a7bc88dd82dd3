import type { Entry, SessionId } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';
import type { Places } from '../transcriptEntries';

export interface Transcript {
  entries: readonly Entry[];
  /** Entries that the stream has set since the last snapshot; pages never overwrite them. */
  streamed: Places;
  status: 'unread' | 'reading' | 'read';
  /** Whether older entries exist that aren't loaded. */
  more: boolean;
  /** Whether newer entries exist that aren't loaded. */
  later: boolean;
  /** The highest known entry number. */
  newest: number;
  /** Whether the user follows the end; the loaded entries then move on with it. */
  atEnd: boolean;
  /** How often the user's own act asked for the end, as sending a message does. */
  endsAsked: number;
  /** Entries that streamed in while a page was loading, outside the loaded range. */
  meanwhile: readonly Entry[];
  error: AppError | null;
}

export const emptyTranscript: Transcript = {
  entries: [],
  streamed: [],
  status: 'unread',
  more: false,
  later: false,
  newest: 0,
  atEnd: true,
  endsAsked: 0,
  meanwhile: [],
  error: null,
};

/** A requested page of a transcript. */
export interface PageAsked {
  session: string;
  /** Null means the latest page. */
  before: number | null;
  generation: number;
}

/** What the page has loaded of transcripts. */
export interface Transcripts {
  transcripts: Readonly<Record<SessionId, Transcript>>;
  /** Entries that the user expanded or collapsed, by entry number; a run of tool calls, by the negative number of its first. */
  unfolded: Readonly<Record<SessionId, Readonly<Record<number, boolean>>>>;
}

export const initialTranscripts: Transcripts = { transcripts: {}, unfolded: {} };
