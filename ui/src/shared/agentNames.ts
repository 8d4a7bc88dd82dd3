import type { AgentDescriptor, AgentId } from '../generated/wire';
import { lookUp } from './messages';
import { visibly } from './visible';

/** The display name of an agent: its brand name, unless the catalog translates it. */
export function nameOfAgent(agents: readonly AgentDescriptor[], id: AgentId): string {
  return lookUp(`agent.${id}`) ?? agents.find((agent) => agent.id === id)?.name ?? visibly(id);
}
