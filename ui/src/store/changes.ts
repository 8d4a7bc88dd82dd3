import type { ChangedFile, ChangedFiles, ChangeTotals, FileChange, Session, SessionId } from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { Handlers } from './handlers';
import { goToChanges } from './navigation';
import type { DiffForm, LineComment, SessionChanges } from './parts/changes';
import { openApprovals, openRequests, sessionOf } from './select';
import type { State } from './state';

/** The most comments that a session keeps. */
export const MOST_COMMENTS = 200;

export type ChangesAction =
  | { type: 'changes_opened'; session: SessionId }
  | { type: 'changes_asked'; session: SessionId }
  | { type: 'changes_listed'; session: SessionId; listed: ChangedFiles }
  | { type: 'changes_failed'; session: SessionId; error: AppError }
  | { type: 'change_picked'; session: SessionId; file: string }
  | { type: 'change_read'; session: SessionId; change: FileChange }
  | { type: 'change_failed'; session: SessionId; file: string; error: AppError }
  | { type: 'change_viewed'; session: SessionId; file: ChangedFile; viewed: boolean }
  | { type: 'comment_begun'; session: SessionId; comment: LineComment }
  | { type: 'comment_written'; session: SessionId; comment: string; text: string }
  | { type: 'comment_opened' | 'comment_added' | 'comment_left' | 'comment_removed'; session: SessionId; comment: string }
  | { type: 'comments_sent'; session: SessionId; sent: readonly LineComment[] }
  | { type: 'diff_form_chosen'; form: DiffForm };

export const noChanges: SessionChanges = { listed: null, reading: false, error: null, picked: null, shown: null, shownError: null };

export const changesHandlers: Handlers<ChangesAction> = {
  changes_opened: (state, { session }) => goToChanges(state, session),
  changes_asked: (state, { session }) => withChanges(state, session, { reading: true }),
  changes_listed: (state, { session, listed }) => withChanges(state, session, { listed, reading: false, error: null }),
  changes_failed: (state, { session, error }) => withChanges(state, session, { error, reading: false }),
  change_picked: (state, { session, file }) => withChanges(state, session, { picked: file, shownError: null }),
  change_read(state, { session, change }) {
    // The user has picked another file meanwhile.
    if (pickedFile(state, session)?.id !== change.file.id) return state;
    return withChanges(state, session, { shown: change, shownError: null });
  },
  change_failed(state, { session, file, error }) {
    if (pickedFile(state, session)?.id !== file) return state;
    return withChanges(state, session, { shown: null, shownError: error });
  },
  change_viewed(state, { session, file, viewed }) {
    const { [file.id]: _, ...others } = state.viewed[session] ?? {};
    const marks = viewed ? { ...others, [file.id]: file.version } : others;
    return { ...state, viewed: { ...state.viewed, [session]: marks } };
  },
  comment_begun(state, { session, comment }) {
    const known = commentsOf(state, session);
    if (known.length >= MOST_COMMENTS) return state;
    // A second comment on a line goes on with the one that is being written there.
    const same = (one: LineComment) =>
      one.draft !== null && one.file === comment.file && one.side === comment.side && one.line === comment.line;
    return known.some(same) ? state : withComments(state, session, [...known, comment]);
  },
  comment_written: (state, { session, comment, text }) => withComment(state, session, comment, () => ({ draft: text })),
  comment_opened: (state, { session, comment }) => withComment(state, session, comment, ({ text, draft }) => ({ draft: draft ?? text })),
  comment_added: (state, { session, comment }) =>
    withComment(state, session, comment, ({ text, draft }) => ({ text: (draft ?? text).trim(), draft: null })),
  comment_left(state, { session, comment }) {
    const left = withComment(state, session, comment, () => ({ draft: null }));
    return withComments(
      left,
      session,
      commentsOf(left, session).filter(({ id, text }) => id !== comment || text !== ''),
    );
  },
  comment_removed: (state, { session, comment }) =>
    withComments(
      state,
      session,
      commentsOf(state, session).filter(({ id }) => id !== comment),
    ),
  comments_sent(state, { session, sent }) {
    // What was changed while it was being sent stays.
    const isSent = (one: LineComment) => one.draft === null && sent.some(({ id, text }) => id === one.id && text === one.text);
    return withComments(
      state,
      session,
      commentsOf(state, session).filter((one) => !isSent(one)),
    );
  },
  diff_form_chosen: (state, { form }) => ({ ...state, diffForm: form }),
};

export function changesOf(state: Pick<State, 'changes'>, session: SessionId): SessionChanges {
  return state.changes[session] ?? noChanges;
}

/** The totals that the app published last; null if nothing has changed. */
export function changedTotals(state: State, session: SessionId): ChangeTotals | null {
  const totals = state.changedFiles[session];
  return totals && totals.files > 0 ? totals : null;
}

/** The file that is shown: the picked one, or the first. */
export function pickedFile(state: Pick<State, 'changes'>, session: SessionId): ChangedFile | null {
  const { listed, picked } = changesOf(state, session);
  return listed?.files.find(({ id }) => id === picked) ?? listed?.files[0] ?? null;
}

/** Whether the user has marked this version of a file. */
export function isViewed(state: Pick<State, 'viewed'>, session: SessionId, file: ChangedFile): boolean {
  return state.viewed[session]?.[file.id] === file.version;
}

export function commentsOf(state: Pick<State, 'comments'>, session: SessionId): readonly LineComment[] {
  return state.comments[session] ?? [];
}

export function addedComments(state: Pick<State, 'comments'>, session: SessionId): readonly LineComment[] {
  return commentsOf(state, session).filter(({ text, draft }) => text !== '' && draft === null);
}

/** How comments reach the agent: at once, after its turn, or, if it can't be resumed, not at all. They never close a question. */
export function wayOfComments(state: State, { id }: Session): 'send' | 'queue' | 'resume' | 'never' {
  const session = sessionOf(state, id);
  if (!session) return 'never';
  if (session.state.state === 'ended') return session.resumable ? 'resume' : 'never';
  const asked = openRequests(state, id).length > 0 || openApprovals(state, id).length > 0;
  return asked || session.state.state !== 'idle' ? 'queue' : 'send';
}

function withChanges(state: State, session: SessionId, change: Partial<SessionChanges>): State {
  return { ...state, changes: { ...state.changes, [session]: { ...changesOf(state, session), ...change } } };
}

function withComments(state: State, session: SessionId, comments: readonly LineComment[]): State {
  return { ...state, comments: { ...state.comments, [session]: comments } };
}

function withComment(state: State, session: SessionId, comment: string, change: (known: LineComment) => Partial<LineComment>): State {
  const changed = commentsOf(state, session).map((one) => (one.id === comment ? { ...one, ...change(one) } : one));
  return withComments(state, session, changed);
}
