import type {
  EndedBy,
  EntryKind,
  LogKind,
  Notice,
  Origin,
  OrphanedWhy,
  Outcome,
  OutcomeKind,
  QuestionPolicy,
  Request,
  Session,
  StorageNotice,
  NotificationDecision,
  TodoStatus,
  ToolStatus,
} from '../generated/wire';
import type { DeskError } from '../platform/bridge';
import type { CloseLoss, SessionFace } from '../store/select';
import { clientOf } from './agentWords';
import { unableWords, wordsOfBreach, wordsOfFault, wordsOfRefused } from './breachWords';
import { wordsOfFileRemedy, wordsOfFileTrouble } from './clientWords';
import { wordsOfFolder } from './failureWords';
import { plural, t, type MessageKey } from './messages';
import { list } from './messages/formats';
import { wordsOfTrouble } from './storageWords';
import { clockTime } from './time';
import { wordsOfUndelivered } from './undeliveredWords';
import { visibly } from './visible';
import { channelOf, visits } from './visitors';

/** The words for each error code; a new code does not compile without words. */
const errorWords = {
  not_found: () => t('error.not_found'),
  already_ended: ({ ended }) =>
    ended
      ? t('error.already_ended_by', { by: t(endedByWords[ended.by]), time: clockTime(ended.at) })
      : t('error.already_ended'),
  // What names no breach was not understood, and what the window sends should be.
  invalid: (error) =>
    t('error.invalid', { message: error.detail ? wordsOfDetail(error) : wordsOfFault(error.message) }),
  session_gone: () => t('error.session_gone'),
  unsupported: (error) => t('error.unsupported', { message: wordsOfDetail(error) }),
  agent_missing: ({ message }) => t('error.agent_missing', { message }),
  agent_refused: (error) => t('error.agent_refused', { message: wordsOfDetail(error) }),
  folder_missing: (error) =>
    error.detail?.detail === 'folder'
      ? wordsOfDetail(error)
      : t('error.folder_missing', { message: error.message }),
  not_started: ({ message }) => t('error.not_started', { message }),
  storage_busy: () => t('error.storage_busy'),
  storage_full: () => t('error.storage_full'),
  storage: (error) => t('error.storage', { message: wordsOfDetail(error) }),
  settings_not_written: (error) => t('error.settings_not_written', { message: wordsOfDetail(error) }),
  extras_changed: () => t('error.extras_changed'),
  closing: () => t('error.closing'),
  attachment_gone: ({ message }) => t('error.attachment_gone', { file: message }),
  file_not_written: (error) => t('error.file_not_written', { message: wordsOfDetail(error) }),
  doors_shut: () => t('error.doors_shut'),
  door_failed: (error) => t('error.door_failed', { message: wordsOfDetail(error) }),
  client_file_left: (error) =>
    t('error.client_file_left', { message: wordsOfDetail(error), remedy: wordsOfRemedy(error) }),
  plan_gone: () => t('error.plan_gone'),
  unreachable: ({ message }) => t('error.unreachable', { message: visibly(message) }),
} satisfies Record<DeskError['code'], (error: DeskError) => string>;

/** What an error says to the person. */
export function wordsOfError(error: DeskError): string {
  return errorWords[error.code](error);
}

function wordsOfRemedy({ detail }: DeskError): string {
  return detail?.detail === 'client_file' ? wordsOfFileRemedy(detail.trouble) : t('remedy.system');
}

/** What belongs to the code of an error; where nothing does, its message says it in English. */
function wordsOfDetail({ detail, message }: DeskError): string {
  switch (detail?.detail) {
    case 'breach':
      return wordsOfBreach(detail.breach);
    case 'folder':
      return t('error.folder_unusable', { path: detail.path, problem: wordsOfFolder(detail.problem) });
    case 'file': {
      const { path, error } = detail;
      return path === null ? visibly(error) : t('error.at_file', { path, error: visibly(error) });
    }
    case 'client_file':
      return t('error.at_file', { path: visibly(detail.file), error: wordsOfFileTrouble(detail.trouble) });
    case 'storage':
      return wordsOfTrouble(detail.trouble);
    case 'refused':
      return wordsOfRefused(detail.why);
    case 'unable':
      return t(unableWords[detail.what]);
    case undefined:
      return visibly(message);
  }
}

const endedByWords = {
  person: 'by.person',
  person_in_chat: 'by.person_in_chat',
  agent: 'by.agent',
  elsewhere: 'by.elsewhere',
  limit: 'by.limit',
  session: 'by.session',
} as const satisfies Record<EndedBy, MessageKey>;

