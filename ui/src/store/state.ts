import type { Draft } from '../entities/request/answerDraft';
import type {
  AgentDescriptor,
  AgentId,
  AgentsFound,
  Approval,
  ApprovalId,
  ApprovalOptionId,
  Attachment,
  ChangeTotals,
  CommandId,
  ConfigId,
  Entry,
  Head,
  LiveText,
  MessageId,
  OutcomeKind,
  QuestionPolicy,
  QuestionsFound,
  QuestionTotals,
  RefusedWhy,
  Request,
  Retry,
  RequestId,
  SearchHit,
  Session,
  SessionId,
  SettingsRead,
  StorageNotice,
  StorageOutage,
  HeldEnd,
  UsageSum,
  ValueId,
} from '../generated/wire';
import type { AppError } from '../platform/bridge';
import type { Activity } from './activity';
import type { DiffForm, LineComment, SessionChanges } from './changes';
import type { HeldReply } from './messageAct';
import type { Overlay } from './navigation';
import { initialNavigation, type Navigation } from './place';
import { indexed, type SessionIndex } from './sessionIndex';
import type { OpenIn } from './openIn';
import { initialSidebar, type SessionGroup, type Sidebar } from './sidebar';
import type { Places } from './transcriptEntries';
import { initialUsage, type UsageState } from './usage';
import { emptyWorktreeDraft, type PlanRead, type WorktreeDraft } from './worktrees';

/** The state of the subscription to the app's frames. */
export interface Link {
  status: 'connecting' | 'live' | 'stale';
  epoch: string | null;
  seq: number;
  /** Counts snapshots: a page requested before the latest one may be outdated. */
  generation: number;
}

export interface Transcript {
  entries: readonly Entry[];
  /** Entries that the stream has set since the last snapshot; pages never overwrite them. */
  streamed: Places;
  status: 'unread' | 'reading' | 'read';
  /** Whether older entries exist that aren't loaded. */
  more: boolean;
  /** Whether newer entries exist that aren't loaded. */
  later: boolean;
  /** The highest known entry number. */
  newest: number;
  /** Whether the user follows the end; the loaded entries then move on with it. */
  atEnd: boolean;
  /** Entries that streamed in while a page was loading, outside the loaded range. */
  meanwhile: readonly Entry[];
  error: AppError | null;
}

/** The user's unsent decision on an approval. */
export interface ApprovalDraft {
  form: 'none' | 'options' | 'message' | 'plan';
  message: string;
  /** The chosen options; null until the user changes them. */
  options: readonly ApprovalOptionId[] | null;
  /** The edited plan; null if it is unchanged. */
  plan: string | null;
}

/** Chosen values of an agent's config options; missing options keep the agent's default. */
export type Choices = Readonly<Record<ConfigId, ValueId>>;

/** The user's unsent input for starting a session. */
export interface StartDraft {
  /** Null means the first agent. */
  agent: AgentId | null;
  /** Null means the suggested folder. */
  folder: string | null;
  prompt: string;
  name: string;
  /** By agent, because agents don't share values. */
  config: Readonly<Record<AgentId, Choices>>;
  questions: QuestionPolicy;
  program: string;
  worktree: WorktreeDraft;
}

/** A command in progress, or the error it returned. */
export interface Submit {
  command: CommandId;
  /** The sent content; sending the same content again reuses the command's id. */
  payload: string;
  phase: 'sending' | 'failed';
  error: AppError | null;
}

/** A file that can't be attached to a message. */
export interface Refusal {
  name: string;
  why: RefusedWhy | { why: 'words_only' };
}

export interface ReportedError {
  serial: number;
  error: AppError;
}

/** A read-only part of a transcript. */
export interface Excerpt {
  session: Session;
  /** The entry that it was opened at. */
  n: number | null;
  entries: readonly Entry[];
  read: boolean;
  earlier: boolean;
  later: boolean;
  error: AppError | null;
  /** The path of the exported file. */
  saved: string | null;
  /** Whether the user is being asked to confirm deleting the session. */
  deleting: boolean;
}

export interface QuestionsFilter {
  query: string;
  /** Null means that questions of all sessions are shown. */
  session: SessionId | null;
  /** Null means that any outcome is shown. */
  outcome: OutcomeKind | null;
}

/** How many days the totals of past questions can cover. */
export const SPANS = [7, 30, 90] as const;
export type Span = (typeof SPANS)[number];

