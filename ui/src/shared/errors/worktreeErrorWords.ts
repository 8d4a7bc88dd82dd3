import type { Blocked, PlanFlaw, WorktreeRefused, WorktreeUnavailable } from '../../generated/wire';
import { t } from '../messages';
import { list } from '../messages/formats';
import { type UnionWords, wordsOfMember } from '../unionWords';
import { visibly } from '../visible';

const unavailableWords: UnionWords<WorktreeUnavailable, 'unavailable'> = {
  no_git: 'worktree.no_git',
  folder_gone: 'worktree.folder_gone',
  no_repository: 'worktree.no_repository',
  of_other_user: ({ path }) => wordsOfRepositoryOfOther(path),
  no_commit: 'worktree.no_commit',
  timed_out: 'worktree.timed_out',
  failed: 'worktree.git_failed',
};

/** Why git refuses a repository of another user, and how to allow it. The quotes are those of a shell. */
export function wordsOfRepositoryOfOther(path: string): string {
  const quoted = /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
  return t('worktree.of_other_user', { path: visibly(path), quoted: visibly(quoted) });
}

/** Why a folder can have no worktree. */
export function wordsOfNoWorktree(why: WorktreeUnavailable): string {
  return wordsOfMember(unavailableWords, 'unavailable', why);
}

const flawWords: UnionWords<PlanFlaw, 'flaw'> = {
  base_gone: 'worktree.flaw.base_gone',
  branch_invalid: 'worktree.flaw.branch_invalid',
  branch_too_long: 'worktree.flaw.branch_too_long',
  branch_taken: 'worktree.flaw.branch_taken',
  path_relative: 'worktree.flaw.path_relative',
  path_invalid: 'worktree.flaw.path_invalid',
  path_too_long: 'worktree.flaw.path_too_long',
  path_taken: 'worktree.flaw.path_taken',
  path_in_git_dir: 'worktree.flaw.path_in_git_dir',
};

/** What is wrong with a field of a planned worktree. */
export function wordsOfFlaw(flaw: PlanFlaw): string {
  return wordsOfMember(flawWords, 'flaw', flaw);
}

const blockedWords: UnionWords<Blocked, 'blocked'> = {
  folder_gone: 'worktree.blocked.folder_gone',
  not_a_worktree: 'worktree.blocked.not_a_worktree',
  detached: 'worktree.blocked.detached',
  base_gone: 'worktree.blocked.base_gone',
  is_base: 'worktree.blocked.is_base',
  nothing_to_merge: 'worktree.blocked.nothing_to_merge',
  up_to_date: 'worktree.blocked.up_to_date',
  merge_commits: 'worktree.blocked.merge_commits',
  in_progress: 'worktree.blocked.in_progress',
  locked: ({ reason }) => (reason === '' ? t('worktree.blocked.locked') : t('worktree.blocked.locked_why', { reason: visibly(reason) })),
  working: 'worktree.blocked.working',
  agent_runs: 'worktree.blocked.agent_runs',
  in_use: ({ sessions }) => t('worktree.blocked.in_use', { sessions: list(sessions.map(visibly)) }),
};

/** Why something can't be done with a worktree now. */
export function wordsOfBlocked(why: Blocked): string {
  return wordsOfMember(blockedWords, 'blocked', why);
}

const refusedWords: UnionWords<WorktreeRefused, 'refused'> = {
  unavailable: ({ why }) => wordsOfNoWorktree(why),
  flawed: ({ flaw }) => wordsOfFlaw(flaw),
  blocked: ({ why }) => wordsOfBlocked(why),
  changed: 'worktree.refused.changed',
  would_lose: 'worktree.refused.would_lose',
  uncommitted: 'worktree.refused.uncommitted',
  nested_repositories: ({ folders }) => t('worktree.refused.nested_repositories', { folders: list(folders.map(visibly)) }),
  conflict: ({ files }) => t('worktree.refused.conflict', { files: list(files.map(visibly)) }),
  in_the_way: ({ folder, files }) => t('worktree.refused.in_the_way', { folder: visibly(folder), files: list(files.map(visibly)) }),
  base_busy: 'worktree.refused.base_busy',
  git_too_old: 'worktree.refused.git_too_old',
  failed: 'worktree.refused.failed',
  branch_left: 'worktree.refused.branch_left',
  after_commit: ({ why }) => t('worktree.refused.after_commit', { why: wordsOfWorktreeRefused(why) }),
};

/** Why something was not done with a worktree. */
export function wordsOfWorktreeRefused(why: WorktreeRefused): string {
  return wordsOfMember(refusedWords, 'refused', why);
}
