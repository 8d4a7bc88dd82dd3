import type { Ended, EndedBy, Origin, OrphanedWhy, Outcome, OutcomeKind, Request, Session } from '../../generated/wire';
import { type MessageKey, t } from '../../shared/messages';
import { visibly } from '../../shared/visible';
import { channelOf, clientOf, isInbound } from '../session/origin';
import { isLate, isNotification } from './requestStatus';

/** Who or what ended a request. */
export function wordsOfEnder(outcome: Outcome): string {
  return t(`by.${enderOf(outcome)}`);
}

function enderOf(outcome: Outcome): EndedBy {
  switch (outcome.outcome) {
    case 'answered':
    case 'declined':
      return 'user';
    case 'replied_in_chat':
      return 'user_in_chat';
    case 'expired':
      return 'limit';
    case 'orphaned':
      return 'session';
    case 'withdrawn':
      return withdrawers[outcome.why.why];
  }
}

const withdrawers = {
  by_agent: 'agent',
  turn_ended: 'agent',
  interrupted: 'user',
  answered_elsewhere: 'elsewhere',
  canceled: 'user',
} as const satisfies Record<Extract<Outcome, { outcome: 'withdrawn' }>['why']['why'], EndedBy>;

/** The kind of outcome that the user sees: a request that they closed, and whose agent is told, was skipped. */
export function shownOutcome({ outcome, delivery }: Ended): OutcomeKind {
  const closed = outcome.outcome === 'withdrawn' && outcome.why.why === 'canceled';
  return closed && delivery !== null ? 'declined' : outcome.outcome;
}

export const outcomeWords = {
  answered: 'outcome.answered',
  declined: 'outcome.declined',
  replied_in_chat: 'outcome.replied_in_chat',
  withdrawn: 'outcome.withdrawn',
  expired: 'outcome.expired',
  orphaned: 'outcome.orphaned',
} as const satisfies Record<OutcomeKind, MessageKey>;

/** What the user did to a request that ended by them. */
export function wordsOfSent({ state }: Pick<Request, 'state'>): string {
  return t(state.state === 'ended' && shownOutcome(state) === 'declined' ? 'outcome.declined' : 'side.sent');
}

export const outcomeIcons = {
  answered: 'check',
  declined: 'declined',
  replied_in_chat: 'chat',
  withdrawn: 'withdrawn',
  expired: 'expired',
  orphaned: 'missed',
} as const satisfies Record<OutcomeKind, string>;

/** The text and the style of an end without answers. */
export function wordsOfEnd(
  outcome: Exclude<Outcome, { outcome: 'answered' }>,
  request: Pick<Request, 'state' | 'askedBy'>,
  origin: Origin | null,
): { words: string; look: 'quiet' | 'chat' | 'missed' | 'expired' } {
  switch (outcome.outcome) {
    case 'declined':
      return { look: 'quiet', words: wordsOfSkip(outcome.words) };
    case 'replied_in_chat':
      return { look: 'chat', words: t('ended.replied', { text: outcome.text }) };
    case 'expired':
      return { look: 'expired', words: t('ended.expired') };
    case 'withdrawn':
      return { look: 'quiet', words: wordsOfWithdrawal(outcome.why, request, origin) };
    case 'orphaned':
      return { look: 'missed', words: wordsOfOrphaned(outcome.why, request) };
  }
}

function wordsOfSkip(words: string | null): string {
  return words ? t('ended.declined_words', { words }) : t('ended.declined');
}

function wordsOfWithdrawal(
  why: Extract<Outcome, { outcome: 'withdrawn' }>['why'],
  { state }: Pick<Request, 'state'>,
  origin: Origin | null,
): string {
  switch (why.why) {
    case 'by_agent':
      return t('ended.by_agent');
    case 'turn_ended':
      return t('ended.turn_ended');
    case 'interrupted':
      return t('ended.interrupted');
    case 'answered_elsewhere':
      return t(origin && channelOf(origin) === 'terminal_hook' ? 'connected_app.in_terminal' : 'ended.elsewhere');
    case 'canceled':
      // The agent is told about a skipped request, but not about a missed one that the user dismissed.
      if (state.state === 'ended' && shownOutcome(state) === 'declined') return wordsOfSkip(why.reason);
      return why.reason ? t('ended.canceled_reason', { reason: why.reason }) : t('ended.canceled');
  }
}

const orphanedWords = {
  agent_ended: 'ended.agent_ended',
  session_stopped: 'ended.session_stopped',
  app_quit: 'ended.app_quit',
} as const satisfies Record<Exclude<OrphanedWhy, 'caller_gone'>, MessageKey>;

function wordsOfOrphaned(why: OrphanedWhy, { askedBy }: Pick<Request, 'askedBy'>): string {
  if (why !== 'caller_gone') return t(orphanedWords[why]);
  return t('connected_app.missed', { client: askedBy ? visibly(askedBy) : t('connected_app.unnamed') });
}

export const missedWords = {
  agent_ended: 'missed.agent_ended',
  session_stopped: 'missed.session_stopped',
  app_quit: 'missed.app_quit',
} as const satisfies Record<keyof typeof orphanedWords, MessageKey>;

/** A short reason why a request was missed. */
export function wordsOfMissed({ state }: Request, session: Session): string {
  if (state.state !== 'ended' || state.outcome.outcome !== 'orphaned') return t('missed.expired');
  const { why } = state.outcome;
  return why === 'caller_gone' ? t('connected_app.stopped_waiting', { client: clientOf(session) }) : t(missedWords[why]);
}

/** What happens next to an answer that waits for its agent. */
export function wordsOfSaved(session: Session | null): string {
  if (session && isInbound(session)) return t('connected_app.kept', { client: clientOf(session) });
  if (session?.state.state !== 'ended') return t(session ? 'kept.running' : 'delivery.parked');
  return t(session.resumable ? 'kept.resumable' : 'delivery.parked');
}

/** The delivery status of an answer that was given after its call had closed. */
export function wordsOfLate(session: Session | null): string {
  return session && isInbound(session) ? t('connected_app.late', { client: clientOf(session) }) : t('delivery.late');
}

/** The status of an answer that its agent has. */
export function wordsOfDelivered(request: Request, ended: Ended, session: Session | null): string {
  if (isLate(request, ended)) return wordsOfLate(session);
  return t(isNotification(request, ended) ? 'delivery.in_background' : 'delivery.delivered');
}

/** How the answer to a question that its agent doesn't wait for reaches the agent. */
export function wordsOfGoingOn({ asker }: Request, session: Session, agent: string): string {
  if (asker === 'in_background') return t('question.in_background', { agent });
  const { state } = session.state;
  if (state === 'ended') return t('question.goes_on_ended', { agent });
  return t(state === 'working' ? 'question.goes_on' : 'question.goes_on_later', { agent });
}
