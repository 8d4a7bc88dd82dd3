import type { AppError } from '../../platform/bridge';
import { wordsOfFileRemedy, wordsOfFileTrouble } from '../clientWords';
import { t } from '../messages';
import { clockTime } from '../time';
import { visibly } from '../visible';
import { openErrorWords } from '../programs';
import { wordsOfMember } from '../unionWords';
import { wordsOfFailure, wordsOfFolder } from './agentFailureWords';
import { wordsOfRevertRefused, wordsOfUnavailable } from './changesErrorWords';
import { wordsOfStorageError } from './storageErrorWords';
import { unableWords, wordsOfFault, wordsOfRefused, wordsOfValidationError } from './validationErrorWords';
import { wordsOfNoWorktree, wordsOfWorktreeRefused } from './worktreeErrorWords';

/** The text of each error code. A new code doesn't compile without one. */
const errorWords = {
  not_found: () => t('error.not_found'),
  already_ended: ({ ended }) =>
    ended ? t('error.already_ended_by', { by: t(`by.${ended.by}`), time: clockTime(ended.at) }) : t('error.already_ended'),
  // Without a named rule, the app couldn't parse the input, which is a bug of the page.
  invalid: (error) => t('error.invalid', { message: error.detail ? wordsOfDetail(error) : wordsOfFault(error.message) }),
  session_gone: () => t('error.session_gone'),
  unsupported: (error) => t('error.unsupported', { message: wordsOfDetail(error) }),
  agent_missing: ({ message }) => t('error.agent_missing', { message }),
  agent_refused: (error) => t('error.agent_refused', { message: wordsOfDetail(error) }),
  folder_missing: (error) =>
    error.detail?.detail === 'folder' ? wordsOfDetail(error) : t('error.folder_missing', { message: error.message }),
  not_started: ({ message }) => t('error.not_started', { message }),
  storage_busy: () => t('error.storage_busy'),
  storage_full: () => t('error.storage_full'),
  storage_unread: (error) => t('error.storage_unread', { message: wordsOfDetail(error) }),
  storage: (error) => t('error.storage', { message: wordsOfDetail(error) }),
  settings_not_written: (error) => t('error.settings_not_written', { message: wordsOfDetail(error) }),
  extras_changed: () => t('error.extras_changed'),
  closing: () => t('error.closing'),
  attachment_gone: ({ message }) => t('error.attachment_gone', { file: message }),
  file_not_written: (error) => t('error.file_not_written', { message: wordsOfDetail(error) }),
  gateway_closed: () => t('error.gateway_closed'),
  test_failed: (error) => t('error.test_failed', { message: wordsOfDetail(error) }),
  client_file_left: (error) => t('error.client_file_left', { message: wordsOfDetail(error), remedy: wordsOfRemedy(error) }),
  plan_gone: () => t('error.plan_gone'),
  not_opened: (error) => wordsOfDetail(error),
  changes_unavailable: (error) => wordsOfDetail(error),
  not_reverted: (error) => t('error.not_reverted', { message: wordsOfDetail(error) }),
  worktree_unavailable: (error) => wordsOfDetail(error),
  worktree_refused: (error) => wordsOfDetail(error),
  not_copied: () => t('error.not_copied'),
  unreachable: ({ message }) => t('error.unreachable', { message: visibly(message) }),
} satisfies Record<AppError['code'], (error: AppError) => string>;

/** The user-facing text of an error. */
export function wordsOfError(error: AppError): string {
  return errorWords[error.code](error);
}

function wordsOfRemedy({ detail }: AppError): string {
  return detail?.detail === 'client_file' ? wordsOfFileRemedy(detail.trouble) : t('remedy.system');
}

/** The text for an error's detail; without a detail, the English message of the error. */
function wordsOfDetail({ detail, message }: AppError): string {
  switch (detail?.detail) {
    case 'validation':
      return wordsOfValidationError(detail.error);
    case 'folder':
      return t('error.folder_unusable', { path: detail.path, problem: wordsOfFolder(detail.problem) });
    case 'file': {
      const { path, error } = detail;
      return path === null ? visibly(error) : t('error.at_file', { path, error: visibly(error) });
    }
    case 'client_file':
      return t('error.at_file', { path: visibly(detail.file), error: wordsOfFileTrouble(detail.trouble) });
    case 'storage':
      return wordsOfStorageError(detail.trouble);
    case 'unopened':
      return wordsOfMember(openErrorWords, 'unopened', detail.why);
    case 'agent':
      return wordsOfFailure(detail.why, []);
    case 'refused':
      return wordsOfRefused(detail.why);
    case 'changes':
      return wordsOfUnavailable(detail.why);
    case 'not_reverted':
      return wordsOfRevertRefused(detail.why);
    case 'no_worktree':
      return wordsOfNoWorktree(detail.why);
    case 'worktree':
      return wordsOfWorktreeRefused(detail.why);
    case 'unable':
      return t(unableWords[detail.what]);
    case undefined:
      return visibly(message);
  }
}
