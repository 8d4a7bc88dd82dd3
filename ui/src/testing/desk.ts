import type {
  Approval,
  ClientRead,
  Entry,
  EntryBody,
  Question,
  QuestionOption,
  Request,
  Session,
  Snapshot,
} from '../generated/wire';
import { usualOptions } from '../store/desk.svelte';

/** A fixed moment, so that waiting times read the same everywhere. */
export const NOW = Date.UTC(2026, 10, 21, 9, 0, 0);

export function aSession(changes: Partial<Session> = {}): Session {
  return {
    id: 's1',
    agent: 'claude_code',
    name: 'api',
    folder: '/home/ada/projects/api',
    startedAt: NOW - 600_000,
    state: { state: 'working' },
    version: '2.1.0',
    model: null,
    unusableLines: 0,
    queue: [],
    attention: { muted: false, private: false },
    options: { ...usualOptions },
    mode: null,
    place: 0,
    resumable: false,
    client: null,
    ...changes,
  };
}

type OptionSketch = string | Partial<QuestionOption>;

/** A question with ids as they are minted: `q1`, `q1o2`. */
export function aQuestion(
  place: number,
  changes: Partial<Omit<Question, 'options'>> & { options?: OptionSketch[] } = {},
): Question {
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
    source: 'claude_control',
    askedBy: null,
    questions: [aQuestion(1)],
    askedAt: NOW - 42_000,
    limit: null,
    state: { state: 'open' },
    ...changes,
  };
}

export function anApproval(changes: Partial<Approval> = {}): Approval {
  return {
    id: 'a1',
    session: 's1',
    nativeRef: 'n2',
    tool: 'Bash',
    description: null,
    what: { detail: 'command', command: 'rm -r build', description: null },
    rules: [],
    askedAt: NOW - 10_000,
    state: { state: 'open' },
    ...changes,
  };
}

export function anEntry(n: number, body: EntryBody): Entry {
  return { n, at: NOW - 60_000 + n, body };
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
    held: [],
    storage: null,
    agents: [
      { agent: 'claude_code', takes: { takes: 'images_and_files', count: 8, imageBytes: 8 * 1024 * 1024 } },
      { agent: 'demo', takes: { takes: 'words' } },
    ],
    ...changes,
  };
}
