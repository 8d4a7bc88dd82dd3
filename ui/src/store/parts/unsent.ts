import type { Draft } from '../../entities/request/answerDraft';
import type {
  ApprovalId,
  ApprovalOptionId,
  Attachment,
  CommandId,
  MessageId,
  RefusedWhy,
  RequestId,
  SessionId,
} from '../../generated/wire';
import type { AppError } from '../../platform/bridge';

/** The user's unsent decision on an approval. */
export interface ApprovalDraft {
  form: 'none' | 'options' | 'message' | 'plan';
  message: string;
  /** The chosen options; null until the user changes them. */
  options: readonly ApprovalOptionId[] | null;
  /** The edited plan; null if it is unchanged. */
  plan: string | null;
}

export const emptyApprovalDraft: ApprovalDraft = { form: 'none', message: '', options: null, plan: null };

/** A file that can't be attached to a message. */
export interface Refusal {
  name: string;
  why: RefusedWhy | { why: 'words_only' };
}

/** A reply in chat in its undo window. Its text stays in the composer until it is sent. */
export interface HeldReply {
  readonly closes: readonly RequestId[];
  readonly since: number;
  readonly until: number;
}

/** A command in progress, or the error it returned. */
export interface Submit {
  command: CommandId;
  /** The sent content; sending the same content again reuses the command's id. */
  payload: string;
  phase: 'sending' | 'failed';
  error: AppError | null;
}

/** What the user has begun and the app doesn't have yet. */
export interface Unsent {
  drafts: Readonly<Record<RequestId, Draft>>;
  decisions: Readonly<Record<ApprovalId, ApprovalDraft>>;
  /** The contents of permission requests that were read to their end. */
  wholeRead: Readonly<Record<ApprovalId, string>>;
  /** Why drafts couldn't be saved in their current form, by the id of their request or approval. */
  unsaved: Readonly<Record<string, AppError>>;
  messages: Readonly<Record<SessionId, string>>;
  /** Attachments of unsent messages. */
  attached: Readonly<Record<SessionId, readonly Attachment[]>>;
  /** The questions that the composer said it would close when the user began each unsent message. */
  told: Readonly<Record<SessionId, readonly RequestId[]>>;
  /** Replies in chat that can still be undone. */
  replies: Readonly<Record<SessionId, HeldReply>>;
  /** Files rejected in the latest attempt to attach. */
  refusals: Readonly<Record<SessionId, readonly Refusal[]>>;
  /** Unsaved changes to the texts of queued messages. */
  queueEdits: Readonly<Record<MessageId, string>>;
  submits: Readonly<Record<string, Submit>>;
}

export const initialUnsent: Unsent = {
  drafts: {},
  decisions: {},
  wholeRead: {},
  unsaved: {},
  messages: {},
  attached: {},
  told: {},
  replies: {},
  refusals: {},
  queueEdits: {},
  submits: {},
};
