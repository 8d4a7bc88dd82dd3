import type { NotificationDecision } from '../../generated/wire';
import { type MessageKey, t } from '../../shared/messages';

const notificationWords = {
  notify: { whole: 'notification_log.whole', private: 'notification_log.private', summary: 'notification_log.summary' },
  badge_only: {
    never: 'notification_log.never',
    paused: 'notification_log.paused',
    muted: 'notification_log.muted',
    subagent: 'notification_log.subagent',
    quiet_hours: 'notification_log.quiet_hours',
    summary: 'notification_log.in_summary',
    burst: 'notification_log.burst',
  },
  suppressed: {
    never: 'notification_log.never',
    paused: 'notification_log.suppressed_paused',
    muted: 'notification_log.suppressed_muted',
    subagent: 'notification_log.subagent',
    quiet_hours: 'notification_log.suppressed_quiet_hours',
    summary: 'notification_log.in_summary',
    burst: 'notification_log.burst',
  },
  nothing: {
    before: 'notification_log.before',
    ended: 'notification_log.ended',
    in_view: 'notification_log.in_view',
    waits: 'notification_log.waits',
    unwanted: 'notification_log.unwanted',
  },
} as const satisfies { [T in NotificationDecision as T['decision']]: Record<T['why'], MessageKey> };

type ValueOf<T> = T[keyof T];
type NotificationKey = ValueOf<{ [T in NotificationDecision as T['decision']]: ValueOf<(typeof notificationWords)[T['decision']]> }>;

export function wordsOfNotification(decision: NotificationDecision): string {
  const words: Partial<Record<string, NotificationKey>> = notificationWords[decision.decision];
  const key = words[decision.why];
  return key ? t(key) : '';
}
