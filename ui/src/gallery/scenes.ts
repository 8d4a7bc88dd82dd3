import type { Approval, Delivery, Entry, Helper, Outcome, Request, Session } from '../generated/wire';
import { emptyStartDraft } from '../store/parts/start';
import { initialState } from '../store/state';
import { handoverOf } from '../store/sync/handover';
import { aFound, agentsWith, aValue, claudeCode, codex, demo, demoFound, missing, of, openCode, withCurrent } from '../testing/agents';
import { aClient, anApproval, anEntry, aPlan, aQuestion, aRequest, aSession, aSnapshot, delivered, ended, NOW } from '../testing/builders';
import { anError, FakeBridge } from '../testing/fakeBridge';
import { withPast } from './past';
import { richBodies } from './talk';
import { settledTalk, toolTalk } from './toolTalk';

const since = Date.now() - NOW;
export const at = (askedAt: number) => askedAt + since;

const sessions: Session[] = [
  aSession({ startedAt: at(NOW - 1_080_000), model: 'claude-sonnet-4-5', config: withCurrent(claudeCode, { mode: 'default' }) }),
  aSession({ id: 's2', name: 'web', folder: '/home/ada/projects/web', startedAt: at(NOW - 240_000), place: 1 }),
  aSession({
    id: 's3',
    name: 'docs',
    ...of(demo),
    folder: '/home/ada/projects/docs',
    startedAt: at(NOW - 5_760_000),
    place: 2,
    state: { state: 'idle' },
    unusableLines: 3,
  }),
  aSession({
    id: 's4',
    name: 'infra with a rather long name',
    folder: '/srv/infra',
    startedAt: at(NOW - 18_000_000),
    place: 3,
    state: { state: 'ended', end: { end: 'failed', why: missing({ place: 'file', path: '/opt/claude' }) }, at: at(NOW - 7_200_000) },
  }),
  aSession({
    id: 's5',
    name: 'billing',
    folder: '/home/ada/projects/a-company-with-a-long-name/services/billing',
    startedAt: at(NOW - 25_200_000),
    place: 4,
    config: withCurrent(claudeCode, { mode: 'plan' }),
    resumable: true,
    state: { state: 'ended', end: { end: 'app_quit' }, at: at(NOW - 86_400_000) },
  }),
];

export const auth = aQuestion(1, {
  header: 'Auth method',
  text: 'Which authentication method should we use for the API?',
  options: [
    {
      label: 'OAuth 2.0 (Recommended)',
      description: 'Industry standard; works with the identity provider you already have.',
      preview: 'app.use(oauth({\n  issuer: "https://id.example.org",\n  scopes: ["read", "write"],\n}));',
    },
    { label: 'JWT', description: 'Stateless tokens, signed by the API itself.' },
    { label: 'Session-based', description: 'A cookie and a table of sessions; simple to revoke.' },
  ],
});

export const providers = aQuestion(2, {
  header: 'Identity providers',
  kind: 'multi',
  text: 'Which providers do your users sign in with?',
  options: [
    { label: 'GitHub', description: 'For developers' },
    { label: 'Google', description: 'For everybody else' },
    'Yes, an own SAML server',
  ],
});

const entries: Entry[] = richBodies.map((body, index) => anEntry(index + 1, body));

const pair: Request = aRequest({ questions: [auth, providers], askedAt: at(NOW - 42_000) });

export const shell: Approval = anApproval({
  description: 'Remove the old build and its caches',
  subject: { detail: 'command', command: 'rm -r build .cache/askdesk\ncargo clean --release', description: null },
  askedAt: at(NOW - 12_000),
});

/** A request with two questions that has ended. */
export function over(id: string, outcome: Outcome, delivery: Delivery | null = delivered): Request {
  const state = ended(outcome, delivery);
  return aRequest({ id, questions: [auth, providers], state, askedAt: at(NOW - 300_000) });
}

export const answered: Outcome = {
  outcome: 'answered',
  answers: [
    { question: 'q1', chosen: ['q1o1'], other: null, note: 'Only for the public routes', secretGiven: false },
    { question: 'q2', chosen: ['q2o1', 'q2o3'], other: 'and GitLab', note: null, secretGiven: false },
  ],
};

/** The agents, including the demo with its examples. */
const agents = agentsWith(
  aValue('demo', { name: 'All five, one after another', description: 'A short talk with every kind of question.' }),
);

