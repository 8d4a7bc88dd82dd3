import type { ChangeRefused, DeliveryError, UnsupportedFeature, ValidationError } from '../../generated/wire';
import { type MessageKey, t } from '../messages';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';
import { wordsOfSettingError } from './settingErrorWords';
import { wordsOfStorageError } from './storageErrorWords';

const deliveryErrorWords: UnionWords<DeliveryError, 'undelivered'> = {
  input_closed: 'undelivered.input_closed',
  write_failed: 'undelivered.write_failed',
  not_reading: 'undelivered.not_reading',
  not_awaited: 'undelivered.not_awaited',
  may_have_arrived: 'undelivered.may_have_arrived',
  not_running: 'undelivered.not_running',
  busy: 'undelivered.busy',
  closing: 'undelivered.closing',
  refused: ({ rule }) => wordsOfValidationError(rule),
  not_kept: (why) => wordsOfStorageError(why),
  image_gone: 'undelivered.image_gone',
  file_unreadable: 'undelivered.file_unreadable',
  text: ({ text }) => visibly(text),
};

/** Why something didn't reach the agent, as the end of a sentence. */
export function wordsOfDeliveryError(why: DeliveryError): string {
  return wordsOfMember(deliveryErrorWords, 'undelivered', why);
}

const validationErrorWords: UnionWords<ValidationError, 'breach'> = {
  empty: 'breach.empty',
  too_long: 'breach.too_long',
  queue_full: 'breach.queue_full',
  too_many_attached: 'breach.too_many_attached',
  attached: ({ why }) => wordsOfDeliveryError(why),
  path_untold: 'breach.path_untold',
  question_open: 'breach.question_open',
  still_open: 'breach.still_open',
  still_awaited: 'breach.still_awaited',
  nothing_answered: 'breach.nothing_answered',
  note_alone: 'breach.note_alone',
  one_only: 'breach.one_only',
  no_own_words: 'breach.no_own_words',
  no_option: 'breach.no_option',
  no_plan: 'breach.no_plan',
  still_running: 'breach.still_running',
  no_model: 'breach.no_model',
  no_folder: 'breach.no_folder',
  late_secret: 'breach.late_secret',
  plan_cut_off: 'breach.plan_cut_off',
  no_address: 'breach.no_address',
  address_not_opened: 'breach.address_not_opened',
  no_program: 'breach.no_program',
  path_not_text: 'breach.path_not_text',
  unfit: ({ flaw }) => wordsOfSettingError(flaw),
  other: ({ rule }) => wordsOfFault(rule),
};

/** Which rule the user's input breaks, as the end of a sentence. */
export function wordsOfValidationError(breach: ValidationError): string {
  return wordsOfMember(validationErrorWords, 'breach', breach);
}

/** The user can't cause or fix this: the page sent an invalid command. */
export function wordsOfFault(rule: string): string {
  return t('breach.other', { rule: visibly(rule) });
}

const refusedWords: UnionWords<ChangeRefused, 'refused'> = {
  in_words: ({ words }) => visibly(words),
  unanswered: 'refused_change.unanswered',
  others_wait: 'refused_change.others_wait',
  working: 'refused_change.working',
  unreached: ({ why }) => wordsOfDeliveryError(why),
};

/** Why the agent rejected a requested change. */
export function wordsOfRefused(why: ChangeRefused): string {
  return wordsOfMember(refusedWords, 'refused', why);
}

export const unableWords = {
  attaching: 'unable.attaching',
  continuing_in_terminal: 'unable.continuing_in_terminal',
  compacting: 'unable.compacting',
  stopping_helper: 'unable.stopping_helper',
} as const satisfies Record<UnsupportedFeature, MessageKey>;