/** The totals of past questions, with the days they belong to. */
export interface CountedQuestions {
  /** The start of each day, and the end of the last one. */
  bounds: readonly number[];
  counts: QuestionTotals;
}

export interface PastQuestions {
  filter: QuestionsFilter;
  span: Span;
  /** The totals for the current filter and days, once loaded. */
  totals: CountedQuestions | null;
  /** What the days of the totals used, once loaded. */
  usage: readonly UsageSum[] | null;
  /** The result for the current filter, once loaded. */
  found: QuestionsFound | null;
  error: AppError | null;
  /** The path of the exported file. */
  saved: string | null;
}

export interface History {
  /** All messages, or only questions. */
  part: 'said' | 'questions';
  questions: PastQuestions;
  query: string;
  /** The query that the hits belong to. */
  found: string | null;
  hits: readonly SearchHit[];
  more: boolean;
  error: AppError | null;
  /** The past sessions, once loaded. */
  past: readonly Session[] | null;
  excerpt: Excerpt | null;
}

/** What the inbox can be filtered to. */
export type InboxKind = 'all' | 'questions' | 'approvals' | 'missed';

/** The Inbox view of everything waiting in all sessions. */
export interface Inbox {
  kind: InboxKind;
  /** The session that the inbox is filtered to; null means all. */
  session: SessionId | null;
  newestFirst: boolean;
  /** When the inbox was opened; items that end later stay in place. */
  since: number;
}

/** Something that screen readers announce once. */
export type News =
  | { news: 'request'; request: RequestId }
  | { news: 'approval'; approval: ApprovalId }
  | { news: 'finished' | 'failed'; session: SessionId };

export interface State {
  link: Link;
  sessions: readonly Session[];
  requests: SessionIndex<Request>;
  approvals: SessionIndex<Approval>;
  /** Items known only from transcript pages; streamed values take precedence. */
  archive: {
    requests: Readonly<Record<RequestId, Request>>;
    approvals: Readonly<Record<ApprovalId, Approval>>;
  };
  live: Readonly<Record<SessionId, readonly LiveText[]>>;
  /** The attempts that agents wait for after a call of the model failed. */
  retries: Readonly<Record<SessionId, Retry>>;
  /** Answers that can still be undone before they are sent. */
  undoable: Readonly<Record<RequestId, HeldEnd>>;
  transcripts: Readonly<Record<SessionId, Transcript>>;
  storage: readonly StorageNotice[];
  /** What the disk refuses at the moment. */
  outage: StorageOutage | null;
  /** Why other programs can't ask; null if they can, or if it isn't known yet. */
  gatewayFailure: string | null;
  /** Whether the page says that it was loaded again because its process had died. */
  pageCrashed: boolean;
  navigation: Navigation;
  overlay: Overlay | null;
  /** A session to select as soon as it is known. */
  remembered: SessionId | null;
  /** Sessions with new entries since they were last in view. */
  unread: Readonly<Record<SessionId, true>>;
  /** Sessions whose last turn has finished, without an error or a stop, and the number of the entry that ended it. */
  finished: Readonly<Record<SessionId, number>>;
  activity: Readonly<Record<SessionId, Activity>>;
  /** When the user asked an agent to stop its turn; removed once it has stopped. */
  stopping: Readonly<Record<SessionId, number>>;
  agents: AgentsFound | null;
  /** An agent is missing until its program has printed one. */
  agentVersions: Readonly<Record<AgentId, string>>;
  /** Every agent the app supports, installed or not. */
  agentsKnown: readonly AgentDescriptor[];
  start: StartDraft;
  picked: Readonly<Record<SessionId, RequestId>>;
  missedOpen: Readonly<Record<RequestId, boolean>>;
  drafts: Readonly<Record<RequestId, Draft>>;
  decisions: Readonly<Record<ApprovalId, ApprovalDraft>>;
  /** The contents of permission requests of which all was on screen. */
  wholeRead: Readonly<Record<ApprovalId, string>>;
  /** Why drafts couldn't be saved in their current form, by the id of their request or approval. */
  unsaved: Readonly<Record<string, AppError>>;
  messages: Readonly<Record<SessionId, string>>;
  /** Attachments of unsent messages. */
  attached: Readonly<Record<SessionId, readonly Attachment[]>>;
  /** The open questions that have been known long enough to count as seen. */
  settled: Readonly<Record<RequestId, true>>;
  /** The questions that the composer said it would close when the user began each unsent message. */
  told: Readonly<Record<SessionId, readonly RequestId[]>>;
  /** Replies in chat that can still be undone. */
  replies: Readonly<Record<SessionId, HeldReply>>;
  /** Files rejected in the latest attempt to attach. */
  refusals: Readonly<Record<SessionId, readonly Refusal[]>>;
  /** The sums of each session's changed files, as the app published them last. */
  changedFiles: Readonly<Record<SessionId, ChangeTotals>>;
  /** What is checked out in the folders of sessions. */
  heads: Readonly<Record<SessionId, Head>>;
  /** The latest plan for a new worktree. */
  plan: PlanRead | null;
  changes: Readonly<Record<SessionId, SessionChanges>>;
  /** Comments on changed lines that haven't been sent. */
  comments: Readonly<Record<SessionId, readonly LineComment[]>>;
  /** The versions of changed files that the user has marked as viewed, by file id. */
  viewed: Readonly<Record<SessionId, Readonly<Record<string, string>>>>;
  diffForm: DiffForm;
  /** Unsaved changes to the texts of queued messages. */
  queueEdits: Readonly<Record<MessageId, string>>;
  submits: Readonly<Record<string, Submit>>;
  /** Requests whose outcome was just delivered; shown briefly. */
  delivered: readonly RequestId[];
  announced: { serial: number; news: readonly News[] };
  failures: readonly ReportedError[];
  /** Entries that the user expanded or collapsed, by entry number; a run of tool calls, by the negative number of its first. */
  unfolded: Readonly<Record<SessionId, Readonly<Record<number, boolean>>>>;
  sidebar: Sidebar;
  openIn: OpenIn;
  /** The groups of the sidebar as they were when the pointer came over them; null while it is elsewhere. */
  heldGroups: readonly SessionGroup[] | null;
  panelCollapsed: boolean;
  /** In pixels. */
  panelWidth: number;
  settings: SettingsRead | null;
  history: History;
  usage: UsageState;
  inbox: Inbox;
  /** The waiting request last shown by the keyboard shortcut. */
  lastWaiting: { id: RequestId; askedAt: number } | null;
}

