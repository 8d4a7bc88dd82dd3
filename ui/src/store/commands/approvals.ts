import { mayDecide } from '../../entities/approval/readSoFar';
import type { Approval, ApprovalDecision } from '../../generated/wire';
import type { Store } from '../store.svelte';
import type { Submitter } from '../submit';

export class ApprovalCommands {
  constructor(
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {}

  /** Returns whether the app accepted the decision; what was not read as a whole is never allowed. */
  async decide(asked: Approval, decision: ApprovalDecision): Promise<boolean> {
    const { id } = asked;
    if (!mayDecide(asked, decision, this.store.state.wholeRead[id])) return false;
    const approval = await this.submitter.submit('decide_approval', { id, decision });
    if (approval) this.store.dispatch({ type: 'approval_decided', approval });
    return approval !== null;
  }
}
