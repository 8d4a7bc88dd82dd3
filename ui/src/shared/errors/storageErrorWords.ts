import type { StorageNotice, StorageError } from '../../generated/wire';
import { t } from '../messages';
import { visibly } from '../visible';

/** What is wrong with the storage, as the end of a sentence. */
export function wordsOfStorageError(of: StorageError): string {
  switch (of.trouble) {
    case 'busy':
      return t('trouble.busy');
    case 'full':
      return t('trouble.full');
    case 'damaged':
      return t('trouble.damaged', { path: visibly(of.path), error: visibly(of.error) });
    case 'stuck':
      return t('trouble.stuck', { path: visibly(of.path), error: visibly(of.error) });
    case 'too_new':
      return t('trouble.too_new', { path: visibly(of.path) });
    case 'other':
      // Earlier versions didn't store a path.
      return of.path === ''
        ? t('trouble.unwritten', { error: visibly(of.error) })
        : t('trouble.other', { path: visibly(of.path), error: visibly(of.error) });
  }
}

export function wordsOfStorageNotice(notice: StorageNotice): string {
  return notice.storage === 'corrupt'
    ? t('storage.corrupt', { kept: notice.kept })
    : t('storage.newer', { kept: notice.kept, used: notice.used });
}
