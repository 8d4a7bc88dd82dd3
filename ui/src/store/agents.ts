import { agentIn } from '../entities/session/origin';
import type { AgentDescriptor, Session } from '../generated/wire';
import type { State } from './state';

/** The config option by which the demo takes what it plays. */
const EXAMPLE = 'example';

/** What the agent of a session is; none for a client that only asks, and for an agent the app no longer knows. */
export function agentOf(state: State, { origin }: Session): AgentDescriptor | null {
  const id = agentIn(origin);
  return state.agentsKnown.find((agent) => agent.id === id) ?? null;
}

/** Whether a session works in a folder of the person's. */
export function worksInFolder(state: State, session: Session): boolean {
  return agentOf(state, session)?.capabilities.folder ?? true;
}

/** The agent that plays examples and needs nothing of the person's. */
export function demoOf(state: State): AgentDescriptor | null {
  const plays = ({ config }: AgentDescriptor) => config.some(({ id }) => id === EXAMPLE);
  return state.agentsKnown.find((agent) => !agent.capabilities.folder && plays(agent)) ?? null;
}

export function exampleConfig(example: string): Record<string, string> {
  return { [EXAMPLE]: example };
}