/** In pixels: from the narrowest usable card to the widest panel that leaves a readable transcript. */
export const PANEL_WIDTH = { min: 304, preferred: 400, max: 720 } as const;

export function initialState(
  remembered: SessionId | null = null,
  stored: Pick<State, 'messages' | 'attached' | 'comments' | 'viewed' | 'diffForm' | 'sidebar' | 'openIn'> = {
    messages: {},
    attached: {},
    comments: {},
    viewed: {},
    diffForm: 'split',
    sidebar: initialSidebar,
    openIn: { found: null, recent: [] },
  },
): State {
  return {
    link: { status: 'connecting', epoch: null, seq: 0, generation: 0 },
    sessions: [],
    requests: indexed([]),
    approvals: indexed([]),
    archive: { requests: {}, approvals: {} },
    live: {},
    retries: {},
    undoable: {},
    transcripts: {},
    storage: [],
    outage: null,
    navigation: initialNavigation,
    overlay: null,
    remembered,
    unread: {},
    finished: {},
    activity: {},
    stopping: {},
    agents: null,
    agentVersions: {},
    agentsKnown: [],
    start: emptyStartDraft,
    picked: {},
    missedOpen: {},
    drafts: {},
    decisions: {},
    wholeRead: {},
    ...stored,
    heldGroups: null,
    changedFiles: {},
    heads: {},
    plan: null,
    changes: {},
    settled: {},
    told: {},
    replies: {},
    refusals: {},
    unsaved: {},
    queueEdits: {},
    submits: {},
    delivered: [],
    announced: { serial: 0, news: [] },
    failures: [],
    gatewayFailure: null,
    pageCrashed: false,
    unfolded: {},
    panelCollapsed: false,
    panelWidth: PANEL_WIDTH.preferred,
    settings: null,
    history: {
      part: 'questions',
      questions: {
        filter: { query: '', session: null, outcome: null },
        span: 30,
        totals: null,
        usage: null,
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
    usage: initialUsage,
    inbox: { kind: 'all', session: null, newestFirst: false, since: 0 },
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
  worktree: emptyWorktreeDraft,
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
