import type { Approval, Request, Session, ToolDetail } from '../generated/wire';
import { agentsWith, claudeCode, demo, of } from '../testing/agents';
import { anApproval, anEntry, aQuestion, aRequest, aSession, aSnapshot, ended, planOptions, someOptions } from '../testing/builders';
import { FakeBridge } from '../testing/fakeBridge';

const opened = Date.now();
const minutesAgo = (minutes: number) => opened - minutes * 60_000;

const names = ['infra', 'billing-worker', 'shop-api', 'storefront', 'search-index', 'docs-site'] as const;

const sessions: Session[] = names.map((name, place) =>
  aSession({
    id: name,
    name,
    place,
    ...of(name === 'docs-site' ? demo : claudeCode),
    folder: `/home/ada/code/${name}`,
    startedAt: minutesAgo(60 - place),
  }),
);

export const command = (text: string, description: string | null = null): ToolDetail => ({ detail: 'command', command: text, description });

const terraform = Array.from({ length: 84 }, (_, line) => `+resource "aws_subnet" "private_${line + 1}" {}`).join('\n');

const rules = someOptions({
  id: 'r1',
  scope: 'local',
  label: { label: 'tool', tool: 'Bash', content: 'pnpm db:migrate:*', behavior: 'allow' },
});

const reads = ['Check the column types', 'Find other readers of the charges', 'Write the rollback'];

const approvals: Approval[] = [
  anApproval({
    id: 'a1',
    session: 'infra',
    title: 'Edit',
    subject: { detail: 'edit', path: '/home/ada/code/infra/terraform/prod.tf', diff: `@@ -12,0 +13,84 @@\n${terraform}\n` },
    askedAt: minutesAgo(11),
  }),
  anApproval({
    id: 'a2',
    session: 'billing-worker',
    subject: command('pnpm db:migrate --env staging', 'Add the attempts column'),
    options: rules,
    askedAt: minutesAgo(6),
  }),
  ...reads.map((description, index) =>
    anApproval({
      id: `a${index + 3}`,
      session: 'billing-worker',
      subject: command('psql staging -c "\\d charges"'),
      description,
      askedAt: minutesAgo(2) + index * 9_000,
    }),
  ),
  anApproval({
    id: 'a6',
    session: 'docs-site',
    title: 'ExitPlanMode',
    subject: { detail: 'plan', plan: '1. Split the install page', path: null },
    options: planOptions('default', 'accept_edits'),
    askedAt: minutesAgo(1.5),
  }),
];

export const signIn = aQuestion(1, {
  header: 'Sign-in',
  text: 'Which sign-in method should the public API use?',
  options: [
    { label: 'OAuth 2.0 with PKCE (Recommended)', description: 'Uses the provider you already run' },
    { label: 'Signed JWTs', description: 'Stateless; every service verifies its own' },
    { label: 'Session cookies', description: 'Easy to revoke; needs a sessions table' },
  ],
});

const requests: Request[] = [
  aRequest({ id: 'q1', session: 'shop-api', askedAt: minutesAgo(2.5), questions: [{ ...signIn, header: null }] }),
  aRequest({
    id: 'q2',
    session: 'storefront',
    askedAt: minutesAgo(1),
    questions: [
      aQuestion(1, {
        header: 'Checks',
        kind: 'multi',
        text: 'Which checks should block a merge?',
        options: ['Unit tests', 'Type check', 'Lint', 'Bundle size'],
      }),
      aQuestion(2, { header: 'Reviewers', text: 'Who reviews changes of the cart?', options: ['The web team', 'Anybody'] }),
    ],
  }),
  aRequest({
    id: 'q3',
    session: 'search-index',
    askedAt: minutesAgo(9),
    questions: [aQuestion(1, { header: null, text: 'Keep the old ranking behind a flag?', options: ['Yes', 'No'] })],
    state: ended({ outcome: 'orphaned', why: 'agent_ended' }, null, minutesAgo(4)),
  }),
];

export const said =
  'The guard is in place. Before I connect the identity provider I need a decision from you. It is hard to change once clients depend on it.';

/** An inbox with requests of every kind: to decide at once, to review, identical ones, a plan, and a missed question. */
export function mixedInbox(): FakeBridge {
  const bridge = new FakeBridge(aSnapshot({ sessions, requests, approvals, agents: agentsWith() }));
  for (const { id } of sessions) bridge.entries[id] = [anEntry(1, { kind: 'agent', text: said })];
  return bridge;
}

/** An inbox with nothing in it, while sessions work. */
export function emptyInbox(): FakeBridge {
  return new FakeBridge(aSnapshot({ sessions, agents: agentsWith() }));
}
