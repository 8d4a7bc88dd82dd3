import type { AgentDescriptor, AgentId, Channel, Origin, Session } from '../../generated/wire';
import { nameOfAgent } from '../../shared/agentNames';
import { t } from '../../shared/messages';
import { visibly } from '../../shared/visible';

/** Whether a session belongs to a connected app: an agent that Askdesk didn't start. */
export function isInbound({ origin }: Session): boolean {
  return origin.kind === 'inbound';
}

/** The agent behind an origin; null for a client that only asks. */
export function agentIn(origin: Origin): AgentId | null {
  return origin.kind === 'inbound' ? null : origin.agent;
}

/** How a client connects; null for an agent. */
export function channelOf(origin: Origin): Channel | null {
  return origin.kind === 'inbound' ? origin.channel : null;
}

/** What runs in a session: the agent's name, or the client's channel. */
export function wordsOfOrigin(agents: readonly AgentDescriptor[], { origin }: Session): string {
  return origin.kind === 'inbound' ? t(`channel.${origin.channel}`) : nameOfAgent(agents, origin.agent);
}

/** Who asks in a session: its agent, or the connected app. */
export function nameOfAsker(agents: readonly AgentDescriptor[], session: Session): string {
  return isInbound(session) ? clientOf(session) : wordsOfOrigin(agents, session);
}

/** The name that a session's client reports. */
export function clientOf({ origin }: Session): string {
  if (origin.kind !== 'inbound') return t('connected_app.unnamed');
  return origin.client ? visibly(origin.client) : t(`channel.${origin.channel}`);
}
