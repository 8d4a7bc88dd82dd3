import type { EntryKind } from '../../generated/wire';
import type { MessageKey } from '../../shared/messages';

export const entryKindWords = {
  user: 'history.user',
  agent: 'history.agent',
  thinking: 'entry.thinking',
  tool: 'history.tool',
  request: 'question.title',
  copied_question: 'question.copied',
  approval: 'approval.title',
  plan: 'entry.plan',
  notice: 'history.notice',
  turn_ended: 'history.turn',
} as const satisfies Record<EntryKind, MessageKey>;
