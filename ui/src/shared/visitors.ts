import type { AgentId, Channel, Origin, Session } from '../generated/wire';

/** Whether a session is of a client that the desk did not start. */
export function visits({ origin }: Session): boolean {
  return origin.kind === 'inbound';
}

/** The agent behind an origin; none for a client that only asks. */
export function agentIn(origin: Origin): AgentId | null {
  return origin.kind === 'inbound' ? null : origin.agent;
}

/** How a client connects; none for an agent. */
export function channelOf(origin: Origin): Channel | null {
  return origin.kind === 'inbound' ? origin.channel : null;
}
