import type { AgentDescriptor, AgentId } from '../generated/wire';
import { lookUp } from './messages';
import { visibly } from './visible';

/** What an agent is called: a brand as it is, unless the catalogue translates it. */
export function nameOfAgent(agents: readonly AgentDescriptor[], id: AgentId): string {
  return lookUp(`agent.${id}`) ?? agents.find((agent) => agent.id === id)?.name ?? visibly(id);
}
