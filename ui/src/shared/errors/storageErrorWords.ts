import type { DatabaseRecovered, StorageNotice, StorageError, StorageOutage } from '../../generated/wire';
import { plural, t } from '../messages';
import { wordsOfMember, type UnionWords } from '../unionWords';
import { visibly } from '../visible';

const storageErrorWords: UnionWords<StorageError, 'trouble'> = {
  busy: 'trouble.busy',
  full: 'trouble.full',
  damaged: 'trouble.damaged',
  stuck: 'trouble.stuck',
  too_new: 'trouble.too_new',
  other: ({ path, error }) => t('trouble.other', { path: visibly(path), error: visibly(error) }),
};

/** What is wrong with the storage, as the end of a sentence. */
export function wordsOfStorageError(of: StorageError): string {
  return wordsOfMember(storageErrorWords, 'trouble', of);
}

export function wordsOfStorageNotice(notice: StorageNotice): string {
  switch (notice.storage) {
    case 'set_aside':
      return t('storage.set_aside', { kept: notice.kept });
    case 'damaged':
      return t('storage.damaged', { file: notice.file });
    case 'unreadable':
      return plural('storage.unreadable', notice.count);
    case 'newer':
      return t('storage.newer', { kept: notice.kept, used: notice.used });
  }
}

export function wordsOfRecovery({ sessions, complete }: DatabaseRecovered): string {
  const found = plural('storage.recovered', sessions);
  return complete ? found : `${found} ${t('storage.recovered_part')}`;
}

/** What isn't stored at the moment, and what becomes of it. */
export function wordsOfOutage({ error, entries, lost }: StorageOutage): string {
  const parts = [t('outage.what', { error: wordsOfStorageError(error) })];
  if (entries > 0) parts.push(plural('outage.waiting', entries));
  if (lost > 0) parts.push(plural('outage.lost', lost));
  return [...parts, t('outage.again')].join(' ');
}
