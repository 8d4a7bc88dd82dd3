import type { DeliveryError } from '../../generated/wire';
import { t } from '../messages';
import { visibly } from '../visible';
import { wordsOfStorageError } from './storageErrorWords';
import { wordsOfValidationError } from './validationErrorWords';

/** Why something didn't reach the agent, as the end of a sentence. */
export function wordsOfDeliveryError(why: DeliveryError): string {
  switch (why.undelivered) {
    case 'input_closed':
      return t('undelivered.input_closed');
    case 'write_failed':
      return t('undelivered.write_failed', { error: visibly(why.error) });
    case 'not_reading':
      return t('undelivered.not_reading', { lines: why.lines });
    case 'not_awaited':
      return t('undelivered.not_awaited');
    case 'may_have_arrived':
      return t('undelivered.may_have_arrived');
    case 'not_running':
      return t('undelivered.not_running');
    case 'busy':
      return t('undelivered.busy');
    case 'closing':
      return t('undelivered.closing');
    case 'refused':
      return wordsOfValidationError(why.rule);
    case 'not_kept':
      return wordsOfStorageError(why);
    case 'image_gone':
      return t('undelivered.image_gone', { name: visibly(why.name) });
    case 'file_unreadable':
      return t('undelivered.file_unreadable', { path: visibly(why.path), error: visibly(why.error) });
    case 'text':
      return visibly(why.text);
  }
}
