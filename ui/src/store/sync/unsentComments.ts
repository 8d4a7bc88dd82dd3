import type { DiffForm, LineComment } from '../parts/changes';
import type { State } from '../state';
import { readRecord, storeRecord } from './storedRecords';

const COMMENTS_KEY = 'askdesk.comments';
const VIEWED_KEY = 'askdesk.viewed';
const FORM_KEY = 'askdesk.diff-form';

type Kept = Pick<State, 'comments' | 'viewed' | 'diffForm'>;

/** Loads the comments that were unsent when the window last closed, and the marks of viewed files. */
export function readComments(): Kept {
  const isMarks = (stored: unknown): stored is Record<string, string> =>
    typeof stored === 'object' && stored !== null && Object.values(stored).every((version) => typeof version === 'string');
  const isList = (stored: unknown): stored is LineComment[] => Array.isArray(stored) && stored.every(isComment);
  return { comments: readRecord(COMMENTS_KEY, isList), viewed: readRecord(VIEWED_KEY, isMarks), diffForm: readForm() };
}

function readForm(): DiffForm {
  try {
    return localStorage.getItem(FORM_KEY) === 'unified' ? 'unified' : 'split';
  } catch {
    return 'split';
  }
}

function isComment(stored: unknown): stored is LineComment {
  if (typeof stored !== 'object' || stored === null) return false;
  const { id, file, path, side, line, quote, text, draft } = stored as Record<string, unknown>;
  const texts = [id, file, path, quote, text].every((value) => typeof value === 'string');
  return texts && (side === 'before' || side === 'now') && typeof line === 'number' && (draft === null || typeof draft === 'string');
}

export function storeComments({ comments, viewed, diffForm }: Kept): void {
  storeRecord(COMMENTS_KEY, comments, (list) => list.length > 0);
  storeRecord(VIEWED_KEY, viewed, (marks) => Object.keys(marks).length > 0);
  try {
    localStorage.setItem(FORM_KEY, diffForm);
  } catch {
    // The choice then lasts as long as the window.
  }
}
