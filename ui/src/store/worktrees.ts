import type { Head, PlannedWorktree, PlanFlaw, Session, SessionId, StartWorktree, WorktreeUnavailable } from '../generated/wire';
import type { Handlers } from './handlers';
import type { PlanRead, StartDraft, WorktreeDraft } from './parts/start';
import type { State } from './state';

export type WorktreeAction = { type: 'worktree_planned'; read: PlanRead } | { type: 'worktree_drafted'; change: Partial<WorktreeDraft> };

export const worktreeHandlers: Handlers<WorktreeAction> = {
  worktree_planned: (state, { read }) => ({ ...state, plan: read }),
  worktree_drafted: (state, { change }) => ({ ...state, start: { ...state.start, worktree: { ...state.start.worktree, ...change } } }),
};

/** What is checked out in a session's folder; before that is known, the branch that was made for the session. */
export function headOf(state: Pick<State, 'heads'>, session: Session): Head | null {
  const made = session.worktree && { head: 'branch' as const, name: session.worktree.branch };
  return state.heads[session.id] ?? made ?? null;
}

/** The name of a branch, or the beginning of a commit's id. */
export function nameOfHead(head: Head): string {
  return head.head === 'branch' ? head.name : head.commit;
}

/** The plan for a folder, if it is the folder that was planned last. */
export function planOf({ plan }: Pick<State, 'plan'>, folder: string): PlanRead | null {
  return plan?.folder === folder.trim() ? plan : null;
}

/** Of these, a folder can have no worktree; the others are failures that may not happen again. */
const lasting: ReadonlySet<WorktreeUnavailable['unavailable']> = new Set(['no_git', 'no_repository', 'folder_gone', 'no_commit']);

/** The worktree that a draft starts in, as it is planned. */
export function worktreeOf({ worktree }: StartDraft, { plan: { base, branch, path }, setup }: PlannedWorktree): StartWorktree {
  return { base, branch, path, setup: worktree.setup ?? setup, made: false };
}

/** Whether the folder can have no worktree; false also if that isn't known. */
export function canHaveNone({ error }: PlanRead): boolean {
  return error?.detail?.detail === 'no_worktree' && lasting.has(error.detail.why.unavailable);
}

const flawFields = {
  base_gone: 'base',
  branch_invalid: 'branch',
  branch_too_long: 'branch',
  branch_taken: 'branch',
  path_relative: 'path',
  path_invalid: 'path',
  path_too_long: 'path',
  path_taken: 'path',
  path_in_git_dir: 'path',
} as const satisfies Record<PlanFlaw['flaw'], 'base' | 'branch' | 'path'>;

/** What is wrong with one field of a plan. */
export function flawOf(planned: PlannedWorktree, field: 'base' | 'branch' | 'path'): PlanFlaw | null {
  return planned.plan.flaws.find(({ flaw }) => flawFields[flaw] === field) ?? null;
}

/** Sets what is checked out in a session's folder. */
export function putHead(state: State, session: SessionId, head: Head | null): State {
  const { [session]: _, ...others } = state.heads;
  return { ...state, heads: head ? { ...others, [session]: head } : others };
}
