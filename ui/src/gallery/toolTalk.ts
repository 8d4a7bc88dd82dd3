import type { Delivery, Entry, EntryBody, Outcome, Request, ToolDetail, ToolKind, ToolStatus } from '../generated/wire';
import { anEntry, NOW, turnEnded, withdrawn } from '../testing/builders';

type Tool = Extract<EntryBody, { kind: 'tool' }>;

const names: Record<ToolKind, string> = {
  read: 'Read',
  edit: 'Edit',
  execute: 'Bash',
  search: 'Grep',
  fetch: 'WebFetch',
  think: 'Think',
  other: 'mcp__tracker__find_issue',
};

function tool(toolKind: ToolKind, summary: string, status: ToolStatus = 'done', detail?: ToolDetail, output: string | null = null): Tool {
  const other: ToolDetail = { detail: 'other', input: JSON.stringify({ summary }, null, 2) };
  return { kind: 'tool', toolUse: summary, name: names[toolKind], toolKind, summary, detail: detail ?? other, status, output };
}

const edited = (path: string, added: number, removed: number) => {
  const lines = [...Array.from({ length: removed }, () => '-old'), ...Array.from({ length: added }, () => '+new')];
  return tool('edit', path, 'done', {
    detail: 'edit',
    path: `/home/ada/code/shop-api/${path}`,
    diff: `@@ -1,9 +1,9 @@\n${lines.join('\n')}\n`,
  });
};

const command = (text: string, status: ToolStatus, output: string | null = null) =>
  tool('execute', text, status, { detail: 'command', command: text, description: null }, output);

/** Numbers the entries, a few seconds apart. */
const timed = (bodies: readonly EntryBody[]): Entry[] =>
  bodies.map((body, index) => ({ ...anEntry(index + 1, body), at: NOW - (bodies.length - index) * 6_000 }));

export const toolTalk: Entry[] = timed([
  { kind: 'user', text: 'Add sign-in to the orders API. Keep the catalog routes public.', attachments: [] },
  { kind: 'agent', text: 'I’ll start with the routes and how requests are authorized today.' },
  ...['orders.ts', 'carts.ts', 'catalog.ts', 'admin.ts', 'index.ts', 'auth.ts'].map((file) => tool('read', `src/routes/${file}`)),
  command('git log --oneline -20', 'done', 'a1b2c3d Cache the catalog'),
  command('pnpm test src/routes', 'done', '41 passed'),
  {
    kind: 'agent',
    text: 'Eleven of the fourteen routes need a signed-in customer:\n\n- orders, carts and addresses are private, per customer\n- the three catalog routes stay public and cached',
  },
  edited('src/auth/guard.ts', 58, 0),
  edited('src/routes/orders.ts', 31, 12),
  edited('src/routes/carts.ts', 24, 11),
  edited('test/guard.test.ts', 15, 8),
  command('pnpm test src/auth', 'failed', '1 failed'),
  tool('search', 'customerId('),
  tool('fetch', 'https://example.org/docs/oidc'),
  tool('other', 'orders: sign-in'),
  command('pnpm lint', 'running'),
  command('pnpm db:migrate --env staging', 'awaiting_permission'),
]);

/** The time that an ended request was open. */
function waited(request: Request, index: number): Request {
  const { state, askedAt } = request;
  return state.state === 'ended' ? { ...request, state: { ...state, at: askedAt + 5_000 + index * 9_000 } } : request;
}

/** One request of every end, between messages and calls. */
export function settledTalk(
  over: (id: string, outcome: Outcome, delivery?: Delivery | null) => Request,
  answered: Outcome,
  open: Request,
): { requests: Request[]; entries: Entry[] } {
  const requests = [
    over('r11', answered),
    over('r12', { outcome: 'declined', words: null }),
    over('r13', { outcome: 'replied_in_chat', text: 'Use the Redis instance we already run. Set a key prefix.' }),
    over('r14', withdrawn(), null),
    over('r15', { outcome: 'expired' }),
    over('r16', { outcome: 'orphaned', why: 'agent_ended' }, null),
    over('r17', answered, { delivery: 'pending' }),
    over('r18', answered, { delivery: 'parked' }),
    open,
  ].map(waited);
  const asked = requests.map(({ id }): EntryBody => ({ kind: 'request', request: id }));
  const entries = timed([
    { kind: 'user', text: 'Add sign-in to the orders API. Keep the catalog routes public.', attachments: [] },
    ...asked.slice(0, 1),
    tool('read', 'src/routes/orders.ts'),
    tool('read', 'src/routes/carts.ts'),
    ...asked.slice(1, 3),
    { kind: 'agent', text: 'Redis it is, with the prefix `auth:`.' },
    edited('src/auth/guard.ts', 58, 0),
    edited('src/routes/orders.ts', 31, 12),
    ...asked.slice(3, 6),
    { kind: 'notice', notice: { notice: 'interrupted' } },
    { ...turnEnded, millis: 92_300, inputTokens: 48_120, outputTokens: 3_204, costUsd: 0.1834 },
    { kind: 'agent', text: 'The guard is in place. Before I connect the identity provider I need three decisions from you.' },
    ...asked.slice(6),
  ]);
  return { requests, entries };
}
