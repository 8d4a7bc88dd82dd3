import type { ApprovalId, RequestId, SessionId } from '../../generated/wire';

/** What an agent is doing, for one line of text. */
export interface Activity {
  /** The task in progress, its position, and how many there are. */
  todo: { text: string; n: number; count: number } | null;
  /** The tool call that hasn't ended. */
  tool: { id: string; name: string; summary: string; runs: boolean } | null;
  /** The first line of what the agent said last. */
  said: string | null;
  /** Whether the user has stopped the turn. */
  stopped: boolean;
}

/** Something that screen readers announce once. */
export type News =
  | { news: 'request'; request: RequestId }
  | { news: 'approval'; approval: ApprovalId }
  | { news: 'finished' | 'failed'; session: SessionId };

/** What the page has noticed in the reports. */
export interface Noticed {
  /** Sessions with new entries since they were last in view. */
  unread: Readonly<Record<SessionId, true>>;
  /** Sessions whose last turn has finished, without an error or a stop, and the number of the entry that ended it. */
  finished: Readonly<Record<SessionId, number>>;
  activity: Readonly<Record<SessionId, Activity>>;
  /** When the user last wrote in a session, or a turn of it ended, as far as the page has seen it. */
  lastAt: Readonly<Record<SessionId, number>>;
  /** When the user asked an agent to stop its turn; removed once it has stopped. */
  stopping: Readonly<Record<SessionId, number>>;
  /** The open questions that have been known long enough to count as seen. */
  settled: Readonly<Record<RequestId, true>>;
  /** Requests whose outcome was just delivered; shown briefly. */
  delivered: readonly RequestId[];
  announced: { serial: number; news: readonly News[] };
}

export const initialNoticed: Noticed = {
  unread: {},
  finished: {},
  activity: {},
  lastAt: {},
  stopping: {},
  settled: {},
  delivered: [],
  announced: { serial: 0, news: [] },
};
