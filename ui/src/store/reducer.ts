import { isMissed } from '../entities/request/requestStatus';
import type {
  AgentId,
  AgentFound,
  AgentsFound,
  AgentVersion,
  Approval,
  ApprovalId,
  Attachment,
  DraftTarget,
  Frame,
  LaunchOverrides,
  MessageId,
  PageStart,
  Request,
  RequestId,
  Session,
  SessionId,
  SettingsRead,
  UpdateRead,
  TranscriptPage,
} from '../generated/wire';
import type { AppError } from '../platform/bridge';
import { type AttachmentAction, attachmentHandlers, withoutSent } from './attachments';
import { type ChangesAction, changesHandlers } from './changes';
import { type DraftAction, draftHandlers } from './drafts';
import { draftFate, restoreDrafts } from './draftStorage';
import { putRequest, putSession, receiveFrames } from './frames';
import type { Handlers } from './handlers';
import { type HistoryAction, historyHandlers } from './history';
import { type InboxAction, inboxHandlers } from './inbox';
import { followMessages, type MessageActAction, messageActHandlers } from './messageAct';
import { goToSession, type NavigationAction, navigationHandlers } from './navigation';
import { type OpenInAction, openInHandlers } from './openIn';
import type { ReportedError } from './parts/environment';
import { type ItemKey, PANEL_WIDTH } from './parts/layout';
import type { StartDraft } from './parts/start';
import type { Transcript } from './parts/transcripts';
import type { PageAsked } from './parts/transcripts';
import type { ApprovalDraft, Submit } from './parts/unsent';
import { type PastQuestionsAction, pastQuestionsHandlers } from './pastQuestions';
import { withoutKey } from './records';
import { approvalDraftOf, selectedSession, sessionOf, shownSession, transcriptOf } from './select';
import { withValue } from './sessionIndex';
import { type SentStartAction, sentStartHandlers } from './starts';
import { type SidebarAction, sidebarHandlers } from './sidebar';
import type { State } from './state';
import { takePage } from './transcriptPages';
import { trim } from './transcriptWindow';
import { type UsageAction, usageHandlers } from './usage';
import { type WorktreeAction, worktreeHandlers } from './worktrees';

/** Everything that can change the window's state. */
export type Action =
  | { type: 'frames_received'; frames: readonly Frame[] }
  | { type: 'page_started'; start: PageStart }
  | { type: 'subscription_lost' }
  | { type: 'start_drafted'; change: Partial<StartDraft> }
  | { type: 'session_started'; session: Session; opens: boolean }
  | { type: 'session_renamed'; session: SessionId; name: string }
  | { type: 'stop_asked'; session: SessionId; at: number }
  | { type: 'stop_failed'; session: SessionId }
  | { type: 'agents_listed'; agents: AgentsFound }
  | { type: 'agent_version_read'; agent: AgentId; version: AgentVersion }
  | { type: 'sign_in_read'; agent: AgentId; signedIn: boolean | null }
  | { type: 'page_asked'; asked: PageAsked }
  | { type: 'page_read'; asked: PageAsked; page: TranscriptPage }
  | { type: 'transcript_followed'; session: SessionId; atEnd: boolean }
  | { type: 'end_asked'; session: SessionId }
  | { type: 'transcript_trimmed'; session: SessionId; from: 'start' | 'end' }
  | { type: 'page_failed'; asked: PageAsked; error: AppError }
  | DraftAction
  | { type: 'submit_started'; key: string; command: string; payload: string }
  | { type: 'submit_failed'; key: string; command: string; payload: string; error: AppError }
  | { type: 'submit_done'; key: string }
  | { type: 'request_ended'; request: Request }
  | { type: 'approval_decided'; approval: Approval }
  | { type: 'approval_read'; approval: ApprovalId; content: string }
  | { type: 'approval_drafted'; approval: ApprovalId; change: Partial<ApprovalDraft> }
  | { type: 'drafts_read'; drafts: readonly DraftTarget[] }
  | { type: 'draft_saved'; id: string }
  | { type: 'draft_unsaved'; id: string; error: AppError }
  | { type: 'delivery_shown'; requests: readonly RequestId[] }
  | { type: 'item_picked'; session: SessionId; item: ItemKey }
  | { type: 'missed_folded'; request: RequestId; open: boolean }
  | { type: 'side_folded'; folded: boolean }
  | { type: 'panel_resized'; width: number }
  | { type: 'message_written'; session: SessionId; text: string }
  | { type: 'message_sent'; session: SessionId; text: string; attachments: readonly Attachment[] }
  | { type: 'queued_written'; message: MessageId; text: string }
  | { type: 'queued_left'; message: MessageId }
  | { type: 'failed'; error: AppError }
  | { type: 'failure_dismissed'; serial: number }
  | { type: 'entry_folded'; session: SessionId; entry: number; open: boolean }
  | { type: 'settings_read'; settings: SettingsRead }
  | { type: 'gateway_read'; failure: string | null }
  | { type: 'update_read'; update: UpdateRead }
  | { type: 'page_crash_noted'; crashed: boolean }
  | NavigationAction
  | AttachmentAction
  | ChangesAction
  | HistoryAction
  | PastQuestionsAction
  | InboxAction
  | MessageActAction
  | OpenInAction
  | UsageAction
  | WorktreeAction
  | SentStartAction
  | SidebarAction;

