import type { NotificationDecision } from '../../generated/wire';
import { type MessageKey, t } from '../../shared/messages';

const notificationWords = {
  notify: { whole: 'tellings.whole', private: 'tellings.private', summary: 'tellings.summary' },
  badge_only: {
    never: 'tellings.never',
    paused: 'tellings.paused',
    muted: 'tellings.muted',
    subagent: 'tellings.subagent',
    quiet_hours: 'tellings.quiet_hours',
    summary: 'tellings.in_summary',
    burst: 'tellings.burst',
  },
  untold: {
    never: 'tellings.never',
    paused: 'tellings.untold_paused',
    muted: 'tellings.untold_muted',
    subagent: 'tellings.subagent',
    quiet_hours: 'tellings.untold_quiet_hours',
    summary: 'tellings.in_summary',
    burst: 'tellings.burst',
  },
  nothing: {
    before: 'tellings.before',
    ended: 'tellings.ended',
    in_view: 'tellings.in_view',
    waits: 'tellings.waits',
    unwanted: 'tellings.unwanted',
  },
} as const satisfies { [T in NotificationDecision as T['telling']]: Record<T['why'], MessageKey> };

type ValueOf<T> = T[keyof T];
type NotificationKey = ValueOf<{ [T in NotificationDecision as T['telling']]: ValueOf<(typeof notificationWords)[T['telling']]> }>;

export function wordsOfNotification(telling: NotificationDecision): string {
  const words: Partial<Record<string, NotificationKey>> = notificationWords[telling.telling];
  const key = words[telling.why];
  return key ? t(key) : '';
}
