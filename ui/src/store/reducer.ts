import {
  answerOf,
  chooseOption,
  chooseOther,
  type Draft,
  emptyDraft,
  withAnswer,
  writeOther,
} from '../entities/request/answerDraft';
import { isMissed } from '../entities/request/requestStatus';
import type {
  AgentFound,
  AgentsFound,
  Approval,
  ApprovalId,
  Attachment,
  DraftTarget,
  Frame,
  LaunchOverrides,
  MessageId,
  OptionId,
  QuestionId,
  Request,
  RequestId,
  Session,
  SessionId,
  SettingsRead,
  TranscriptPage,
} from '../generated/wire';
import type { AppError } from '../platform/bridge';
import { type AttachmentAction, reduceAttachments, withoutSent } from './attachments';
import { draftFate, restoreDrafts } from './draftStorage';
import { putRequest, putSession, receiveFrames } from './frames';
import { type HistoryAction, reduceHistory } from './history';
import { type InboxAction, reduceInbox } from './inbox';
import { goToSession, type NavigationAction, reduceNavigation } from './navigation';
import { type PastQuestionsAction, reducePastQuestions } from './pastQuestions';
import { withoutKey } from './records';
import { shownSession } from './select';
import { withValue } from './sessionIndex';
import {
  type ApprovalDraft,
  emptyApprovalDraft,
  emptyTranscript,
  PANEL_WIDTH,
  type ReportedError,
  type StartDraft,
  type State,
  type Submit,
  type Transcript,
} from './state';
import { type PageAsked, takePage } from './transcriptPages';
import { trim } from './transcriptWindow';

/** Everything that can change the window's state. */
export type Action =
  | { type: 'frames_received'; frames: readonly Frame[] }
  | { type: 'subscription_lost' }
  | { type: 'start_drafted'; change: Partial<StartDraft> }
  | { type: 'session_started'; session: Session }
  | { type: 'session_renamed'; session: SessionId; name: string }
  | { type: 'stop_asked'; session: SessionId; at: number }
  | { type: 'stop_failed'; session: SessionId }
  | { type: 'agents_listed'; agents: AgentsFound }
  | { type: 'page_asked'; asked: PageAsked }
  | { type: 'page_read'; asked: PageAsked; page: TranscriptPage }
  | { type: 'transcript_followed'; session: SessionId; atEnd: boolean }
  | { type: 'transcript_trimmed'; session: SessionId; from: 'start' | 'end' }
  | { type: 'page_failed'; asked: PageAsked; error: AppError }
  | DraftAction
  | { type: 'submit_started'; key: string; command: string; payload: string }
  | { type: 'submit_failed'; key: string; command: string; payload: string; error: AppError }
  | { type: 'submit_done'; key: string }
  | { type: 'request_ended'; request: Request }
  | { type: 'approval_decided'; approval: Approval }
  | { type: 'approval_drafted'; approval: ApprovalId; change: Partial<ApprovalDraft> }
  | { type: 'drafts_read'; drafts: readonly DraftTarget[] }
  | { type: 'draft_saved'; id: string }
  | { type: 'draft_unsaved'; id: string; error: AppError }
  | { type: 'delivery_shown'; requests: readonly RequestId[] }
  | { type: 'request_picked'; session: SessionId; request: RequestId }
  | { type: 'missed_folded'; request: RequestId; open: boolean }
  | { type: 'panel_collapsed'; collapsed: boolean }
  | { type: 'panel_resized'; width: number }
  | { type: 'message_written'; session: SessionId; text: string }
  | { type: 'message_sent'; session: SessionId; text: string; attachments: readonly Attachment[] }
  | { type: 'queued_written'; message: MessageId; text: string }
  | { type: 'queued_left'; message: MessageId }
  | { type: 'failed'; error: AppError }
  | { type: 'failure_dismissed'; serial: number }
  | { type: 'entry_folded'; session: SessionId; entry: number; open: boolean }
  | { type: 'settings_read'; settings: SettingsRead }
  | NavigationAction
  | AttachmentAction
  | HistoryAction
  | PastQuestionsAction
  | InboxAction;

type DraftAction = { request: RequestId } & (
  | {
      type: 'option_chosen';
      question: QuestionId;
      option: OptionId;
      on: boolean;
      /** Whether the choice may advance to the next question: false while moving with arrow keys. */
      goOn: boolean;
    }
  | { type: 'other_chosen'; question: QuestionId; on: boolean }
  | { type: 'other_written'; question: QuestionId; text: string }
  | { type: 'note_opened'; question: QuestionId }
  | { type: 'note_written'; question: QuestionId; text: string }
  | { type: 'question_shown'; index: number }
  | { type: 'unanswered_named' }
  | { type: 'declining'; open: boolean }
  | { type: 'words_written'; text: string }
  | { type: 'dismissing'; open: boolean }
);

