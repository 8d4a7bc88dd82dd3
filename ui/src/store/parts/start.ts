import type { AgentId, AgentsFound, AgentVersion, ConfigId, PlannedWorktree, QuestionPolicy, ValueId } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';

/** Chosen values of an agent's config options; missing options keep the agent's default. */
export type Choices = Readonly<Record<ConfigId, ValueId>>;

/** The user's unsent input for a new worktree; null means the suggestion. */
export interface WorktreeDraft {
  on: boolean;
  base: string | null;
  branch: string | null;
  path: string | null;
  setup: string | null;
}

export const emptyWorktreeDraft: WorktreeDraft = { on: false, base: null, branch: null, path: null, setup: null };

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

/** What the app said last about a new worktree of a folder. */
export interface PlanRead {
  folder: string;
  /** Null if the folder can have none. */
  planned: PlannedWorktree | null;
  error: AppError | null;
}

/** A start beside the form: one that was sent and isn't a session yet, or what has changed places with the form. */
export interface SentStart {
  readonly id: string;
  readonly draft: StartDraft;
  readonly isOnItsWay: boolean;
  /** Why it was refused. */
  readonly error: AppError | null;
}

/** The form that starts a session, and what it offers. */
export interface Start {
  agents: AgentsFound | null;
  /** An agent is missing until its program has printed one. */
  agentVersions: Readonly<Record<AgentId, AgentVersion>>;
  /** Whether the user is signed in, by agent; an agent is missing where that isn't known. */
  signIns: Readonly<Record<AgentId, boolean>>;
  start: StartDraft;
  /** How often the user has asked for the form. */
  startAsked: number;
  /** Why the start that came back to the form was refused. */
  startError: AppError | null;
  /** Oldest first. */
  sentStarts: readonly SentStart[];
  /** The latest plan for a new worktree. */
  plan: PlanRead | null;
}

export const initialStart: Start = {
  agents: null,
  agentVersions: {},
  signIns: {},
  start: emptyStartDraft,
  startAsked: 0,
  startError: null,
  sentStarts: [],
  plan: null,
};
