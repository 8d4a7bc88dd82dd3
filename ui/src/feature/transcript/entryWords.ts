import type { Notice, QuestionPolicy } from '../../generated/wire';
import { wordsOfDeliveryError } from '../../shared/errors/validationErrorWords';
import { type MessageKey, plural, t } from '../../shared/messages';
import { wordsOfMember, type UnionWords } from '../../shared/unionWords';

/** The meaning of a model API error, by its status code or error type. */
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

/** Explains an agent's error and how to fix it; null if only the agent's own text can tell. */
export function wordsOfAgentError(error: string): string | null {
  const known = serviceErrors.find(([pattern]) => pattern.test(error));
  return known ? t(known[1]) : null;
}

const turnedOffWords = {
  always: 'notice.question_turned_off',
  never: 'notice.question_turned_off',
  plan_only: 'notice.question_outside_plan',
} as const satisfies Record<QuestionPolicy, MessageKey>;

const noticeWords: UnionWords<Notice, 'notice'> = {
  question_refused: 'notice.question_refused',
  permission_refused: 'notice.permission_refused',
  begun_elsewhere: ({ earlier }) => t(`notice.begun_elsewhere_${earlier}`),
  forked: ({ earlier }) => t(earlier === 'newest' ? 'notice.forked_newest' : 'notice.forked'),
  files_put_back: ({ files, left, more }) =>
    [
      plural('notice.files_put_back', files),
      left.length === 0 ? '' : t('notice.files_left', { files: [...left, ...(more > 0 ? [`+${more}`] : [])].join(', ') }),
    ]
      .filter((words) => words !== '')
      .join(' '),
  files_not_put_back: 'notice.files_not_put_back',
  agent_told: 'notice.agent_told',
  agent_warned: 'notice.agent_warned',
  not_understood: ({ kind, refused }) => t(refused ? 'notice.request_not_understood' : 'notice.not_understood', { kind }),
  hook_failed: 'notice.hook_failed',
  question_turned_off: ({ policy, text }) => t(turnedOffWords[policy], { text }),
  answers_brought: 'notice.answers_brought',
  same_text_joined: 'notice.same_text_joined',
  cut_in_half: 'notice.cut_in_half',
  interrupted: 'notice.interrupted',
  helper_ended: ({ helper, title, end }) => t(`notice.helper_${end}`, { kind: t(`helper.${helper}`), title }),
  helper_not_stopped: 'notice.helper_not_stopped',
  compacted: 'notice.compacted',
  conversation_reset: 'notice.conversation_reset',
  login_rejected: 'notice.login_rejected',
  sign_in_changed: 'notice.sign_in_changed',
  program_replaced: 'notice.program_replaced',
  agent_unsaved: ({ what }) => t(`notice.unsaved_${what}`),
  model_refused: ({ refused, model, lasting, why }) =>
    [
      t(lasting ? 'notice.model_refused' : 'notice.model_refused_once', { refused, model }),
      why === undefined ? '' : t('notice.model_refused_why', { why }),
    ]
      .filter((words) => words !== '')
      .join(' '),
  entries_lost: ({ count }) => plural('notice.entries_lost', count),
  unreadable: 'notice.unreadable',
  message_not_sent: ({ error }) => t('notice.message_not_sent', { error: wordsOfDeliveryError(error) }),
};

export function wordsOfNotice(notice: Notice): string {
  return wordsOfMember(noticeWords, 'notice', notice);
}
