import type { ChangedFiles, FileChange, SessionId } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';

/** A comment on a line, until it is sent. */
export interface LineComment {
  id: string;
  file: string;
  path: string;
  /** Which version of the file the line belongs to. */
  side: 'before' | 'now';
  line: number;
  /** The line as it was when the comment was begun. */
  quote: string;
  /** The added text; empty until the comment is added. */
  text: string;
  /** The text in its field; null while it isn't being written. */
  draft: string | null;
}

/** What the window knows about a session's changed files. */
export interface SessionChanges {
  listed: ChangedFiles | null;
  reading: boolean;
  error: AppError | null;
  /** The file that is shown; null means the first one. */
  picked: string | null;
  shown: FileChange | null;
  /** Why the picked file can't be shown. */
  shownError: AppError | null;
}

export type DiffForm = 'unified' | 'split';

/** The changed files of sessions, and the user's comments on them. */
export interface Changes {
  changes: Readonly<Record<SessionId, SessionChanges>>;
  /** Comments on changed lines that haven't been sent. */
  comments: Readonly<Record<SessionId, readonly LineComment[]>>;
  /** The versions of changed files that the user has marked as viewed, by file id. */
  viewed: Readonly<Record<SessionId, Readonly<Record<string, string>>>>;
  diffForm: DiffForm;
}

export const initialChanges: Changes = { changes: {}, comments: {}, viewed: {}, diffForm: 'split' };
