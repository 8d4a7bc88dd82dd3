import type { AgentDescriptor, AgentId, Channel, Session } from '../generated/wire';
import { lookUp, t, type MessageKey } from './messages';
import { visibly } from './visible';

const channelWords = {
  mcp: 'channel.mcp',
  terminal_hook: 'channel.terminal_hook',
  command_line: 'channel.command_line',
} as const satisfies Record<Channel, MessageKey>;

/** What an agent is called: a brand as it is, unless the catalogue translates it. */
export function nameOfAgent(agents: readonly AgentDescriptor[], id: AgentId): string {
  return lookUp(`agent.${id}`) ?? agents.find((agent) => agent.id === id)?.name ?? visibly(id);
}

/** What runs in a session: the agent's name, or how its client connects. */
export function wordsOfOrigin(agents: readonly AgentDescriptor[], { origin }: Session): string {
  return origin.kind === 'inbound' ? t(channelWords[origin.channel]) : nameOfAgent(agents, origin.agent);
}

/** What the client of a session calls itself. */
export function clientOf({ origin }: Session): string {
  if (origin.kind !== 'inbound') return t('visitor.unnamed');
  return origin.client ? visibly(origin.client) : t(channelWords[origin.channel]);
}