/** Returns the next state. What is in view counts as seen. */
export function reduce(state: State, action: Action): State {
  const next = step(state, action);
  const shown = shownSession(next);
  if (shown === null || !next.unread[shown]) return next;
  return { ...next, unread: withoutKey(next.unread, shown) };
}

function step(state: State, action: Action): State {
  switch (action.type) {
    case 'frames_received':
      return receiveFrames(state, action.frames);
    case 'subscription_lost':
      return { ...state, link: { ...state.link, status: 'stale' } };
    case 'start_drafted':
      return { ...state, start: { ...state.start, ...action.change } };
    case 'session_started': {
      const known = state.sessions.some((session) => session.id === action.session.id);
      const next = known ? state : putSession(state, action.session);
      return goToSession(next, action.session.id);
    }
    case 'session_renamed': {
      const session = state.sessions.find((known) => known.id === action.session);
      return session ? putSession(state, { ...session, name: action.name }) : state;
    }
    case 'stop_asked':
      return { ...state, stopping: { ...state.stopping, [action.session]: action.at } };
    case 'stop_failed':
      return { ...state, stopping: withoutKey(state.stopping, action.session) };
    case 'agents_listed':
      return { ...state, agents: action.agents };
    case 'page_asked':
      return withTranscript(state, action.asked.session, { status: 'reading', error: null });
    case 'page_read':
      return takePage(state, action.asked, action.page);
    case 'page_failed':
      if (action.asked.generation !== state.link.generation) return state;
      return withTranscript(state, action.asked.session, { status: 'read', error: action.error });
    case 'transcript_followed': {
      const { session, atEnd } = action;
      const known = state.transcripts[session] ?? emptyTranscript;
      return known.atEnd === atEnd ? state : withTranscript(state, session, { atEnd });
    }
    case 'transcript_trimmed': {
      const transcript = state.transcripts[action.session];
      return transcript ? withTranscript(state, action.session, trim(transcript, action.from)) : state;
    }
    case 'submit_started': {
      const { key, command, payload } = action;
      return withSubmit(state, key, { command, payload, phase: 'sending', error: null });
    }
    case 'submit_failed': {
      const { key, command, payload, error } = action;
      return withSubmit(state, key, { command, payload, phase: 'failed', error });
    }
    case 'submit_done':
      return { ...state, submits: withoutKey(state.submits, action.key) };
    case 'request_ended': {
      const known = state.requests.byId[action.request.id];
      // The draft was sent or given up, so it goes: a secret must not stay behind. If others ended the request, the
      // text stays.
      const goes = draftFate(action.request) === 'goes';
      const drafts = goes ? withoutKey(state.drafts, action.request.id) : state.drafts;
      const next = { ...state, drafts };
      const newer = known?.state.state === 'ended' && !isMissed(known);
      return newer ? next : putRequest(next, action.request);
    }
    case 'approval_decided': {
      const { approval } = action;
      const known = state.approvals.byId[approval.id];
      const next = { ...state, decisions: withoutKey(state.decisions, approval.id) };
      if (known && known.state.state !== 'open') return next;
      return { ...next, approvals: withValue(next.approvals, approval) };
    }
    case 'approval_drafted': {
      const before = state.decisions[action.approval] ?? emptyApprovalDraft;
      const decisions = { ...state.decisions, [action.approval]: { ...before, ...action.change } };
      return { ...state, decisions };
    }
    case 'drafts_read':
      return restoreDrafts(state, action.drafts);
    case 'draft_saved':
      return { ...state, unsaved: withoutKey(state.unsaved, action.id) };
    case 'draft_unsaved':
      return { ...state, unsaved: { ...state.unsaved, [action.id]: action.error } };
    case 'delivery_shown': {
      const delivered = state.delivered.filter((id) => !action.requests.includes(id));
      return { ...state, delivered };
    }
    case 'request_picked':
      return {
        ...state,
        picked: { ...state.picked, [action.session]: action.request },
        panelCollapsed: false,
      };
    case 'missed_folded': {
      const missedOpen = { ...state.missedOpen, [action.request]: action.open };
      return { ...state, missedOpen };
    }
    case 'panel_collapsed':
      return { ...state, panelCollapsed: action.collapsed };
    case 'panel_resized': {
      const { min, max } = PANEL_WIDTH;
      const panelWidth = Math.round(Math.min(max, Math.max(min, action.width)));
      return { ...state, panelWidth };
    }
    case 'message_written':
      return { ...state, messages: { ...state.messages, [action.session]: action.text } };
    case 'message_sent': {
      const rest = withoutSent(state, action.session, action.attachments);
      // Text typed while the message was being sent stays.
      if (rest.messages[action.session] !== action.text) return rest;
      return { ...rest, messages: { ...rest.messages, [action.session]: '' } };
    }
    case 'queued_written':
      return { ...state, queueEdits: { ...state.queueEdits, [action.message]: action.text } };
    case 'queued_left':
      return { ...state, queueEdits: withoutKey(state.queueEdits, action.message) };
    case 'failed': {
      const { error } = action;
      const same = ({ error: { code, message } }: ReportedError) => code === error.code && message === error.message;
      if (state.failures.some(same)) return state;
      const serial = (state.failures.at(-1)?.serial ?? 0) + 1;
      return { ...state, failures: [...state.failures, { serial, error }] };
    }
    case 'failure_dismissed': {
      const failures = state.failures.filter((failure) => failure.serial !== action.serial);
      return { ...state, failures };
    }
    case 'entry_folded': {
      const entries = { ...state.unfolded[action.session], [action.entry]: action.open };
      return { ...state, unfolded: { ...state.unfolded, [action.session]: entries } };
    }
    case 'settings_read':
      return { ...state, settings: action.settings, agents: withSettings(state.agents, action.settings) };
    case 'session_selected':
    case 'start_opened':
    case 'start_closed':
    case 'inbox_opened':
    case 'history_opened':
    case 'excerpt_opened':
    case 'excerpt_closed':
    case 'stepped':
    case 'overlay_opened':
    case 'overlay_closed':
      return reduceNavigation(state, action);
    case 'files_attached':
    case 'files_refused':
    case 'attachment_removed':
    case 'refusals_read':
      return reduceAttachments(state, action);
    case 'inbox_part_shown':
    case 'inbox_filtered':
    case 'inbox_sorted':
    case 'waiting_shown':
      return reduceInbox(state, action);
    case 'history_part_shown':
    case 'questions_filtered':
    case 'questions_found':
    case 'questions_failed':
    case 'questions_saved':
      return reducePastQuestions(state, action);
    case 'history_written':
    case 'history_found':
    case 'history_failed':
    case 'past_read':
    case 'excerpt_read':
    case 'excerpt_failed':
    case 'delete_asked':
    case 'export_done':
    case 'export_failed':
      return reduceHistory(state, action);
    case 'option_chosen':
    case 'other_chosen':
    case 'other_written':
    case 'note_opened':
    case 'note_written':
    case 'question_shown':
    case 'unanswered_named':
    case 'declining':
    case 'words_written':
    case 'dismissing':
      return reduceDraft(state, action);
  }
}

