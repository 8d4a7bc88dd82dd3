import type { Draft } from '../entities/request/answerDraft';
import type {
  AgentDescriptor,
  AgentId,
  AgentsFound,
  Approval,
  ApprovalId,
  ApprovalOptionId,
  Attachment,
  CommandId,
  ConfigId,
  Entry,
  LiveText,
  MessageId,
  OutcomeKind,
  QuestionPolicy,
  QuestionsFound,
  RefusedWhy,
  Request,
  RequestId,
  SearchHit,
  Session,
  SessionId,
  SettingsRead,
  StorageNotice,
  UndoableAnswer,
  ValueId,
} from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { Overlay } from './navigation';
import { initialNavigation, type Navigation } from './place';
import { indexed, type SessionIndex } from './sessionIndex';
import type { Entries, Places } from './transcriptEntries';

/** How the window stands to the stream of frames. */
export interface Link {
  status: 'connecting' | 'live' | 'stale';
  epoch: string | null;
  seq: number;
  /** Counts snapshots: a page read before the newest one may be out of date. */
  generation: number;
}

export interface Transcript {
  entries: Entries;
  /** The places the stream has set since the last snapshot; a page never overwrites them. */
  streamed: Places;
  status: 'unread' | 'reading' | 'read';
  /** Whether there are older ones than those that are held. */
  more: boolean;
  /** Whether there are newer ones than those that are held. */
  later: boolean;
  /** The place of the newest entry that was heard of. */
  newest: number;
  /** Whether the person follows the end; what is held moves on with it. */
  atEnd: boolean;
  /** What the stream said outside of what is held while a page is read. */
  meanwhile: readonly Entry[];
  error: AppError | null;
}

/** What the person is about to decide on an approval. */
export interface ApprovalDraft {
  form: 'none' | 'options' | 'message' | 'plan';
  message: string;
  /** The chosen options; none while the person has not touched them. */
  options: readonly ApprovalOptionId[] | null;
  /** The plan as edited; none while it is as the agent wrote it. */
  plan: string | null;
}

/** What was chosen of an agent's config options; one that is missing stays the agent's own. */
export type Choices = Readonly<Record<ConfigId, ValueId>>;

/** What the person has filled in to start a session. */
export interface StartDraft {
  /** None while the first one stands. */
  agent: AgentId | null;
  /** None while the suggested one stands. */
  folder: string | null;
  prompt: string;
  name: string;
  /** By agent: a value of one means nothing to another. */
  config: Readonly<Record<AgentId, Choices>>;
  questions: QuestionPolicy;
  program: string;
}

/** One command on its way, or the error it came back with. */
export interface Submit {
  command: CommandId;
  /** What was sent; the same again reuses the command's id. */
  payload: string;
  phase: 'sending' | 'failed';
  error: AppError | null;
}

/** A file that does not go along with a message. */
export interface Refusal {
  name: string;
  why: RefusedWhy | { why: 'words_only' };
}

export interface ReportedError {
  serial: number;
  error: AppError;
}

/** A part of a transcript that is only looked at. */
export interface Excerpt {
  session: Session;
  /** The entry it was opened at. */
  n: number | null;
  entries: readonly Entry[];
  read: boolean;
  earlier: boolean;
  later: boolean;
  error: AppError | null;
  /** The file an export was written to. */
  saved: string | null;
  /** Whether the person is asked if the session is to be deleted. */
  deleting: boolean;
}

/** What of the past's questions is looked at. */
export interface QuestionsFilter {
  query: string;
  /** None stands for every session. */
  session: SessionId | null;
  /** None stands for any end. */
  outcome: OutcomeKind | null;
}

export interface PastQuestions {
  filter: QuestionsFilter;
  /** What was found for the filter as it stands, once that was read. */
  found: QuestionsFound | null;
  error: AppError | null;
  /** The file an export was written to. */
  saved: string | null;
}

/** The view of the past. */
export interface History {
  /** Everything that was said, or questions alone. */
  part: 'said' | 'questions';
  questions: PastQuestions;
  query: string;
  /** The query that the hits answer. */
  found: string | null;
  hits: readonly SearchHit[];
  more: boolean;
  error: AppError | null;
  /** The sessions that are over, once they were read. */
  past: readonly Session[] | null;
  excerpt: Excerpt | null;
}

/** The parts of the inbox; permissions share none with questions. */
export type InboxPart = 'questions' | 'approvals' | 'missed';

/** The view of everything that waits, of all sessions. */
export interface Inbox {
  part: InboxPart;
  /** The one session it is narrowed to. */
  session: SessionId | null;
  newestFirst: boolean;
  /** When it was opened: what ended later stays in its place. */
  since: number;
}

