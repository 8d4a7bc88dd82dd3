import type { Approval, ApprovalDecision } from '../../generated/wire';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

export class ApprovalCommands {
  constructor(private readonly store: Store, private readonly submitter: Submitter) {}

  /** Returns whether the app accepted the decision. */
  async decide({ id }: Approval, decision: ApprovalDecision): Promise<boolean> {
    const body = { id, decision };
    const approval = await this.submitter.submit(submitKey.approval(id), 'decide_approval', body);
    if (approval) this.store.dispatch({ type: 'approval_decided', approval });
    return approval !== null;
  }
}
