/** Converts drafts between the page and the disk, and merges the two after a reload. */
import { type Draft, type DraftAnswer, emptyAnswer, emptyDraft, ownAnswerOf, takesOne } from '../entities/request/answerDraft';
import { isMissed } from '../entities/request/requestStatus';
import type {
  Approval,
  ApprovalDraft as StoredApprovalDraft,
  Draft as StoredDraft,
  DraftAnswer as StoredAnswer,
  DraftTarget,
  Request,
} from '../generated/wire';
import type { ApprovalDraft } from './parts/unsent';
import { approvalDraftOf, draftOf } from './select';
import type { State } from './state';

/** What happens to a draft: it can still be sent, only its text is kept for the user, or it is deleted. */
export type DraftFate = 'stays' | 'words_stay' | 'goes';

/** Only the user's own action on the card deletes its draft. */
export function draftFate(request: Request): DraftFate {
  if (request.state.state === 'open' || isMissed(request)) return 'stays';
  const { outcome } = request.state;
  switch (outcome.outcome) {
    case 'orphaned':
    case 'expired':
      return 'stays';
    case 'replied_in_chat':
      return 'words_stay';
    case 'withdrawn':
      return outcome.why.why === 'canceled' ? 'goes' : 'words_stay';
    default:
      return 'goes';
  }
}

function approvalDraftFate({ state }: Approval): DraftFate {
  if (state.state === 'open') return 'stays';
  return state.state === 'withdrawn' || state.state === 'refused' ? 'words_stay' : 'goes';
}

/** The part of a draft to store; null if nothing is left to store. Answers to secret questions are never stored. */
export function storedDraft(state: State, id: string): DraftTarget | null {
  const request = state.requests.byId[id];
  if (request && id in state.drafts) {
    if (draftFate(request) === 'goes') return null;
    return { of: 'request', id, draft: toStored(request, draftOf(state, id)) };
  }
  const approval = state.approvals.byId[id];
  if (approval && id in state.decisions) {
    if (approvalDraftFate(approval) === 'goes') return null;
    return { of: 'approval', id, draft: toStoredApproval(approvalDraftOf(state, id)) };
  }
  return null;
}

/** Whether the draft is empty, so that nothing needs to be stored. */
export function isBlank({ of, draft }: DraftTarget): boolean {
  if (of === 'request') {
    return draft.active === 0 && draft.answers.length === 0 && !draft.declining && draft.words === '';
  }
  const { form, message, options, plan } = draft;
  return form === 'none' && message === '' && options === null && plan === null;
}

function toStored(request: Request, draft: Draft): StoredDraft {
  const answers = request.questions.flatMap((question): StoredAnswer[] => {
    if (question.kind === 'secret') return [];
    const { chosen, otherChosen, other, note } = ownAnswerOf(draft, question);
    // What was filled in and then cleared stays cleared.
    const cleared = question.default !== undefined && question.id in draft.answers;
    if (!cleared && chosen.length === 0 && !otherChosen && other === '' && note === '') return [];
    return [{ question: question.id, chosen: [...chosen], otherChosen, other, note }];
  });
  const { active, declining, words } = draft;
  return { active, answers, declining, words };
}

function toStoredApproval({ form, message, options, plan }: ApprovalDraft): StoredApprovalDraft {
  return { form, message, options: options && [...options], plan };
}

function fromStored({ active, answers, declining, words }: StoredDraft): Draft {
  const begun = answers.map(({ question, chosen, otherChosen, other, note }) => {
    const answer: DraftAnswer = { ...emptyAnswer, chosen, otherChosen, other, note };
    return [question, answer] as const;
  });
  return { ...emptyDraft, active, answers: Object.fromEntries(begun), declining, words };
}

/** Merges stored drafts with the user's changes since the page loaded, without losing either. */
export function restoreDrafts(state: State, kept: readonly DraftTarget[]): State {
  const drafts = { ...state.drafts };
  const decisions = { ...state.decisions };
  for (const one of kept) {
    if (one.of === 'request') {
      const disk = fromStored(one.draft);
      const mine = drafts[one.id];
      drafts[one.id] = mine ? merged(state.requests.byId[one.id], mine, disk) : disk;
    } else {
      const disk: ApprovalDraft = one.draft;
      const mine = decisions[one.id];
      decisions[one.id] = mine ? mergedApproval(mine, disk) : disk;
    }
  }
  return { ...state, drafts, decisions };
}

function merged(request: Request | undefined, mine: Draft, disk: Draft): Draft {
  const questions = [...new Set([...Object.keys(disk.answers), ...Object.keys(mine.answers)])];
  const answers = questions.map((id) => {
    const [before, now] = [disk.answers[id] ?? emptyAnswer, mine.answers[id] ?? emptyAnswer];
    const question = request?.questions.find((known) => known.id === id);
    const several = question !== undefined && !takesOne(question);
    return [id, mergedAnswer(before, now, several)] as const;
  });
  return {
    ...mine,
    answers: Object.fromEntries(answers),
    declining: mine.declining || disk.declining,
    words: mergedText(disk.words, mine.words),
  };
}

function mergedAnswer(disk: DraftAnswer, mine: DraftAnswer, several: boolean): DraftAnswer {
  const touched = mine.chosen.length > 0 || mine.otherChosen;
  const base = touched ? mine : disk;
  const chosen = several ? [...new Set([...disk.chosen, ...mine.chosen])] : base.chosen;
  return {
    chosen,
    otherChosen: several ? disk.otherChosen || mine.otherChosen : base.otherChosen,
    other: mergedText(disk.other, mine.other),
    note: mergedText(disk.note, mine.note),
    noteOpen: mine.noteOpen,
  };
}

function mergedApproval(mine: ApprovalDraft, disk: ApprovalDraft): ApprovalDraft {
  return {
    form: mine.form,
    message: mergedText(disk.message, mine.message),
    options: mine.options ?? disk.options,
    plan: mine.plan ?? disk.plan,
  };
}

/** Text typed before the stored text was loaded is appended to it. */
function mergedText(disk: string, mine: string): string {
  if (disk === '' || disk === mine) return mine;
  return mine === '' ? disk : `${disk}\n${mine}`;
}
