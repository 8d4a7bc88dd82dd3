import type { Session } from '../../generated/wire';
import { plural, t } from '../../shared/messages';
import { list } from '../../shared/messages/formats';
import { isInbound } from './origin';

/** The status shown in a session's row. A session that needs the user shows that first, whatever the agent is doing. */
export type SessionFace = 'needs_you' | 'starting' | 'working' | 'done' | 'idle' | 'ended' | 'failed';

/** What is waiting for the user in a session, by kind. */
export interface Waiting {
  /** Cards with questions; one can hold several. */
  questions: number;
  approvals: number;
  /** When the oldest of them was asked. */
  since: number | null;
}

/** What closing a session now would lose or interrupt. */
export interface CloseLoss {
  working: boolean;
  waiting: Waiting;
  /** Answers that wait until the agent runs again. */
  undelivered: number;
  unsent: boolean;
}

/** The status text of a session's row; connected apps are connected or disconnected. */
export function wordsOfFace(session: Session, face: SessionFace): string {
  if (isInbound(session) && (face === 'idle' || face === 'done')) return t('connected_app.there');
  if (isInbound(session) && face === 'ended') return t('connected_app.left');
  return t(`face.${face}`);
}

/** What else a session keeps for the user, which waits for no answer. */
export interface Kept {
  /** Answers that couldn't be delivered. */
  stuck: number;
  missed: number;
}

/** How many requests are waiting, such as "2 questions and 1 permission request", and what else a session keeps. */
export function wordsOfCounts({ questions, approvals }: Waiting, { stuck, missed }: Kept = { stuck: 0, missed: 0 }): string {
  return list([
    ...(questions > 0 ? [plural('sessions.questions', questions)] : []),
    ...(approvals > 0 ? [plural('sessions.approvals', approvals)] : []),
    ...(stuck > 0 ? [plural('sessions.stuck', stuck)] : []),
    ...(missed > 0 ? [plural('sessions.missed', missed)] : []),
  ]);
}

/** What ending or closing a session would lose or interrupt, one sentence each. */
export function wordsOfLoss({ working, waiting, undelivered, unsent }: CloseLoss): string {
  const { questions, approvals } = waiting;
  const what = wordsOfCounts(waiting);
  const sentences = [
    ...(working ? [t('loss.working')] : []),
    ...(what !== '' ? [plural('loss.waiting', questions + approvals, { what })] : []),
    ...(undelivered > 0 ? [plural('loss.undelivered', undelivered)] : []),
    ...(unsent ? [t('loss.unsent')] : []),
  ];
  return sentences.join(' ');
}