/** Who or what gave a request its end. */
export function wordsOfEnder(outcome: Outcome): string {
  return t(endedByWords[enderOf(outcome)]);
}

function enderOf(outcome: Outcome): EndedBy {
  switch (outcome.outcome) {
    case 'answered':
    case 'declined':
      return 'person';
    case 'replied_in_chat':
      return 'person_in_chat';
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
  interrupted: 'person',
  answered_elsewhere: 'elsewhere',
  cancelled: 'person',
} as const satisfies Record<Extract<Outcome, { outcome: 'withdrawn' }>['why']['why'], EndedBy>;

export const faceWords = {
  needs_you: 'face.needs_you',
  starting: 'face.starting',
  working: 'face.working',
  idle: 'face.idle',
  ended: 'face.ended',
  failed: 'face.failed',
} as const satisfies Record<SessionFace, MessageKey>;

/** What a session's row says; a client that comes by itself is there or not. */
export function wordsOfFace(session: Session, face: SessionFace): string {
  if (visits(session) && face === 'idle') return t('visitor.there');
  if (visits(session) && face === 'ended') return t('visitor.left');
  return t(faceWords[face]);
}

export const entryWords = {
  person: 'history.person',
  agent: 'history.agent',
  thinking: 'entry.thinking',
  tool: 'history.tool',
  request: 'question.title',
  approval: 'approval.title',
  plan: 'entry.plan',
  notice: 'history.notice',
  turn_ended: 'history.turn',
} as const satisfies Record<EntryKind, MessageKey>;

export const outcomeWords = {
  answered: 'outcome.answered',
  declined: 'outcome.declined',
  replied_in_chat: 'outcome.replied_in_chat',
  withdrawn: 'outcome.withdrawn',
  expired: 'outcome.expired',
  orphaned: 'outcome.orphaned',
} as const satisfies Record<OutcomeKind, MessageKey>;

export const outcomeIcons = {
  answered: 'check',
  declined: 'declined',
  replied_in_chat: 'chat',
  withdrawn: 'withdrawn',
  expired: 'expired',
  orphaned: 'missed',
} as const satisfies Record<OutcomeKind, string>;

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

export const toolWords = {
  pending: 'tool.pending',
  awaiting_permission: 'tool.awaiting_permission',
  running: 'tool.running',
  done: 'tool.done',
  failed: 'tool.failed',
} as const satisfies Record<ToolStatus, MessageKey>;

export const policyWords = {
  always: 'policy.always',
  plan_only: 'policy.plan_only',
  never: 'policy.never',
} as const satisfies Record<QuestionPolicy, MessageKey>;

export const todoWords = {
  pending: 'todo.pending',
  in_progress: 'todo.in_progress',
  done: 'todo.done',
} as const satisfies Record<TodoStatus, MessageKey>;

/** What an error of the model's service means, by the number it answers with or the word it uses. */
const serviceErrors = [
  [/api error\D{0,4}401\b|authentication_error|invalid api key|please run \/login/i, 'agent_error.signed_out'],
  [/api error\D{0,4}403\b|permission_error/i, 'agent_error.forbidden'],
  [/credit balance is too low|billing_error/i, 'agent_error.no_credit'],
  [/api error\D{0,4}429\b|rate_limit_error|usage limit/i, 'agent_error.limited'],
  [/api error\D{0,4}529\b|overloaded/i, 'agent_error.overloaded'],
  [/prompt is too long|api error\D{0,4}413\b|request_too_large/i, 'agent_error.too_long'],
  [/error_max_turns/i, 'agent_error.max_turns'],
  [/api error\D{0,4}50[0234]\b|internal server error/i, 'agent_error.service'],
  [/ECONNREFUSED|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|connection error|fetch failed/i, 'agent_error.unreachable'],
] as const satisfies readonly (readonly [RegExp, MessageKey])[];

/** What an agent's error means and what to do about it; none where only its own words can say. */
export function wordsOfAgentError(error: string): string | null {
  const known = serviceErrors.find(([pattern]) => pattern.test(error));
  return known ? t(known[1]) : null;
}

export const logWords = {
  unusable: 'log.unusable',
  stderr: 'log.stderr',
  refused: 'log.refused',
  note: 'log.note',
} as const satisfies Record<LogKind, MessageKey>;

const turnedOffWords = {
  always: 'notice.question_turned_off',
  never: 'notice.question_turned_off',
  plan_only: 'notice.question_outside_plan',
} as const satisfies Record<QuestionPolicy, MessageKey>;

export function wordsOfNotice(notice: Notice): string {
  switch (notice.notice) {
    case 'question_refused':
      return t('notice.question_refused', { reason: notice.reason });
    case 'question_turned_off':
      return t(turnedOffWords[notice.policy], { text: notice.text });
    case 'answers_brought':
      return t('notice.answers_brought');
    case 'same_text_joined':
      return t('notice.same_text_joined', { text: notice.text });
    case 'cut_in_half':
      return t('notice.cut_in_half');
    case 'interrupted':
      return t('notice.interrupted');
    case 'message_not_sent':
      return t('notice.message_not_sent', { error: wordsOfUndelivered(notice.error) });
  }
}

export function wordsOfStorage(notice: StorageNotice): string {
  return notice.storage === 'corrupt'
    ? t('storage.corrupt', { kept: notice.kept })
    : t('storage.newer', { kept: notice.kept, used: notice.used });
}

/** How an end without answers reads, and how it looks. */
export function wordsOfEnd(
  outcome: Exclude<Outcome, { outcome: 'answered' }>,
  request: Request,
  origin: Origin | null,
): {
  words: string;
  look: 'quiet' | 'chat' | 'missed' | 'expired';
} {
  switch (outcome.outcome) {
    case 'declined':
      return {
        look: 'quiet',
        words: outcome.words
          ? t('ended.declined_words', { words: outcome.words })
          : t('ended.declined'),
      };
    case 'replied_in_chat':
      return { look: 'chat', words: t('ended.replied', { text: outcome.text }) };
    case 'expired':
      return { look: 'expired', words: t('ended.expired') };
    case 'withdrawn':
      return { look: 'quiet', words: wordsOfWithdrawal(outcome.why, origin) };
    case 'orphaned':
      return { look: 'missed', words: wordsOfOrphaned(outcome.why, request) };
  }
}

function wordsOfWithdrawal(
  why: Extract<Outcome, { outcome: 'withdrawn' }>['why'],
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
      return t(origin && channelOf(origin) === 'terminal_hook' ? 'visitor.in_terminal' : 'ended.elsewhere');
    case 'cancelled':
      return why.reason
        ? t('ended.cancelled_reason', { reason: why.reason })
        : t('ended.cancelled');
  }
}