export interface State {
  link: Link;
  sessions: readonly Session[];
  requests: SessionIndex<Request>;
  approvals: SessionIndex<Approval>;
  /** What only pages of a transcript spoke of; the stream's own word goes before it. */
  archive: {
    requests: Readonly<Record<RequestId, Request>>;
    approvals: Readonly<Record<ApprovalId, Approval>>;
  };
  live: Readonly<Record<SessionId, readonly LiveText[]>>;
  /** Answers that are sent in a moment and can still be undone. */
  undoable: Readonly<Record<RequestId, UndoableAnswer>>;
  transcripts: Readonly<Record<SessionId, Transcript>>;
  storage: StorageNotice | null;
  navigation: Navigation;
  overlay: Overlay | null;
  /** A session to select as soon as it is known. */
  remembered: SessionId | null;
  /** Sessions that said something while another one was shown. */
  unread: Readonly<Record<SessionId, true>>;
  /** When the person asked an agent to stop its turn; gone once it has. */
  stopping: Readonly<Record<SessionId, number>>;
  agents: AgentsFound | null;
  /** Every agent the app knows, installed or not. */
  agentsKnown: readonly AgentDescriptor[];
  start: StartDraft;
  picked: Readonly<Record<SessionId, RequestId>>;
  missedOpen: Readonly<Record<RequestId, boolean>>;
  drafts: Readonly<Record<RequestId, Draft>>;
  decisions: Readonly<Record<ApprovalId, ApprovalDraft>>;
  /** The drafts, by what they were begun on, that are not on disk as they stand here, and why. */
  unsaved: Readonly<Record<string, AppError>>;
  messages: Readonly<Record<SessionId, string>>;
  /** What goes along with the messages that are written. */
  attached: Readonly<Record<SessionId, readonly Attachment[]>>;
  /** What could not be attached at the last try. */
  refusals: Readonly<Record<SessionId, readonly Refusal[]>>;
  /** New words of messages that wait, while they are changed. */
  queueEdits: Readonly<Record<MessageId, string>>;
  submits: Readonly<Record<string, Submit>>;
  /** Requests whose delivery was seen just now and is still to be shown for a moment. */
  delivered: readonly RequestId[];
  announced: { serial: number; requests: readonly RequestId[] };
  failures: readonly ReportedError[];
  /** What the person has folded and unfolded, by place in the transcript. */
  unfolded: Readonly<Record<SessionId, Readonly<Record<number, boolean>>>>;
  panelCollapsed: boolean;
  /** In pixels. */
  panelWidth: number;
  settings: SettingsRead | null;
  history: History;
  inbox: Inbox;
  /** The waiting request that was shown last by its key. */
  lastWaiting: { id: RequestId; askedAt: number } | null;
}

/** In pixels: from what the narrowest card needs to what leaves a readable transcript. */
export const PANEL_WIDTH = { min: 304, preferred: 400, max: 720 } as const;

export function initialState(
  remembered: SessionId | null = null,
  unsent: Pick<State, 'messages' | 'attached'> = { messages: {}, attached: {} },
): State {
  return {
    link: { status: 'connecting', epoch: null, seq: 0, generation: 0 },
    sessions: [],
    requests: indexed([]),
    approvals: indexed([]),
    archive: { requests: {}, approvals: {} },
    live: {},
    undoable: {},
    transcripts: {},
    storage: null,
    navigation: initialNavigation,
    overlay: null,
    remembered,
    unread: {},
    stopping: {},
    agents: null,
    agentsKnown: [],
    start: emptyStartDraft,
    picked: {},
    missedOpen: {},
    drafts: {},
    decisions: {},
    ...unsent,
    refusals: {},
    unsaved: {},
    queueEdits: {},
    submits: {},
    delivered: [],
    announced: { serial: 0, requests: [] },
    failures: [],
    unfolded: {},
    panelCollapsed: false,
    panelWidth: PANEL_WIDTH.preferred,
    settings: null,
    history: {
      part: 'said',
      questions: {
        filter: { query: '', session: null, outcome: null },
        found: null,
        error: null,
        saved: null,
      },
      query: '',
      found: null,
      hits: [],
      more: false,
      error: null,
      past: null,
      excerpt: null,
    },
    inbox: { part: 'questions', session: null, newestFirst: false, since: 0 },
    lastWaiting: null,
  };
}

export const emptyStartDraft: StartDraft = {
  agent: null,
  folder: null,
  prompt: '',
  name: '',
  config: {},
  questions: 'always',
  program: '',
};

export const emptyApprovalDraft: ApprovalDraft = {
  form: 'none',
  message: '',
  options: null,
  plan: null,
};

export const emptyTranscript: Transcript = {
  entries: [],
  streamed: [],
  status: 'unread',
  more: false,
  later: false,
  newest: 0,
  atEnd: true,
  meanwhile: [],
  error: null,
};
