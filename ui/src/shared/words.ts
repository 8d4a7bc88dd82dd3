import type {
  AgentKind,
  EndedBy,
  EntryKind,
  LogKind,
  Notice,
  Outcome,
  QuestionPolicy,
  StorageNotice,
  TodoStatus,
  ToolDetail,
  ToolStatus,
} from '../generated/wire';
import type { DeskError } from '../platform/bridge';
import type { SessionFace } from '../store/select';
import { t, type MessageKey } from './messages';
import { clockTime } from './time';

/** The words for each error code; a new code does not compile without words. */
const errorWords = {
  not_found: () => t('error.not_found'),
  already_ended: ({ ended }) =>
    ended
      ? t('error.already_ended_by', { by: t(endedByWords[ended.by]), time: clockTime(ended.at) })
      : t('error.already_ended'),
  invalid: ({ message }) => t('error.invalid', { message }),
  session_gone: () => t('error.session_gone'),
  unsupported: ({ message }) => t('error.unsupported', { message }),
  agent_missing: ({ message }) => t('error.agent_missing', { message }),
  agent_refused: ({ message }) => t('error.agent_refused', { message }),
  folder_missing: ({ message }) => t('error.folder_missing', { message }),
  not_started: ({ message }) => t('error.not_started', { message }),
  storage_busy: () => t('error.storage_busy'),
  storage_full: () => t('error.storage_full'),
  storage: ({ message }) => t('error.storage', { message }),
  settings_not_written: ({ message }) => t('error.settings_not_written', { message }),
  closing: () => t('error.closing'),
  file_not_written: ({ message }) => t('error.file_not_written', { message }),
  unreachable: ({ message }) => t('error.unreachable', { message }),
} satisfies Record<DeskError['code'], (error: DeskError) => string>;

/** What an error says to the person. */
export function wordsOfError(error: DeskError): string {
  return errorWords[error.code](error);
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

export const agentWords = {
  claude_code: 'agent.claude_code',
  demo: 'agent.demo',
} as const satisfies Record<AgentKind, MessageKey>;

export const entryWords = {
  person: 'history.person',
  agent: 'history.agent',
  thinking: 'entry.thinking',
  tool: 'history.tool',
  request: 'question.title',
  approval: 'approval.title',
  notice: 'history.notice',
  turn_ended: 'history.turn',
} as const satisfies Record<EntryKind, MessageKey>;

export const toolWords = {
  running: 'tool.running',
  done: 'tool.done',
  failed: 'tool.failed',
} as const satisfies Record<ToolStatus, MessageKey>;

const todoWords = {
  pending: 'todo.pending',
  in_progress: 'todo.in_progress',
  done: 'todo.done',
} as const satisfies Record<TodoStatus, MessageKey>;

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

/** What a tool call does as plain text. */
export function textOfDetail(detail: ToolDetail): string {
  switch (detail.detail) {
    case 'command':
      return detail.command;
    case 'edit':
      return `${detail.path}\n${detail.diff}`;
    case 'write':
      return `${detail.path}\n${detail.content}`;
    case 'todos':
      return detail.items.map((item) => `${t(todoWords[item.status])}: ${item.text}`).join('\n');
    case 'plan':
      return detail.plan;
    case 'other':
      return detail.input;
  }
}

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
      return t('notice.message_not_sent', { error: notice.error });
  }
}

export function wordsOfStorage(notice: StorageNotice): string {
  return notice.storage === 'corrupt'
    ? t('storage.corrupt', { kept: notice.kept })
    : t('storage.newer', { kept: notice.kept, used: notice.used });
}

/** How an end without answers reads, and how it looks. */
export function wordsOfEnd(outcome: Exclude<Outcome, { outcome: 'answered' }>): {
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
      return { look: 'quiet', words: wordsOfWithdrawal(outcome.why) };
    case 'orphaned':
      return { look: 'missed', words: t(orphanedWords[outcome.why]) };
  }
}

function wordsOfWithdrawal(why: Extract<Outcome, { outcome: 'withdrawn' }>['why']): string {
  switch (why.why) {
    case 'by_agent':
      return t('ended.by_agent');
    case 'turn_ended':
      return t('ended.turn_ended');
    case 'interrupted':
      return t('ended.interrupted');
    case 'answered_elsewhere':
      return t('ended.elsewhere');
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
} as const satisfies Record<Extract<Outcome, { outcome: 'orphaned' }>['why'], MessageKey>;
