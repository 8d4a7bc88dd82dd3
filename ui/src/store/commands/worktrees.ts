import type { Session, StartWorktree } from '../../generated/wire';
import { type AppError, asAppError, type Bridge } from '../../platform/bridge';
import { wayOfComments } from '../changes';
import { rebaseMessage } from '../rebaseMessage';
import { startFolder } from '../folders';
import { submitOf } from '../select';
import type { Store } from '../store.svelte';
import { type Body, submitKey, type Submitter } from '../submit';
import type { Timers } from '../timers';
import type { PlanRead, StartDraft } from '../parts/start';
import { canHaveNone, worktreeOf } from '../worktrees';

/** How long typing must pause before a worktree is planned again. */
const PLAN_MS = 150;

/** How a change of a worktree ended; with `running`, nothing was sent, because another one hasn't ended yet. */
export type WorktreeOutcome = 'done' | 'running' | AppError;

/** Plans new worktrees, and merges, rebases, and removes those of sessions. */
export class WorktreeCommands {
  #cancelPlan: () => void = () => undefined;
  /** Counts the plans that were asked for: only the latest one counts. */
  #asked = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
    private readonly timers: Timers,
  ) {}

  /** Plans a worktree once the user pauses typing. */
  planSoon(): void {
    this.#cancelPlan();
    this.#cancelPlan = this.timers.later(PLAN_MS, () => void this.plan());
  }

  /** Plans a worktree for what the start form holds now. */
  async plan(): Promise<void> {
    this.#cancelPlan();
    const asked = ++this.#asked;
    const read = await this.#read(this.store.state.start, startFolder(this.store.state));
    if (asked === this.#asked) this.store.dispatch({ type: 'worktree_planned', read });
  }

  /** The worktree for a draft; null if its folder can have none, or why it can't be made. What was typed last may not have been checked yet. */
  async planFor(draft: StartDraft, folder: string): Promise<StartWorktree | AppError | null> {
    const read = await this.#read(draft, folder);
    if (read.error) return canHaveNone(read) ? null : read.error;
    return read.planned && worktreeOf(draft, read.planned);
  }

  async #read({ prompt, worktree }: StartDraft, given: string): Promise<PlanRead> {
    const folder = given.trim();
    const { base, branch, path } = worktree;
    const read: PlanRead = { folder, planned: null, error: null };
    try {
      if (folder !== '') read.planned = await this.bridge.call('plan_worktree', { folder, message: prompt, base, branch, path });
    } catch (thrown) {
      read.error = asAppError(thrown);
    }
    return read;
  }

  /** Merges, rebases, or removes a worktree, one at a time. */
  async change<C extends 'merge_worktree' | 'rebase_worktree' | 'remove_worktree'>(command: C, body: Body<C>): Promise<WorktreeOutcome> {
    const key = submitKey.worktree(body.session);
    if (this.submitter.isSending(key)) return 'running';
    if (await this.submitter.submit(command, body, key)) return 'done';
    const error = submitOf(this.store.state, key)?.error ?? null;
    this.store.dispatch({ type: 'submit_done', key });
    return error ?? 'done';
  }

  /** Asks the agent to rebase and to resolve the conflicts; the message waits for the end of its turn. */
  async askToRebase(session: Session, base: string, files: readonly string[]): Promise<boolean> {
    const way = wayOfComments(this.store.state, session);
    if (way === 'never') return false;
    const body = { session: session.id, text: rebaseMessage(base, files), attachments: [] };
    const key = submitKey.askToRebase(session.id);
    const sent =
      way === 'resume'
        ? await this.submitter.send('send_message', { ...body, closes: [] }, key)
        : await this.submitter.send('queue_message', body, key);
    return sent !== null;
  }
}
