import type { ValidationError, ChangeRefused, UnsupportedFeature } from '../../generated/wire';
import { type MessageKey, t } from '../messages';
import { visibly } from '../visible';
import { wordsOfDeliveryError } from './deliveryErrorWords';
import { wordsOfSettingError } from './settingErrorWords';

/** Which rule the user's input breaks, as the end of a sentence. */
export function wordsOfValidationError(breach: ValidationError): string {
  switch (breach.breach) {
    case 'empty':
      return t('breach.empty');
    case 'too_long':
      return t('breach.too_long', { most: breach.most, bytes: breach.bytes });
    case 'queue_full':
      return t('breach.queue_full', { most: breach.most });
    case 'too_many_attached':
      return t('breach.too_many_attached', { most: breach.most, count: breach.count });
    case 'attached':
      return wordsOfDeliveryError(breach.why);
    case 'path_untold':
      return t('breach.path_untold');
    case 'question_open':
      return t('breach.question_open');
    case 'still_open':
      return t('breach.still_open');
    case 'still_awaited':
      return t('breach.still_awaited');
    case 'nothing_answered':
      return t('breach.nothing_answered');
    case 'note_alone':
      return t('breach.note_alone');
    case 'one_only':
      return t('breach.one_only');
    case 'no_own_words':
      return t('breach.no_own_words');
    case 'no_option':
      return t('breach.no_option');
    case 'no_plan':
      return t('breach.no_plan');
    case 'still_running':
      return t('breach.still_running');
    case 'no_model':
      return t('breach.no_model');
    case 'no_folder':
      return t('breach.no_folder');
    case 'late_secret':
      return t('missed.secret');
    case 'plan_cut_off':
      return t('breach.plan_cut_off');
    case 'no_address':
      return t('breach.no_address', { error: visibly(breach.error) });
    case 'address_not_opened':
      return t('breach.address_not_opened', { scheme: visibly(breach.scheme) });
    case 'no_program':
      return t('breach.no_program', { error: visibly(breach.error) });
    case 'path_not_text':
      return t('breach.path_not_text');
    case 'unfit':
      return wordsOfSettingError(breach.flaw);
    case 'other':
      return wordsOfFault(breach.rule);
  }
}

/** The user can't cause or fix this: the page sent an invalid command. */
export function wordsOfFault(rule: string): string {
  return t('breach.other', { rule: visibly(rule) });
}

/** Why the agent rejected a requested change. */
export function wordsOfRefused(why: ChangeRefused): string {
  switch (why.refused) {
    case 'in_words':
      return visibly(why.words);
    case 'unanswered':
      return t('refused_change.unanswered', { seconds: why.seconds });
    case 'others_wait':
      return t('refused_change.others_wait');
    case 'unreached':
      return wordsOfDeliveryError(why.why);
  }
}

export const unableWords = {
  attaching: 'unable.attaching',
} as const satisfies Record<UnsupportedFeature, MessageKey>;
