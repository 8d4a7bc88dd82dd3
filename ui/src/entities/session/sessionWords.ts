import type { Session } from '../../generated/wire';
import { plural, t } from '../../shared/messages';
import { list } from '../../shared/messages/formats';
import { isInbound } from './origin';

/** The status shown in a session's row. A session that needs the user shows that first, whatever the agent is doing. */
export type SessionFace = 'needs_you' | 'goes_on' | 'starting' | 'working' | 'done' | 'idle' | 'ended' | 'failed';

/** Whether a session needs the user, also while its agent goes on. */
export function needsYou(face: SessionFace): boolean {
  return face === 'needs_you' || face === 'goes_on';
}

/** What needs the user, by kind. */
export interface Waiting {
  /** Cards with questions; one can hold several. */
  questions: number;
  approvals: number;
  /** Answers that couldn't be delivered. */
  stuck: number;
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

/** The number beside the inbox, on the icon and in the title. */
export function totalOf({ questions, approvals, stuck }: Waiting): number {
  return questions + approvals + stuck;
}

/** What needs the user, such as "2 questions and 1 permission request", and how many were missed, which wait for nothing. */
export function wordsOfCounts({ questions, approvals, stuck }: Waiting, missed = 0): string {
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