/** Returns the next state. What is in view counts as seen. */
export function reduce(state: State, action: Action): State {
  const handle = handlers[action.type] as (state: State, action: Action) => State;
  const next = followMessages(state, handle(state, action), BEGINS.has(action.type));
  const shown = shownSession(next);
  if (shown === null || !next.unread[shown]) return next;
  return { ...next, unread: withoutKey(next.unread, shown) };
}

/** The user's own acts that can begin a message. */
const BEGINS: ReadonlySet<Action['type']> = new Set(['message_written', 'files_attached']);

const handlers: Handlers<Action> = {
  ...attachmentHandlers,
  ...changesHandlers,
  ...draftHandlers,
  ...historyHandlers,
  ...inboxHandlers,
  ...messageActHandlers,
  ...navigationHandlers,
  ...pastQuestionsHandlers,
  ...sentStartHandlers,
  ...sidebarHandlers,
  ...openInHandlers,
  ...usageHandlers,
  ...worktreeHandlers,
  page_started: (state, { start }) =>
    takeTranscript(receiveFrames({ ...state, settings: start.settings, agents: start.agents }, [start.snapshot]), start),
  frames_received: (state, { frames }) => receiveFrames(state, frames),
  subscription_lost: (state) => ({ ...state, link: { ...state.link, status: 'stale' } }),
  start_drafted: (state, { change }) => ({ ...state, start: { ...state.start, ...change }, startError: null }),
  session_started(state, { session, opens }) {
    const next = sessionOf(state, session.id) ? state : putSession(state, session);
    return opens ? goToSession(next, session.id) : next;
  },
  session_renamed(state, { session, name }) {
    const known = sessionOf(state, session);
    return known ? putSession(state, { ...known, name }) : state;
  },
  stop_asked: (state, { session, at }) => ({ ...state, stopping: { ...state.stopping, [session]: at } }),
  stop_failed: (state, { session }) => ({ ...state, stopping: withoutKey(state.stopping, session) }),
  agents_listed: (state, { agents }) => ({ ...state, agents }),
  agent_version_read: (state, { agent, version }) => ({ ...state, agentVersions: { ...state.agentVersions, [agent]: version } }),
  sign_in_read: (state, { agent, signedIn }) => ({
    ...state,
    signIns: signedIn === null ? withoutKey(state.signIns, agent) : { ...state.signIns, [agent]: signedIn },
  }),
  page_asked: (state, { asked }) => withTranscript(state, asked.session, { status: 'reading', error: null }),
  page_read: (state, { asked, page }) => takePage(state, asked, page),
  page_failed(state, { asked, error }) {
    if (asked.generation !== state.link.generation) return state;
    return withTranscript(state, asked.session, { status: 'read', error });
  },
  transcript_followed(state, { session, atEnd }) {
    return transcriptOf(state, session).atEnd === atEnd ? state : withTranscript(state, session, { atEnd });
  },
  end_asked: (state, { session }) => withTranscript(state, session, { endsAsked: transcriptOf(state, session).endsAsked + 1 }),
  transcript_trimmed(state, { session, from }) {
    const transcript = state.transcripts[session];
    return transcript ? withTranscript(state, session, trim(transcript, from)) : state;
  },
  submit_started: (state, { key, command, payload }) => withSubmit(state, key, { command, payload, phase: 'sending', error: null }),
  submit_failed: (state, { key, command, payload, error }) => withSubmit(state, key, { command, payload, phase: 'failed', error }),
  submit_done: (state, { key }) => ({ ...state, submits: withoutKey(state.submits, key) }),
  request_ended(state, { request }) {
    const known = state.requests.byId[request.id];
    // The draft was sent or given up, so it goes: a secret must not stay behind. If others ended the request, the
    // text stays.
    const goes = draftFate(request) === 'goes';
    const next = { ...state, drafts: goes ? withoutKey(state.drafts, request.id) : state.drafts };
    const newer = known?.state.state === 'ended' && !isMissed(known);
    return newer ? next : putRequest(next, request);
  },
  approval_decided(state, { approval }) {
    const known = state.approvals.byId[approval.id];
    const next = { ...state, decisions: withoutKey(state.decisions, approval.id), wholeRead: withoutKey(state.wholeRead, approval.id) };
    if (known && known.state.state !== 'open') return next;
    return { ...next, approvals: withValue(next.approvals, approval) };
  },
  approval_read(state, { approval, content }) {
    return { ...state, wholeRead: { ...state.wholeRead, [approval]: content } };
  },
  approval_drafted(state, { approval, change }) {
    const draft = { ...approvalDraftOf(state, approval), ...change };
    return { ...state, decisions: { ...state.decisions, [approval]: draft } };
  },
  drafts_read: (state, { drafts }) => restoreDrafts(state, drafts),
  draft_saved: (state, { id }) => ({ ...state, unsaved: withoutKey(state.unsaved, id) }),
  draft_unsaved: (state, { id, error }) => ({ ...state, unsaved: { ...state.unsaved, [id]: error } }),
  delivery_shown(state, { requests }) {
    return { ...state, delivered: state.delivered.filter((id) => !requests.includes(id)) };
  },
  item_picked(state, { session, item }) {
    return { ...state, picked: { ...state.picked, [session]: item }, sideFolded: false };
  },
  missed_folded(state, { request, open }) {
    return { ...state, missedOpen: { ...state.missedOpen, [request]: open } };
  },
  side_folded: (state, { folded }) => ({ ...state, sideFolded: folded }),
  panel_resized(state, { width }) {
    const { min, max } = PANEL_WIDTH;
    return { ...state, panelWidth: Math.round(Math.min(max, Math.max(min, width))) };
  },
  message_written: (state, { session, text }) => ({ ...state, messages: { ...state.messages, [session]: text } }),
  message_sent(state, { session, text, attachments }) {
    const rest = withoutSent(state, session, attachments);
    // Text typed while the message was being sent stays.
    if (rest.messages[session] !== text) return rest;
    return { ...rest, messages: { ...rest.messages, [session]: '' } };
  },
  queued_written(state, { message, text }) {
    return { ...state, queueEdits: { ...state.queueEdits, [message]: text } };
  },
  queued_left: (state, { message }) => ({ ...state, queueEdits: withoutKey(state.queueEdits, message) }),
  failed(state, { error }) {
    const same = ({ error: { code, message } }: ReportedError) => code === error.code && message === error.message;
    if (state.failures.some(same)) return state;
    const serial = (state.failures.at(-1)?.serial ?? 0) + 1;
    return { ...state, failures: [...state.failures, { serial, error }] };
  },
  failure_dismissed(state, { serial }) {
    return { ...state, failures: state.failures.filter((failure) => failure.serial !== serial) };
  },
  entry_folded(state, { session, entry, open }) {
    const entries = { ...state.unfolded[session], [entry]: open };
    return { ...state, unfolded: { ...state.unfolded, [session]: entries } };
  },
  page_crash_noted: (state, { crashed }) => ({ ...state, pageCrashed: crashed }),
  gateway_read: (state, { failure }) => ({ ...state, gatewayFailure: failure }),
  update_read: (state, { update }) => ({ ...state, update }),
  settings_read(state, { settings }) {
    return { ...state, settings, agents: withSettings(state.agents, settings) };
  },
};

/** Takes the transcript that came with the page, unless the page shows another session. */
function takeTranscript(state: State, { transcript }: PageStart): State {
  if (!transcript || transcript.session !== selectedSession(state)) return state;
  const { session, page } = transcript;
  const asked = { session, before: null, generation: state.link.generation };
  return takePage(withTranscript(state, session, { status: 'reading', error: null }), asked, page);
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
  const transcript = { ...transcriptOf(state, session), ...change };
  return { ...state, transcripts: { ...state.transcripts, [session]: transcript } };
}
