import type { Release, UpdateObstacle, UpdatePhase, UpdateProblem, UpdateRead } from '../../generated/wire';
import { type PlainKey, t } from '../../shared/messages';
import { sizeOf } from '../../shared/size';
import { type UnionWords, wordsOfMember } from '../../shared/unionWords';
import { visibly } from '../../shared/visible';

export const obstacleWords: Readonly<Record<UpdateObstacle, PlainKey>> = {
  question_open: 'update.obstacle.question_open',
  permission_open: 'update.obstacle.permission_open',
  answer_undoable: 'update.obstacle.answer_undoable',
  answer_undelivered: 'update.obstacle.answer_undelivered',
  agent_works: 'update.obstacle.agent_works',
  not_stored: 'update.obstacle.not_stored',
};

const problemWords: UnionWords<UpdateProblem, 'problem'> = {
  offline: 'update.problem.offline',
  server: 'update.problem.server',
  no_package: 'update.problem.no_package',
  interrupted: 'update.problem.interrupted',
  signature: 'update.problem.signature',
  unusable: 'update.problem.unusable',
  not_allowed: 'update.problem.not_allowed',
  not_saved: 'update.problem.not_saved',
  system: 'update.problem.system',
};

export function wordsOfProblem(problem: UpdateProblem): string {
  return wordsOfMember(problemWords, 'problem', problem);
}

/** The newer version; null if none is known. */
export function releaseOf(phase: UpdatePhase): Release | null {
  if (phase.phase === 'checking') return phase.known;
  return 'release' in phase ? phase.release : null;
}

/** How far an update is. */
export function wordsOfPhase({ phase }: UpdateRead, { version }: Release): string {
  const named = { version: visibly(version) };
  switch (phase.phase) {
    case 'downloading':
      return t('update.downloading', named);
    case 'downloaded':
      return t('update.downloaded', named);
    case 'installing':
      return t('update.installing', named);
    case 'installed':
      return t('update.installed', named);
    default:
      return t('update.available', named);
  }
}

/** How much is downloaded. */
export function wordsOfProgress({ received, total }: { received: number; total: number | null }): string {
  const size = sizeOf(received);
  return total === null ? t('update.received', { size }) : t('update.received_of', { size, total: sizeOf(total) });
}
