import type { Session } from '../../generated/wire';
import { type MessageKey, plural, t } from '../../shared/messages';
import { list } from '../../shared/messages/formats';
import { isInbound } from './origin';

/** What a session's row says; needing the person outranks what the agent does. */
export type SessionFace = 'needs_you' | 'starting' | 'working' | 'idle' | 'ended' | 'failed';

/** What of a session waits for the person, kinds apart. */
export interface Waiting {
  /** Questions that are open, and answers that could not be handed over. */
  questions: number;
  approvals: number;
  /** When the oldest of them was asked. */
  since: number | null;
}

/** What would be lost or cut short if a session were closed now. */
export interface CloseLoss {
  working: boolean;
  waiting: Waiting;
  /** Answers that wait for the agent to be there again. */
  undelivered: number;
  unsent: boolean;
}
const faceWords = {
  needs_you: 'face.needs_you',
  starting: 'face.starting',
  working: 'face.working',
  idle: 'face.idle',
  ended: 'face.ended',
  failed: 'face.failed',
} as const satisfies Record<SessionFace, MessageKey>;

/** What a session's row says; a connected app is connected or not. */
export function wordsOfFace(session: Session, face: SessionFace): string {
  if (isInbound(session) && face === 'idle') return t('connected_app.there');
  if (isInbound(session) && face === 'ended') return t('connected_app.left');
  return t(faceWords[face]);
}

/** What ending or closing a session would lose or cut short, one sentence for each. */
export function wordsOfLoss({ working, waiting, undelivered, unsent }: CloseLoss): string {
  const { questions, approvals } = waiting;
  const kinds = [
    ...(questions > 0 ? [plural('sessions.questions', questions)] : []),
    ...(approvals > 0 ? [plural('sessions.approvals', approvals)] : []),
  ];
  const what = list(kinds);
  const sentences = [
    ...(working ? [t('loss.working')] : []),
    ...(kinds.length > 0
      ? [questions + approvals === 1 ? t('loss.waits', { what }) : t('loss.wait', { what })]
      : []),
    ...(undelivered > 0 ? [plural('loss.undelivered', undelivered)] : []),
    ...(unsent ? [t('loss.unsent')] : []),
  ];
  return sentences.join(' ');
}
