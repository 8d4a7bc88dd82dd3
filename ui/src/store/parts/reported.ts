import type {
  AgentDescriptor,
  Approval,
  ApprovalId,
  ChangeTotals,
  Head,
  HeldEnd,
  LiveText,
  Request,
  RequestId,
  Retry,
  Session,
  SessionId,
  StorageNotice,
  StorageOutage,
} from '../../generated/wire';
import { indexed, type SessionIndex } from '../sessionIndex';

/** The state of the subscription to the app's frames. */
export interface Link {
  status: 'connecting' | 'live' | 'stale';
  epoch: string | null;
  seq: number;
  /** Counts snapshots: a page requested before the latest one may be outdated. */
  generation: number;
}

/** The last thing the app reported about each session, and about itself. */
export interface Reported {
  link: Link;
  sessions: readonly Session[];
  requests: SessionIndex<Request>;
  approvals: SessionIndex<Approval>;
  /** Items known only from transcript pages; streamed values take precedence. */
  archive: { requests: Readonly<Record<RequestId, Request>>; approvals: Readonly<Record<ApprovalId, Approval>> };
  live: Readonly<Record<SessionId, readonly LiveText[]>>;
  /** The attempts that agents wait for after a call of the model failed. */
  retries: Readonly<Record<SessionId, Retry>>;
  /** Answers that can still be undone before they are sent. */
  undoable: Readonly<Record<RequestId, HeldEnd>>;
  /** The sums of each session's changed files, as the app published them last. */
  changedFiles: Readonly<Record<SessionId, ChangeTotals>>;
  /** What is checked out in the folders of sessions. */
  heads: Readonly<Record<SessionId, Head>>;
  /** Every agent the app supports, installed or not. */
  agentsKnown: readonly AgentDescriptor[];
  storage: readonly StorageNotice[];
  /** What the disk refuses at the moment. */
  outage: StorageOutage | null;
}

export const initialReported: Reported = {
  link: { status: 'connecting', epoch: null, seq: 0, generation: 0 },
  sessions: [],
  requests: indexed([]),
  approvals: indexed([]),
  archive: { requests: {}, approvals: {} },
  live: {},
  retries: {},
  undoable: {},
  changedFiles: {},
  heads: {},
  agentsKnown: [],
  storage: [],
  outage: null,
};
