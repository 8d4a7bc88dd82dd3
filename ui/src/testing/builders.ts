import type {
  Approval,
  ApprovalDecision,
  ApprovalOption,
  ClientRead,
  Delivery,
  Entry,
  EntryBody,
  Outcome,
  PlannedWorktree,
  Question,
  QuestionOption,
  QuestionTotals,
  Request,
  Session,
  Snapshot,
  UpdateRead,
  WithdrawnWhy,
  WorktreePlan,
  WorktreeState,
  UsageSum,
} from '../generated/wire';
import { defaultOptions } from '../store/commands/start';
import { claudeCode, demo, of } from './agents';

/** A fixed time, so that waiting times are the same on every run. */
export const NOW = Date.UTC(2026, 10, 21, 9, 0, 0);

export function aSession(changes: Partial<Session> = {}): Session {
  return {
    id: 's1',
    ...of(claudeCode),
    name: 'api',
    folder: '/home/ada/projects/api',
    startedAt: NOW - 600_000,
    state: { state: 'working' },
    version: '2.1.0',
    model: null,
    unusableLines: 0,
    queue: [],
    helpers: [],
    attention: { muted: false, private: false },
    options: { ...defaultOptions },
    place: 0,
    resumable: false,
    nativeSession: null,
    ...changes,
  };
}

type OptionSketch = string | Partial<QuestionOption>;

/** A question with ids in the engine's format: `q1`, `q1o2`. */
export function aQuestion(place: number, changes: Partial<Omit<Question, 'options'>> & { options?: OptionSketch[] } = {}): Question {
  const { options = ['OAuth 2.0', 'JWT'], ...rest } = changes;
  return {
    id: `q${place}`,
    text: `Question ${place}?`,
    header: `Header ${place}`,
    kind: 'single',
    allowsOther: true,
    otherDescription: null,
    required: false,
    placeholder: null,
    ...rest,
    options: options.map((sketch, index) => {
      const given = typeof sketch === 'string' ? { label: sketch } : sketch;
      return {
        id: `q${place}o${index + 1}`,
        label: 'Option',
        description: null,
        preview: null,
        recommended: /\(recommended\)\s*$/i.test(given.label ?? ''),
        ...given,
      };
    }),
  };
}

export function aRequest(changes: Partial<Request> = {}): Request {
  return {
    id: 'r1',
    session: 's1',
    nativeRef: 'n1',
    askedBy: null,
    questions: [aQuestion(1)],
    askedAt: NOW - 42_000,
    limit: null,
    state: { state: 'open' },
    ...changes,
  };
}

export function ended(outcome: Outcome, delivery: Delivery | null = null, at = NOW): Extract<Request['state'], { state: 'ended' }> {
  return { state: 'ended', outcome, delivery, at };
}

export function withdrawn(why: WithdrawnWhy = { why: 'by_agent' }): Outcome {
  return { outcome: 'withdrawn', why };
}

export const delivered = { delivery: 'delivered', at: NOW } as const satisfies Delivery;

export function undelivered(text: string): Delivery {
  return { delivery: 'failed', error: { undelivered: 'text', text } };
}

/** The request after the user has answered it. */
export function answered(
  request: Request,
  answers: { question: string; chosen?: string[]; other?: string | null }[],
  delivery: Delivery | null = { delivery: 'pending' },
  at = NOW,
): Request {
  const given = answers.map(({ question, chosen = [], other = null }) => {
    // The app tells nobody a secret again.
    const secretGiven = request.questions.some(({ id, kind }) => id === question && kind === 'secret');
    return { question, chosen, other: secretGiven ? null : other, note: null, secretGiven };
  });
  return { ...request, state: ended({ outcome: 'answered', answers: given }, delivery, at) };
}

export function anApproval(changes: Partial<Approval> = {}): Approval {
  return {
    id: 'a1',
    session: 's1',
    nativeRef: 'n2',
    title: 'Bash',
    description: null,
    subject: { detail: 'command', command: 'rm -r build', description: null },
    options: someOptions(),
    takesMessage: true,
    askedAt: NOW - 10_000,
    rule: null,
    state: { state: 'open' },
    ...changes,
  };
}

/** Allow once, the given "always allow" options, and deny. */
export function someOptions(...always: Pick<ApprovalOption, 'id' | 'label' | 'scope'>[]): ApprovalOption[] {
  const plain = { label: { label: 'plain' }, scope: null, combines: false } as const;
  return [
    { id: 'allow', kind: 'allow_once', ...plain },
    ...always.map((option): ApprovalOption => ({ ...option, kind: 'allow_always', combines: true })),
    { id: 'deny', kind: 'reject_once', ...plain },
  ];
}

