import type { Approval, Entry, Request, Session, SessionHead, Worktree } from '../generated/wire';
import { agentsWith, claudeCode, withCurrent } from '../testing/agents';
import { anApproval, anEntry, aQuestion, aRequest, aSession, aSnapshot, aCommand, turnEnded } from '../testing/builders';
import { FakeBridge } from '../testing/fakeBridge';
import { command, said, signIn } from './inbox';

const opened = Date.now();
const ago = (minutes: number) => opened - minutes * 60_000;

/** A session of a believable project that began some minutes ago. */
function session(place: number, name: string, minutes: number, changes: Partial<Session> = {}): Session {
  return aSession({ id: `t${place}`, name, folder: `/home/ada/code/${name}`, place, startedAt: ago(minutes), ...changes });
}

const oauthLogin: Worktree = {
  repository: '/home/ada/code/shop-api',
  path: '/home/ada/code/shop-api.worktrees/oauth-login',
  branch: 'oauth-login',
  base: 'main',
};
const idle = { state: { state: 'idle' } } as const satisfies Partial<Session>;
const exited: Session['state'] = {
  state: 'ended',
  at: ago(1500),
  end: { end: 'failed', why: { failure: 'exited', code: 1, signal: null, said: '', next: 'resume' } },
};

const sessions: Session[] = [
  // The first one is in view.
  session(2, 'shop-api', 48, { config: withCurrent(claudeCode, { mode: 'default' }), model: 'claude-opus-4-5', worktree: oauthLogin }),
  session(0, 'infra', 40),
  session(1, 'billing-worker', 55),
  session(3, 'storefront', 12),
  session(4, 'search-index', 4),
  session(5, 'docs-site', 18),
  session(6, 'mobile-app', 32),
  session(7, 'design-tokens', 130),
  session(8, 'release-notes', 3, idle),
  session(9, 'legacy-import', 1500, { state: exited, resumable: true }),
];

const branches = ['main', 'retry-queue', 'oauth-login', 'cart-drawer', 'bm25', 'v3-guide', 'push-tokens', 'main'];
const heads: SessionHead[] = branches.map((name, place) => ({ session: `t${place}`, head: { head: 'branch', name } }));

const checks = aQuestion(1, { header: 'Checks', text: 'Which checks should block a merge?', options: ['Unit tests', 'Types'] });

const requests: Request[] = [
  aRequest({ id: 'q2', session: 't2', questions: [signIn], askedAt: ago(2) }),
  aRequest({ id: 'q3', session: 't3', questions: [checks], askedAt: ago(1) }),
];

const approvals: Approval[] = [
  anApproval({ id: 'p0', session: 't0', askedAt: ago(11), subject: command('terraform apply -target module.cache') }),
  anApproval({ id: 'p1', session: 't1', askedAt: ago(6), subject: command('pnpm db:migrate --env staging') }),
];

const finished: Record<string, string> = { t6: 'Changed 4 files; all tests pass.', t7: 'Renamed 38 color tokens.' };

const talk: Entry[] = [
  anEntry(1, { kind: 'user', text: 'Add sign-in to the orders API. Keep the catalog routes public.', attachments: [] }),
  anEntry(2, { kind: 'agent', text: 'I’ll start with the routes and how requests are authorized today.' }),
  anEntry(3, { kind: 'agent', text: said }),
  anEntry(4, { kind: 'request', request: 'q2' }),
];

/** Ten sessions, of which four need the user; the agents then work on and finish. */
export function tenSessions(): FakeBridge {
  const bridge = new FakeBridge(aSnapshot({ sessions, requests, approvals, heads, agents: agentsWith() }));
  bridge.entries['t2'] = talk;
  setTimeout(() => void work(bridge), 300);
  return bridge;
}

async function work(bridge: FakeBridge): Promise<void> {
  const rewriting = Array.from({ length: 12 }, (_, index) => ({
    text: index === 6 ? 'Rewrite install pages' : `Page ${index + 1}`,
    status: index < 6 ? ('done' as const) : index === 6 ? ('in_progress' as const) : ('pending' as const),
  }));
  const running: Entry = anEntry(1, aCommand('cargo test -p ranking', { status: 'running' }));
  await bridge.push(
    { change: 'entry', session: 't4', entry: running },
    { change: 'entry', session: 't5', entry: anEntry(1, { kind: 'plan', items: rewriting }) },
  );
  for (const [id, text] of Object.entries(finished)) {
    const known = sessions.find((one) => one.id === id);
    if (!known) continue;
    await bridge.push(
      { change: 'entry', session: id, entry: anEntry(1, { kind: 'agent', text }) },
      { change: 'entry', session: id, entry: anEntry(2, { ...turnEnded, millis: 92_300 }) },
      { change: 'session', session: { ...known, ...idle } },
    );
  }
}
