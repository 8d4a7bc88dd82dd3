import type { ChangeRefused, DeliveryError, UnsupportedFeature, ValidationError } from '../../generated/wire';
import { wordsOfBounds } from '../answerBounds';
import { type MessageKey, t } from '../messages';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';
import { wordsOfSettingError } from './settingErrorWords';
import { wordsOfStorageError } from './storageErrorWords';

const validationErrorWords: UnionWords<ValidationError, 'validation'> = {
  empty: 'validation.empty',
  too_long: 'validation.too_long',
  queue_full: 'validation.queue_full',
  too_many_attached: 'validation.too_many_attached',
  attached: ({ why }) => wordsOfDeliveryError(why),
  path_untold: 'validation.path_untold',
  question_open: 'validation.question_open',
  still_open: 'validation.still_open',
  still_awaited: 'validation.still_awaited',
  nothing_answered: 'validation.nothing_answered',
  note_alone: 'validation.note_alone',
  one_only: 'validation.one_only',
  no_own_words: 'validation.no_own_words',
  out_of_bounds: ({ bounds }) => t('validation.out_of_bounds', { bounds: wordsOfBounds(bounds) }),
  no_option: 'validation.no_option',
  no_plan: 'validation.no_plan',
  still_running: 'validation.still_running',
  no_model: 'validation.no_model',
  no_folder: 'validation.no_folder',
  late_secret: 'validation.late_secret',
  plan_cut_off: 'validation.plan_cut_off',
  no_address: 'validation.no_address',
  address_not_opened: 'validation.address_not_opened',
  no_program: 'validation.no_program',
  path_not_text: 'validation.path_not_text',
  unfit: ({ flaw }) => wordsOfSettingError(flaw),
  other: ({ rule }) => wordsOfFault(rule),
};

/** Which rule the user's input breaks, as the end of a sentence. */
export function wordsOfValidationError(error: ValidationError): string {
  return wordsOfMember(validationErrorWords, 'validation', error);
}

/** The user can't cause or fix this: the page sent an invalid command. */
export function wordsOfFault(rule: string): string {
  return t('validation.other', { rule: visibly(rule) });
}

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

const refusedWords: UnionWords<ChangeRefused, 'refused'> = {
  in_words: ({ words }) => visibly(words),
  unanswered: 'refused_change.unanswered',
  others_wait: 'refused_change.others_wait',
  no_place: 'refused_change.no_place',
  nothing_said: 'refused_change.nothing_said',
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
  signing_in: 'unable.signing_in',
  compacting: 'unable.compacting',
  stopping_helper: 'unable.stopping_helper',
  forking: 'unable.forking',
} as const satisfies Record<UnsupportedFeature, MessageKey>;