export const base = (requests: Request[], approvals: Approval[] = []) => {
  const bridge = new FakeBridge(aSnapshot({ sessions, requests, approvals, agents }));
  bridge.entries['s1'] = [
    ...entries,
    ...requests
      .filter((request) => request.session === 's1')
      .map((request, index) => anEntry(20 + index, { kind: 'request', request: request.id })),
    ...approvals.map((approval, index) => anEntry(40 + index, { kind: 'approval', approval: approval.id })),
  ];
  const problem = missing({ place: 'path_variable', value: '/usr/local/bin:/usr/bin' });
  bridge.agents = { reading: false, agents: [aFound({ problem }), demoFound] };
  return bridge;
};

/** Runs of tool calls, one that failed, one that goes on, and one that waits. */
export function runs(): FakeBridge {
  const bridge = base([]);
  bridge.entries['s1'] = toolTalk;
  return bridge;
}

/** One request of every end, between messages and calls. */
export function settled(): FakeBridge {
  const { requests, entries } = settledTalk(over, answered, pair);
  const bridge = base(requests);
  bridge.entries['s1'] = entries;
  return bridge;
}

/** The start screen with three agents that were found and one that is missing. */
function start(): FakeBridge {
  const ended = (id: string, name: string, folder: string, minutes: number) =>
    aSession({
      id,
      name,
      folder: `/home/ada/code/${folder}`,
      startedAt: at(NOW - (minutes + 40) * 60_000),
      resumable: true,
      state: { state: 'ended', end: { end: 'finished' }, at: at(NOW - minutes * 60_000) },
    });
  const more = [codex, openCode, { ...claudeCode, id: 'gemini_cli', name: 'Gemini CLI', install: 'npm install -g @google/gemini-cli' }];
  const bridge = base([]);
  bridge.snapshot = aSnapshot({
    sessions: [
      ended('s1', 'invoice totals', 'shop-api', 32),
      ended('s2', 'cart drawer', 'storefront', 130),
      ended('s3', 'retry queue', 'billing-worker', 1500),
      aSession({ id: 's4', name: 'infra', folder: '/srv/infra', startedAt: at(NOW - 3_000_000), place: 3 }),
    ],
    agents: [...agents, ...more],
  });
  const problem = { ...missing({ place: 'path_variable', value: '/usr/local/bin:/usr/bin' }), agent: 'gemini_cli', install: null };
  bridge.versions = { claude_code: '2.1.329', codex: '0.169.0' };
  bridge.agents = {
    reading: false,
    agents: [
      aFound({ program: '/usr/bin/claude' }),
      aFound({ agent: 'codex', program: '/usr/bin/codex' }),
      aFound({ agent: 'opencode', program: '/usr/bin/opencode' }),
      aFound({ agent: 'gemini_cli', problem }),
      demoFound,
    ],
  };
  const start = {
    ...emptyStartDraft,
    folder: '/home/ada/code/shop-api',
    prompt: 'Add rate limiting to the public endpoints: 60 requests a minute per key, and a clear error when a client goes over it.',
  };
  bridge.handover = { ...handoverOf({ ...initialState(), start }), place: { at: 'start', session: null } };
  bridge.snapshot.heads = ['main', 'cart-drawer', 'retry-queue'].map((name, n) => ({
    session: `s${n + 1}`,
    head: { head: 'branch', name },
  }));
  return bridge.on('plan_worktree', ({ branch, base }) =>
    aPlan({ branch: branch ?? 'askdesk/add-rate-limiting-to-the-public', base: base ?? 'main' }),
  );
}

export function helpers(): FakeBridge {
  const bridge = base([]);
  const since = Date.now() - 95_000;
  const helpers: Helper[] = [
    { id: 'a1', kind: 'subagent', title: 'Write the tests of the checkout', state: 'working', beganAt: since },
    { id: 'b1', kind: 'shell', title: 'pnpm dev --port 4173', state: 'stopping', beganAt: since + 60_000 },
  ];
  bridge.snapshot.sessions = sessions.map((session) => (session.id === 's1' ? { ...session, helpers } : session));
  return bridge;
}

