import type { ApprovalId, ChangedFile, RequestId, SessionId, ShownPart } from '../../generated/wire';
import { initialNavigation, type Navigation } from '../place';

/** How a session is ended; `continue` goes on in a terminal. */
export type Ending = 'end' | 'close' | 'continue';

/** What can be done with the worktree of a session. */
export type WorktreeAction = 'merge' | 'rebase' | 'remove';

/** A dialog above the window; only one is open at a time. */
export type Overlay =
  | { overlay: 'palette' | 'keys' }
  /** Opens at what `at` names: a setting, a category, the connected apps, or the notification log. */
  | { overlay: 'settings'; at?: string }
  /** The whole list of sessions, in a window that is too narrow for it. */
  | { overlay: 'sessions' }
  | { overlay: 'log'; session: SessionId }
  /** Confirms ending or closing a session that is at work or would lose something. */
  | { overlay: 'ending'; session: SessionId; action: Ending }
  /** Says what a fork before a message leaves as it is. */
  | { overlay: 'fork'; session: SessionId; entry: number; text: string }
  /** Confirms reverting a changed file, or one part of it. */
  | { overlay: 'revert'; session: SessionId; file: ChangedFile; part: ShownPart | null }
  /** Completes a permission rule that denies a request. */
  | { overlay: 'rule'; approval: ApprovalId }
  /** Merges, rebases, or removes the worktree of a session. */
  | { overlay: 'worktree'; session: SessionId; action: WorktreeAction }
  /** Says what is new in a newer version, or what installing it does. */
  | { overlay: 'update'; part: 'news' | 'install' }
  /** Confirms opening an external address. */
  | { overlay: 'link'; url: string };

/** What the inbox can be filtered to. */
export type InboxKind = 'all' | 'questions' | 'approvals' | 'missed';

/** The Inbox view of everything waiting in all sessions. */
export interface Inbox {
  kind: InboxKind;
  /** The session that the inbox is filtered to; null means all. */
  session: SessionId | null;
  newestFirst: boolean;
  /** When the inbox was opened; items that end later stay in place. */
  since: number;
}

/** Where the user is. */
export interface Navigated {
  navigation: Navigation;
  overlay: Overlay | null;
  /** A session to select as soon as it is known. */
  remembered: SessionId | null;
  inbox: Inbox;
  /** The waiting request last shown by the keyboard shortcut. */
  lastWaiting: { id: RequestId; askedAt: number } | null;
}

export const initialNavigated: Navigated = {
  navigation: initialNavigation,
  overlay: null,
  remembered: null,
  inbox: { kind: 'all', session: null, newestFirst: false, since: 0 },
  lastWaiting: null,
};
