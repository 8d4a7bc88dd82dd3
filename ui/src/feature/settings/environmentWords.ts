import type { EnvironmentRead, FailedEnvironmentWay } from '../../generated/wire';
import { t } from '../../shared/messages';
import { visibly } from '../../shared/visible';

/** Where the environment comes from that agents get. */
export function wordsOfEnvironment({ way, shell }: EnvironmentRead): string {
  return t(`environment.${way}`, { shell: visibly(shell ?? '') });
}

/** Why the shell didn't say what its environment is. */
export function wordsOfFailedWay({ way, failure }: FailedEnvironmentWay): string {
  const files = t(way === 'login' ? 'environment.login_files' : 'environment.terminal_files');
  return t('environment.failed', { files, why: wordsOfFailure(failure) });
}

function wordsOfFailure(failure: FailedEnvironmentWay['failure']): string {
  switch (failure.why) {
    case 'not_started':
      return t('environment.not_started', { error: visibly(failure.error) });
    case 'timed_out':
      return t('environment.timed_out', { seconds: failure.seconds });
    case 'ended':
      return failure.code === null ? t('environment.ended') : t('environment.ended_with', { code: failure.code });
    default:
      return t(`environment.${failure.why}`);
  }
}