/** The form shows a launch override as soon as the settings change. */
function withSettings(agents: AgentsFound | null, { settings }: SettingsRead): AgentsFound | null {
  const none: LaunchOverrides = { arguments: [], environment: {} };
  const extras = ({ agent }: AgentFound) => settings.launchOverrides[agent] ?? none;
  return agents && { ...agents, agents: agents.agents.map((one) => ({ ...one, extras: extras(one) })) };
}

function withSubmit(state: State, key: string, submit: Submit): State {
  return { ...state, submits: { ...state.submits, [key]: submit } };
}

function withTranscript(state: State, session: SessionId, change: Partial<Transcript>): State {
  const transcript = { ...(state.transcripts[session] ?? emptyTranscript), ...change };
  return { ...state, transcripts: { ...state.transcripts, [session]: transcript } };
}

function reduceDraft(state: State, action: DraftAction): State {
  const request = state.requests.byId[action.request];
  if (!request) return state;
  const draft = state.drafts[request.id] ?? emptyDraft;
  const next = nextDraft(request, draft, action);
  return next === draft ? state : { ...state, drafts: { ...state.drafts, [request.id]: next } };
}

function nextDraft(request: Request, draft: Draft, action: DraftAction): Draft {
  switch (action.type) {
    case 'question_shown': {
      const active = Math.min(Math.max(action.index, 0), request.questions.length);
      return { ...draft, active, warned: false };
    }
    case 'unanswered_named':
      return { ...draft, warned: true };
    case 'declining':
      return { ...draft, declining: action.open };
    case 'words_written':
      return { ...draft, words: action.text };
    case 'dismissing':
      return { ...draft, dismissing: action.open };
  }
  const question = request.questions.find((other) => other.id === action.question);
  if (!question) return draft;
  switch (action.type) {
    case 'option_chosen':
      return chooseOption(request, draft, question, action);
    case 'other_chosen':
      return chooseOther(draft, question, action.on);
    case 'other_written':
      return writeOther(draft, question, action.text);
    case 'note_opened':
      return withAnswer(draft, question, { ...answerOf(draft, question), noteOpen: true });
    case 'note_written':
      return withAnswer(draft, question, { ...answerOf(draft, question), note: action.text });
  }
}
