import type { ContextUse, SessionId, SessionUsage, UsageSum } from '../../generated/wire';

/** Tokens, cost and contexts. */
export interface UsageState {
  /** How full contexts are, as reported in this run of the app; null where the agent no longer knows. */
  contexts: Readonly<Record<SessionId, ContextUse | null>>;
  /** What sessions used, once read. */
  sessions: Readonly<Record<SessionId, SessionUsage>>;
  /** What all sessions used today, once read. */
  today: UsageSum | null;
  /** How many turns ended since the page was loaded; with each, what was read before is outdated. */
  turns: Readonly<Record<SessionId, number>>;
}

export const initialUsage: UsageState = { contexts: {}, sessions: {}, today: null, turns: {} };