/** The options of a plan approval, with the permission modes that can follow the plan. */
export function planOptions(...modes: string[]): ApprovalOption[] {
  const [allow, ...rest] = someOptions();
  const followed = modes.map((value): ApprovalOption => ({
    ...allow!,
    id: `allow:${value}`,
    label: { label: 'config', option: 'mode', value },
  }));
  return [allow!, ...followed, ...rest];
}

export function aDecision(...options: string[]): ApprovalDecision {
  return { options, message: null, plan: null };
}

export function anEntry(n: number, body: EntryBody): Entry {
  return { n, at: NOW - 60_000 + n, body };
}

/** The end of a turn without an error. */
export const turnEnded = {
  kind: 'turn_ended',
  millis: 1,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  error: null,
  costUsd: null,
  context: null,
} as const satisfies EntryBody;

type Tool = Extract<EntryBody, { kind: 'tool' }>;

/** A call that read a file. */
export function aTool(changes: Partial<Tool> = {}): Tool {
  const detail = { detail: 'other', input: '{}' } as const;
  return { kind: 'tool', toolUse: 't1', name: 'Read', toolKind: 'read', summary: 'a.ts', detail, status: 'done', output: null, ...changes };
}

/** A call that runs a command. */
export function aCommand(command: string, changes: Partial<Tool> = {}): Tool {
  const detail = { detail: 'command', command, description: null } as const;
  return aTool({ name: 'Bash', toolKind: 'execute', summary: command, detail, ...changes });
}

export function aClient(changes: Partial<ClientRead> = {}): ClientRead {
  return {
    client: 'codex',
    found: true,
    files: ['/home/ada/.codex/config.toml'],
    connected: false,
    way: { way: 'not_connected' },
    limitSeconds: 86_400,
    lastQuestion: null,
    ...changes,
  };
}

export function aSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    epoch: 'e1',
    seq: 0,
    sessions: [aSession()],
    requests: [],
    approvals: [],
    live: [],
    retries: [],
    contexts: [],
    finished: [],
    held: [],
    changedFiles: [],
    heads: [],
    storage: [],
    outage: null,
    agents: [claudeCode, demo],
    ...changes,
  };
}

const answerTimes = [5, 15, 30, 60, 120, 300, 900, null].map((seconds) => seconds && seconds * 1_000);

/** Totals of past questions, by the groups of times to answer; those that aren't given are zero. */
export function totalsOf(times: readonly number[] = [], medianMillis: number | null = null): QuestionTotals {
  const counted = answerTimes.map((upTo, index) => ({ upTo, count: times[index] ?? 0 }));
  return { answerTimes: counted, medianMillis };
}

/** What nothing used, but for some changes. */
export function aUsage(changes: Partial<UsageSum> = {}): UsageSum {
  return { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null, ...changes };
}

/** The plan for a new worktree of `shop-api`. */
export function aPlan(changes: Partial<WorktreePlan> = {}, setup = ''): PlannedWorktree {
  const plan: WorktreePlan = {
    repository: '/home/ada/code/shop-api',
    head: { head: 'branch', name: 'main' },
    base: 'main',
    branch: 'askdesk/session',
    path: '/home/ada/code/shop-api.worktrees/askdesk-session',
    branches: ['main', 'oauth-login', 'release/2.1'],
    unlisted: 0,
    submodules: false,
    flaws: [],
    ...changes,
  };
  return { plan, setup };
}

/** A worktree with nothing to lose. */
export function aTree(changes: Partial<WorktreeState> = {}): WorktreeState {
  const none = { count: 0, first: [] };
  return {
    seen: 'a1',
    path: '/home/ada/code/shop-api.worktrees/rate-limits',
    head: { head: 'branch', name: 'rate-limits' },
    base: 'main',
    baseFolder: '/home/ada/code/shop-api',
    uncommitted: none,
    untracked: none,
    ignored: none,
    submodules: none,
    commits: none,
    behind: 0,
    merge: null,
    rebase: null,
    remove: null,
    losses: [],
    ...changes,
  };
}

/** What is known about updates right after the start. */
export function anUpdate(changes: Partial<UpdateRead> = {}): UpdateRead {
  return {
    running: '0.2.0',
    phase: { phase: 'idle' },
    problem: null,
    inTheWay: [],
    checkedAt: null,
    isOffered: false,
    byHand: null,
    ...changes,
  };
}

/** A newer version that is available. */
export function anAvailableUpdate(changes: Partial<UpdateRead> = {}): UpdateRead {
  const release = { version: '0.3.0', notes: '- Answers arrive **faster**', size: 8_700_000 };
  return anUpdate({ phase: { phase: 'available', release }, isOffered: true, checkedAt: 1, ...changes });
}
