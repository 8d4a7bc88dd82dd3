import type { StorageNotice, StorageError } from '../../generated/wire';
import { t } from '../messages';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';

const storageErrorWords: UnionWords<StorageError, 'trouble'> = {
  busy: 'trouble.busy',
  full: 'trouble.full',
  damaged: 'trouble.damaged',
  stuck: 'trouble.stuck',
  too_new: 'trouble.too_new',
  // Earlier versions didn't store a path.
  other: ({ path, error }) =>
    path === ''
      ? t('trouble.unwritten', { error: visibly(error) })
      : t('trouble.other', { path: visibly(path), error: visibly(error) }),
};

/** What is wrong with the storage, as the end of a sentence. */
export function wordsOfStorageError(of: StorageError): string {
  return wordsOfMember(storageErrorWords, 'trouble', of);
}

export function wordsOfStorageNotice(notice: StorageNotice): string {
  return notice.storage === 'corrupt'
    ? t('storage.corrupt', { kept: notice.kept })
    : t('storage.newer', { kept: notice.kept, used: notice.used });
}
