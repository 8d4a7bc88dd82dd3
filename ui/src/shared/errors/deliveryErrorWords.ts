import type { DeliveryError } from '../../generated/wire';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';
import { wordsOfStorageError } from './storageErrorWords';
import { wordsOfValidationError } from './validationErrorWords';

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
