import type { RevertRefused, Unavailable } from '../../generated/wire';
import { type UnionWords, wordsOfMember } from '../unionWords';
import { visibly } from '../visible';

const unavailableWords: UnionWords<Unavailable, 'unavailable'> = {
  no_git: 'changes.no_git',
  no_baseline: 'changes.no_baseline',
  folder_gone: 'changes.folder_gone',
  too_many_files: 'changes.too_many_files',
  timed_out: 'changes.timed_out',
  baseline_lost: 'changes.baseline_lost',
  outdated: 'changes.outdated',
  failed: 'changes.failed',
};

/** Why the changes of a session can't be shown. */
export function wordsOfUnavailable(why: Unavailable): string {
  return wordsOfMember(unavailableWords, 'unavailable', why);
}

const revertWords: UnionWords<RevertRefused, 'refused'> = {
  unavailable: ({ why }) => wordsOfUnavailable(why),
  changed_since: 'revert.changed_since',
  exists: 'revert.exists',
  not_recorded: 'revert.not_recorded',
  not_a_folder: 'revert.not_a_folder',
  failed: ({ error }) => visibly(error),
};

/** Why a changed file was left as it is, as the end of a sentence. */
export function wordsOfRevertRefused(why: RevertRefused): string {
  return wordsOfMember(revertWords, 'refused', why);
}
