import type { Approval, ApprovalOption, ApprovalOptionKind } from '../../generated/wire';
import { allows } from './approvalWords';

/** The options of a permission request, by what they do. */
export interface ApprovalChoices {
  once: ApprovalOption[];
  always: ApprovalOption[];
  refusals: ApprovalOption[];
  /** The refusal of the main button; it can carry a message. */
  refusal: ApprovalOption | undefined;
}

export function choicesOf({ options }: Approval): ApprovalChoices {
  const ofKind = (wanted: ApprovalOptionKind) => options.filter(({ kind }) => kind === wanted);
  const refusals = options.filter((option) => !allows(option));
  return {
    once: ofKind('allow_once'),
    always: ofKind('allow_always'),
    refusals,
    refusal: refusals.find(({ kind }) => kind === 'reject_once') ?? refusals[0],
  };
}
