/** Drafts between the page and the disk: what of them is kept, and how the two become one after a reload. */
import {
  answerOf,
  type Draft,
  type DraftAnswer,
  emptyAnswer,
  emptyDraft,
  takesOne,
} from '../entities/request/answerDraft';
import { isMissed } from '../entities/request/requestStatus';
import type {
  Approval,
  ApprovalDraft as KeptApproval,
  Draft as KeptRequest,
  DraftAnswer as KeptAnswer,
  DraftTarget,
  Request,
} from '../generated/wire';
import { approvalDraftOf, draftOf } from './select';
import type { ApprovalDraft, State } from './state';

/** What becomes of a draft: it can be sent, its words are left to the person, or it is over. */
export type Fate = 'stays' | 'words_stay' | 'goes';

/** Only what the person did on the card itself ends what they had begun there. */
export function fateOf(request: Request): Fate {
  if (request.state.state === 'open' || isMissed(request)) return 'stays';
  const { outcome } = request.state;
  switch (outcome.outcome) {
    case 'orphaned':
    case 'expired':
      return 'stays';
    case 'replied_in_chat':
      return 'words_stay';
    case 'withdrawn':
      return outcome.why.why === 'cancelled' ? 'goes' : 'words_stay';
    default:
      return 'goes';
  }
}

function fateOfApproval({ state }: Approval): Fate {
  if (state.state === 'open') return 'stays';
  return state.state === 'withdrawn' ? 'words_stay' : 'goes';
}

/** What of a draft goes to disk; none where nothing of it can be kept any more. Words said to a secret never do. */
export function keptDraft(state: State, id: string): DraftTarget | null {
  const request = state.requests.byId[id];
  if (request && id in state.drafts) {
    if (fateOf(request) === 'goes') return null;
    return { of: 'request', id, draft: toKept(request, draftOf(state, id)) };
  }
  const approval = state.approvals.byId[id];
  if (approval && id in state.decisions) {
    if (fateOfApproval(approval) === 'goes') return null;
    return { of: 'approval', id, draft: toKeptApproval(approvalDraftOf(state, id)) };
  }
  return null;
}

/** Whether there is nothing in it to come back to. */
export function isBlank({ of, draft }: DraftTarget): boolean {
  if (of === 'request') {
    return draft.active === 0 && draft.answers.length === 0 && !draft.declining && draft.words === '';
  }
  const { form, message, options, plan } = draft;
  return form === 'none' && message === '' && options === null && plan === null;
}

function toKept(request: Request, draft: Draft): KeptRequest {
  const answers = request.questions.flatMap((question): KeptAnswer[] => {
    if (question.kind === 'secret') return [];
    const { chosen, otherChosen, other, note } = answerOf(draft, question);
    if (chosen.length === 0 && !otherChosen && other === '' && note === '') return [];
    return [{ question: question.id, chosen: [...chosen], otherChosen, other, note }];
  });
  const { active, declining, words } = draft;
  return { active, answers, declining, words };
}

function toKeptApproval({ form, message, options, plan }: ApprovalDraft): KeptApproval {
  return { form, message, options: options && [...options], plan };
}

function fromKept({ active, answers, declining, words }: KeptRequest): Draft {
  const begun = answers.map(({ question, chosen, otherChosen, other, note }) => {
    const answer: DraftAnswer = { ...emptyAnswer, chosen, otherChosen, other, note };
    return [question, answer] as const;
  });
  return { ...emptyDraft, active, answers: Object.fromEntries(begun), declining, words };
}

/** Puts what was kept under what the person has done since the page was loaded: neither is lost. */
export function restoreDrafts(state: State, kept: readonly DraftTarget[]): State {
  const drafts = { ...state.drafts };
  const decisions = { ...state.decisions };
  for (const one of kept) {
    if (one.of === 'request') {
      const disk = fromKept(one.draft);
      const mine = drafts[one.id];
      drafts[one.id] = mine ? joined(state.requests.byId[one.id], mine, disk) : disk;
    } else {
      const disk: ApprovalDraft = one.draft;
      const mine = decisions[one.id];
      decisions[one.id] = mine ? joinedApproval(mine, disk) : disk;
    }
  }
  return { ...state, drafts, decisions };
}

function joined(request: Request | undefined, mine: Draft, disk: Draft): Draft {
  const questions = [...new Set([...Object.keys(disk.answers), ...Object.keys(mine.answers)])];
  const answers = questions.map((id) => {
    const [before, now] = [disk.answers[id] ?? emptyAnswer, mine.answers[id] ?? emptyAnswer];
    const question = request?.questions.find((known) => known.id === id);
    const several = question !== undefined && !takesOne(question);
    return [id, joinedAnswer(before, now, several)] as const;
  });
  return {
    ...mine,
    answers: Object.fromEntries(answers),
    declining: mine.declining || disk.declining,
    words: joinedText(disk.words, mine.words),
  };
}

function joinedAnswer(disk: DraftAnswer, mine: DraftAnswer, several: boolean): DraftAnswer {
  const touched = mine.chosen.length > 0 || mine.otherChosen;
  const base = touched ? mine : disk;
  const chosen = several ? [...new Set([...disk.chosen, ...mine.chosen])] : base.chosen;
  return {
    chosen,
    otherChosen: several ? disk.otherChosen || mine.otherChosen : base.otherChosen,
    other: joinedText(disk.other, mine.other),
    note: joinedText(disk.note, mine.note),
    noteOpen: mine.noteOpen,
  };
}

function joinedApproval(mine: ApprovalDraft, disk: ApprovalDraft): ApprovalDraft {
  return {
    form: mine.form,
    message: joinedText(disk.message, mine.message),
    options: mine.options ?? disk.options,
    plan: mine.plan ?? disk.plan,
  };
}

/** What was typed into a field that was still empty goes on from what had stood there. */
function joinedText(disk: string, mine: string): string {
  if (disk === '' || disk === mine) return mine;
  return mine === '' ? disk : `${disk}\n${mine}`;
}