const orphanedWords = {
  agent_ended: 'ended.agent_ended',
  session_stopped: 'ended.session_stopped',
  app_quit: 'ended.app_quit',
} as const satisfies Record<Exclude<OrphanedWhy, 'caller_gone'>, MessageKey>;

function wordsOfOrphaned(why: OrphanedWhy, { askedBy }: Request): string {
  if (why !== 'caller_gone') return t(orphanedWords[why]);
  return t('visitor.missed', { client: askedBy ? visibly(askedBy) : t('visitor.unnamed') });
}

const missedWords = {
  agent_ended: 'missed.agent_ended',
  session_stopped: 'missed.session_stopped',
  app_quit: 'missed.app_quit',
} as const satisfies Record<keyof typeof orphanedWords, MessageKey>;

/** Why a request was missed, in few words. */
export function wordsOfMissed({ state }: Request, session: Session): string {
  if (state.state !== 'ended' || state.outcome.outcome !== 'orphaned') return t('missed.expired');
  const { why } = state.outcome;
  return why === 'caller_gone' ? t('visitor.stopped_waiting', { client: clientOf(session) }) : t(missedWords[why]);
}

/** What becomes of an answer that waits for its agent. */
export function wordsOfKept(session: Session | null): string {
  if (session && visits(session)) return t('visitor.kept', { client: clientOf(session) });
  if (session?.state.state !== 'ended') return t(session ? 'kept.running' : 'delivery.parked');
  return t(session.resumable ? 'kept.resumable' : 'delivery.parked');
}

/** How an answer reads that arrived after its call was closed. */
export function wordsOfLate(session: Session | null): string {
  return session && visits(session) ? t('visitor.late', { client: clientOf(session) }) : t('delivery.late');
}

const tellingWords = {
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
type TellingKey = ValueOf<{ [T in NotificationDecision as T['telling']]: ValueOf<(typeof tellingWords)[T['telling']]> }>;

/** Says whether and why the person was told. */
export function wordsOfTelling(telling: NotificationDecision): string {
  const words: Partial<Record<string, TellingKey>> = tellingWords[telling.telling];
  const key = words[telling.why];
  return key ? t(key) : '';
}