/** The gallery's scenes: each builds the app in one state. */
export const scenes: Record<string, () => FakeBridge> = {
  first: () => {
    const bridge = base([]);
    bridge.snapshot = aSnapshot({ sessions: [], agents });
    return bridge;
  },
  start_missing: () => {
    const bridge = start();
    const config = { gemini_cli: { mode: 'bypass', model: 'opus' } };
    const draft = { ...emptyStartDraft, agent: 'gemini_cli', config, name: 'rate limits' };
    if (bridge.handover) bridge.handover = { ...bridge.handover, start: draft };
    return bridge;
  },
  start_signed_out: () => {
    const bridge = start().fail('sign_in', { code: 'not_opened', detail: { detail: 'unopened', why: { unopened: 'no_terminal' } } });
    bridge.signIns = { codex: false };
    if (bridge.handover) bridge.handover = { ...bridge.handover, start: { ...bridge.handover.start, agent: 'codex' } };
    return bridge;
  },
  approval: () => base([], [shell]),
  inbox: () => {
    const gone = ended({ outcome: 'orphaned', why: 'app_quit' });
    const requests = [
      pair,
      aRequest({ id: 'i2', session: 's2', questions: [providers], askedAt: at(NOW - 30_000) }),
      aRequest({ id: 'i3', session: 's3', questions: [auth], askedAt: at(NOW - 9_000_000), askedBy: 'reviewer' }),
      aRequest({ id: 'i4', session: 's5', questions: [auth], askedAt: at(NOW - 900_000), state: gone }),
    ];
    return base(requests, [shell]);
  },
  asked: () => withPast(base([])),
  clients: () => {
    const bridge = base([]);
    const file = '/home/ada/.cursor/mcp.json';
    const unparsed = { trouble: 'unparsed', kind: 'JSON', error: 'line 3, column 1: expected a comma' } as const;
    bridge.clients = [
      aClient({
        client: 'claude-code',
        files: ['/home/ada/.claude.json', '/home/ada/.claude/settings.json'],
        connected: true,
        way: { way: 'works', but: ['hooks_off'] },
        lastQuestion: at(NOW - 300_000),
      }),
      aClient(),
      aClient({ client: 'gemini-cli', files: ['/home/ada/.gemini/settings.json'], connected: true, way: { way: 'works', but: [] } }),
      aClient({
        client: 'opencode',
        files: ['/home/ada/.config/opencode/opencode.json'],
        connected: true,
        way: { way: 'broken', why: { why: 'stale', file: '/home/ada/.config/opencode/opencode.json' } },
      }),
      aClient({
        client: 'cursor',
        files: [file],
        way: { way: 'broken', why: { why: 'unusable', file, trouble: unparsed } },
        limitSeconds: null,
      }),
      ...(['vscode', 'copilot-cli', 'windsurf', 'antigravity', 'zed'] as const).map((client) => aClient({ client, found: false })),
    ];
    const versions = [
      { client: 'claude-code', version: '2.1.329' },
      { client: 'codex', version: '0.169.0' },
    ] as const;
    const diff = [
      '@@ -1,3 +1,10 @@',
      ' model = "gpt-5"',
      ' ',
      ' [tools]',
      '+',
      '+[mcp_servers.askdesk]',
      '+url = "http://127.0.0.1:41414/mcp"',
      '+tool_timeout_sec = 86400',
      '+default_tools_approval_mode = "approve"',
      '+',
      '+[mcp_servers.askdesk.http_headers]',
      '+Authorization = "Bearer …"',
      '',
    ].join('\n');
    const codex = '/home/ada/.codex/config.toml';
    return bridge
      .on('read_client_versions', () => ({ versions: [...versions] }))
      .on('plan_client', ({ client }) => {
        if (client === 'cursor') {
          throw anError({ code: 'client_file_left', detail: { detail: 'client_file', file, trouble: unparsed } });
        }
        const change = { file: codex, becomes: 'changed', diff, cut: false, copy: `${codex}.askdesk-backup` } as const;
        return {
          changes: [change],
          notes: [
            { note: 'other_port', port: 41415 },
            { note: 'open_to_others', file: codex },
          ],
        };
      });
  },
  storage: () => {
    const bridge = base([pair]);
    const folder = '/home/ada/.local/share/askdesk';
    bridge.snapshot.storage = [
      { storage: 'set_aside', kept: `${folder}/desk.db.damaged-1` },
      { storage: 'unreadable', count: 3 },
    ];
    bridge.snapshot.outage = { error: { trouble: 'full', path: `${folder}/desk.db` }, entries: 12, lost: 0 };
    bridge.gateway = `${folder}/token can’t be read: Is a directory (os error 21)`;
    bridge.pageCrashed = true;
    return bridge;
  },
};
