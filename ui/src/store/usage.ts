import type { Change, ContextUse, Entry, SessionContext, SessionId, SessionUsage, UsageSum } from '../generated/wire';
import type { Handlers } from './handlers';
import type { UsageState } from './parts/usage';
import { withoutKey } from './records';
import type { State } from './state';

/** From this share on, a context counts as nearly full. */
export const NEARLY_FULL = 0.85;

export type UsageAction = { type: 'usage_read'; session: SessionId; usage: SessionUsage } | { type: 'today_counted'; today: UsageSum };

export const usageHandlers: Handlers<UsageAction> = {
  usage_read: (state, { session, usage }) => withUsage(state, { sessions: { ...state.usage.sessions, [session]: usage } }),
  today_counted: (state, { today }) => withUsage(state, { today }),
};

export function takeContexts(contexts: readonly SessionContext[]): UsageState['contexts'] {
  return Object.fromEntries(contexts.map(({ session, context }) => [session, context]));
}

export function putContext(state: State, { changed: { session, context } }: Extract<Change, { change: 'context' }>): State {
  return withUsage(state, { contexts: { ...state.usage.contexts, [session]: context } });
}

/** Notes an entry that makes earlier sums outdated. */
export function noteTurnEnd(state: State, session: SessionId, { body }: Entry): State {
  if (body.kind !== 'turn_ended') return state;
  const { turns } = state.usage;
  return withUsage(state, { turns: { ...turns, [session]: (turns[session] ?? 0) + 1 } });
}

/** Forgets a session that is no longer shown. */
export function forgetUsage(state: State, session: SessionId): State {
  const { contexts, sessions, turns } = state.usage;
  return withUsage(state, {
    contexts: withoutKey(contexts, session),
    sessions: withoutKey(sessions, session),
    turns: withoutKey(turns, session),
  });
}

/** How full the context of a session is; null if its agent doesn't say. */
export function contextOf({ usage }: State, session: SessionId): ContextUse | null {
  const reported = usage.contexts[session];
  const context = reported === undefined ? (usage.sessions[session]?.context ?? null) : reported;
  return context && context.size > 0 ? context : null;
}

/** The share of the context in use, from 0 to 1. */
export function shareOf({ used, size }: ContextUse): number {
  return Math.min(1, used / size);
}

function withUsage(state: State, change: Partial<UsageState>): State {
  return { ...state, usage: { ...state.usage, ...change } };
}
