import type { AgentDescriptor, AgentRemark, Approval, Session } from '../../generated/wire';
import { t } from '../../shared/messages';
import { visibly } from '../../shared/visible';
import { nameOfAsker } from '../session/origin';

/** The agent's warning: it takes the request for denied, so only the user allows it, on its own card. */
export function warningOf({ remark }: Approval): AgentRemark | null {
  return remark?.stance === 'no_by_default' ? remark : null;
}

/** What the agent itself says, as opposed to its model. */
export function wordsOfRemark({ words }: AgentRemark): string {
  return words === null ? t('approval.warns_without_words') : visibly(words);
}

/** The name of the agent that says it. */
export function agentOf(agents: readonly AgentDescriptor[], session: Session | null): string {
  return session === null ? t('approval.the_agent') : nameOfAsker(agents, session);
}
