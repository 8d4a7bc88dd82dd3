import { agentIn } from '../entities/session/origin';
import type { AgentDescriptor, Session } from '../generated/wire';
import type { State } from './state';

/** The demo's config option for the example to play. */
const EXAMPLE = 'example';

/** The agent of a session; null for a client that only asks, and for an agent the app no longer knows. */
export function agentOf(state: State, { origin }: Session): AgentDescriptor | null {
  const id = agentIn(origin);
  return state.agentsKnown.find((agent) => agent.id === id) ?? null;
}

/** Whether a session can begin with a copy of this one's conversation. */
export function canFork(state: State, session: Session): boolean {
  const isBusy = session.state.state === 'working' || session.state.state === 'starting';
  return session.nativeSession !== null && !isBusy && (agentOf(state, session)?.capabilities.fork ?? false);
}

/** Whether a session works in one of the user's folders. */
export function worksInFolder(state: State, session: Session): boolean {
  return agentOf(state, session)?.capabilities.folder ?? true;
}

/** The demo agent, which plays examples and needs nothing from the user. */
export function demoOf(state: State): AgentDescriptor | null {
  const plays = ({ config }: AgentDescriptor) => config.some(({ id }) => id === EXAMPLE);
  return state.agentsKnown.find((agent) => !agent.capabilities.folder && plays(agent)) ?? null;
}

export function exampleConfig(example: string): Record<string, string> {
  return { [EXAMPLE]: example };
}
