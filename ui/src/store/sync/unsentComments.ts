import type { DiffForm, LineComment } from '../changes';
import type { State } from '../state';

const COMMENTS_KEY = 'askdesk.comments';
const VIEWED_KEY = 'askdesk.viewed';
const FORM_KEY = 'askdesk.diff-form';

type Kept = Pick<State, 'comments' | 'viewed' | 'diffForm'>;

/** Loads the comments that were unsent when the window last closed, and the marks of viewed files. */
export function readComments(): Kept {
  const isMarks = (stored: unknown): stored is Record<string, string> =>
    typeof stored === 'object' && stored !== null && Object.values(stored).every((version) => typeof version === 'string');
  const isList = (stored: unknown): stored is LineComment[] => Array.isArray(stored) && stored.every(isComment);
  return { comments: read(COMMENTS_KEY, isList), viewed: read(VIEWED_KEY, isMarks), diffForm: readForm() };
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

function read<T>(key: string, is: (stored: unknown) => stored is T): Record<string, T> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter((pair): pair is [string, T] => is(pair[1])));
  } catch {
    return {};
  }
}

export function storeComments({ comments, viewed, diffForm }: Kept): void {
  store(COMMENTS_KEY, comments, (list) => list.length > 0);
  store(VIEWED_KEY, viewed, (marks) => Object.keys(marks).length > 0);
  try {
    localStorage.setItem(FORM_KEY, diffForm);
  } catch {
    // The choice then lasts as long as the window.
  }
}

function store<T>(key: string, values: Readonly<Record<string, T>>, worthStoring: (value: T) => boolean): void {
  const kept = Object.entries(values).filter(([, value]) => worthStoring(value));
  try {
    if (kept.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // If the storage is full, it keeps its previous content; the comments are still in the window.
  }
}
