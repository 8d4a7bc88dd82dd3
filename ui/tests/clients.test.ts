import { screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { ClientRead, Confirmation } from '../src/generated/wire';
import { scenes } from '../src/gallery/scenes';
import { aClient } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { held, openSettings, settle, showCategory } from './open';

const list = () => within(document.querySelector<HTMLElement>('[data-clients]') ?? document.body);
const row = (name: string) => within(list().getByRole('listitem', { name }));
const press = (name: string) => list().getByRole('button', { name });

const FILE = '/home/ada/.codex/config.toml';
const DIFF = '@@ -1 +1,3 @@\n model = "x"\n+[mcp_servers.askdesk]\n+Authorization = "Bearer …"\n';
const change = { file: FILE, becomes: 'changed', diff: DIFF, cut: false, copy: `${FILE}.askdesk-backup` } as const;

/** Opens the page of connected apps. */
async function openClients(bridge: FakeBridge) {
  const opened = await openSettings(bridge);
  expect(bridge.sent('read_clients')).toEqual([]);
  expect(bridge.sent('read_client_versions'), 'no program is run before it is asked for').toEqual([]);
  await showCategory(opened.user, 'Connected apps');
  expect(screen.getByRole('dialog', { name: 'Settings' })).toContainElement(document.querySelector('[data-clients]'));
  return opened;
}

/** A program that is connected once the change is written. */
function withCodex(): FakeBridge {
  const bridge = new FakeBridge().with({ clients: [aClient()] });
  return bridge
    .on('plan_client', ({ goal }) => ({
      changes: [goal === 'connected' ? change : { ...change, becomes: 'removed', copy: null }],
      notes: [],
    }))
    .on('change_client', () => {
      const connected = bridge.sent('plan_client').at(-1)?.goal === 'connected';
      bridge.clients = [aClient(connected ? { connected, way: { way: 'works', but: [] } } : {})];
      return {};
    });
}

test('each program is listed with its version, files, state, and last question, and a file that can’t be changed with the reason', async () => {
  const { user } = await openClients(scenes['clients']!());
  const names = list()
    .getAllByRole('heading', { level: 4 })
    .map((heading) => heading.textContent);
  const rest = ['VS Code', 'Copilot CLI', 'Windsurf', 'Antigravity', 'Zed'];
  expect(names).toEqual(['Claude Code', 'Codex', 'Gemini CLI', 'OpenCode', 'Cursor', ...rest]);
  const claude = row('Claude Code');
  expect(claude.getByText('2.1.329')).toBeVisible();
  expect(claude.getByText('~/.claude/settings.json')).toBeVisible();
  expect(claude.getByText('Connected. Its questions arrive here.')).toBeVisible();
  expect(claude.getByText(/^Hooks are turned off/)).toBeVisible();
  expect(claude.getByText(/^Up to 24 hours/)).toBeVisible();
  expect(claude.getByText('Last question').nextElementSibling).toHaveTextContent(/20\d\d/);
  expect(claude.queryByRole('button', { name: 'Connect Claude Code' })).toBeNull();
  expect(row('Codex').getByText('Not connected')).toBeVisible();
  expect(row('Codex').getByText('None')).toBeVisible();
  expect(row('Gemini CLI').getByText('Unknown version')).toBeVisible();
  expect(row('OpenCode').getByText(/^Questions don’t arrive\. The port or token in .*opencode\.json/)).toBeVisible();
  expect(row('OpenCode').getByRole('button', { name: 'Update OpenCode' })).toBeVisible();
  expect(row('Cursor').getByText(/^Questions don’t arrive\. Can’t use .*mcp\.json: it isn’t valid JSON: line 3/)).toBeVisible();
  expect(row('Zed').getByText('Not found on this computer')).toBeVisible();
  expect(row('Zed').getByRole('button', { name: 'Connect Zed' })).toBeVisible();
  expect(list().getByText(/For a single project, run “askdesk connect --scope project”/)).toBeVisible();

  await user.click(press('Connect Cursor'));
  expect(row('Cursor').getByRole('alert')).toHaveTextContent(
    'Nothing was written. /home/ada/.cursor/mcp.json: it isn’t valid JSON: line 3, column 1: expected a comma. Fix the file, then try again.',
  );
  expect(list().queryByRole('button', { name: 'Apply changes' })).toBeNull();
});

test('connecting shows the change first, which can be canceled, and writes exactly that change on confirmation', async () => {
  const { bridge, user } = await openClients(withCodex());
  await user.click(press('Connect Codex'));
  await user.click(press('Cancel'));
  expect(list().queryByRole('group', { name: /^Changes to connect/ })).toBeNull();
  expect(list().getByRole('listitem', { name: 'Codex' })).toHaveFocus();
  await user.click(press('Connect Codex'));
  const plan = within(list().getByRole('group', { name: 'Changes to connect Codex' }));
  expect(list().getByRole('group', { name: 'Changes to connect Codex' })).toHaveFocus();
  expect(plan.getByText('Changes this file:')).toBeVisible();
  expect(plan.getByText('[mcp_servers.askdesk]').tagName).toBe('INS');
  expect(plan.getByText(`The current version is backed up to ~/.codex/config.toml.askdesk-backup.`)).toBeVisible();
  expect(plan.getByText(/^The token is hidden here/)).toBeVisible();
  expect(bridge.sent('change_client')).toEqual([]);
  await user.click(plan.getByRole('button', { name: 'Apply changes' }));
  const planned = bridge.sent('plan_client').at(-1);
  expect(bridge.sent('change_client').map(({ plan }) => plan)).toEqual([planned?.requestId]);
  expect(row('Codex').getByRole('status')).toHaveTextContent('Codex is connected. Restart Codex');
  expect(row('Codex').getByText('Connected. Its questions arrive here.')).toBeVisible();
  expect(list().getByRole('listitem', { name: 'Codex' })).toHaveFocus();

  await user.click(press('Disconnect Codex'));
  expect(list().getByText('Deletes this file, which contains nothing else:')).toBeVisible();
  await user.click(press('Apply changes'));
  expect(row('Codex').getByRole('status')).toHaveTextContent('Codex is disconnected.');
  expect(row('Codex').getByText('Not connected')).toBeVisible();
});

test('a program is connected only once it says so, and until then its entry is written', async () => {
  const bridge = withCodex();
  let answer: (said: Confirmation) => void = () => {};
  bridge.on('confirm_client', () => new Promise<Confirmation>((resolve) => (answer = resolve)));
  const { user } = await openClients(bridge);
  await user.click(press('Connect Codex'));
  await user.click(press('Apply changes'));
  await settle();
  expect(row('Codex').getByText('Written. Codex is being asked whether it uses the entry…')).toBeVisible();
  expect(row('Codex').getByRole('status')).toHaveTextContent('The files of Codex are changed.');
  expect(row('Codex').queryByText(/onnected\./)).toBeNull();

  for (const [said, words] of [
    [{ confirmation: 'unlisted' }, /^Written, but Codex doesn’t list this entry\./],
    [{ confirmation: 'refused', said: 'ECONNREFUSED' }, /^Written, but Codex can’t use it yet\. It says: ECONNREFUSED$/],
    [{ confirmation: 'unasked' }, /^Written, not confirmed\./],
    [{ confirmation: 'confirmed' }, /^Connected\. Its questions arrive here\.$/],
  ] as const) {
    answer(said);
    await settle();
    expect(row('Codex').getByText(words)).toBeVisible();
    expect(row('Codex').queryAllByText(/onnected\./)).toHaveLength(said.confirmation === 'confirmed' ? 1 : 0);
    await user.click(press('Check again'));
    await settle();
  }
});

test('case_170_a_setting_that_keeps_calls_in_the_foreground_is_missing_and_connecting_adds_it', async () => {
  const bridge = new FakeBridge();
  bridge.clients = [aClient({ client: 'claude-code', connected: true, way: { way: 'works', but: ['background', 'differs'] } })];
  bridge.on('plan_client', () => ({ changes: [change], notes: [{ note: 'no_background', client: 'claude-code' }] }));
  const { user } = await openClients(bridge);
  expect(row('Claude Code').getByText(/calls that wait long go on in the background/)).toBeVisible();
  await user.click(press('Update Claude Code'));
  expect(list().getByText(/CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0 turns that off, for all its MCP servers/)).toBeVisible();
});

test('an outdated entry works and can be updated; a new change is announced, and a long one names a command that shows all of it', async () => {
  const bridge = new FakeBridge().with({ clients: [aClient({ connected: true, way: { way: 'works', but: ['differs'] } })] });
  bridge.on('plan_client', () => ({ changes: [{ ...change, cut: true }], notes: [] }));
  const { user } = await openClients(bridge);
  expect(row('Codex').getByText('Connected. Its questions arrive here.')).toBeVisible();
  expect(row('Codex').getByText(/^Its entry differs from the recommended one/)).toBeVisible();
  expect(getComputedStyle(row('Codex').getByRole('status')).display).not.toBe('none');
  await user.click(press('Update Codex'));
  expect(list().getByText(/“askdesk connect codex --dry-run”/)).toBeVisible();
  await user.click(press('Disconnect Codex'));
  expect(list().getByRole('group', { name: 'Changes to disconnect Codex' })).toHaveFocus();
  expect(list().getByText(/“askdesk disconnect codex --dry-run”/)).toBeVisible();
});

test('refreshing keeps the focus', async () => {
  const { bridge, user } = await openClients(new FakeBridge());
  const reading = held<{ port: number; clients: ClientRead[] }>();
  bridge.on('read_clients', () => reading.promise);
  await user.click(press('Check again'));
  expect(press('Check again')).toHaveFocus();
  expect(press('Check again')).toHaveAttribute('aria-disabled', 'true');
  expect(press('Check again')).toBeEnabled();
  reading.give({ port: 41414, clients: [] });
  await settle();
  expect(press('Check again')).toHaveAttribute('aria-disabled', 'false');
});

test('a file that changed in the meantime is reported, and the planned change is discarded', async () => {
  const trouble = { trouble: 'changed' } as const;
  const bridge = withCodex().fail('change_client', { code: 'client_file_left', detail: { detail: 'client_file', file: FILE, trouble } });
  const { user } = await openClients(bridge);
  await user.click(press('Connect Codex'));
  await user.click(press('Apply changes'));
  expect(row('Codex').getByRole('alert')).toHaveTextContent('it has been changed in the meantime');
  expect(list().queryByRole('button', { name: 'Apply changes' })).toBeNull();
});

test('the list says so if Askdesk doesn’t listen for other programs', async () => {
  const bridge = new FakeBridge().on('read_clients', () => ({
    port: null,
    clients: [aClient({ connected: true, way: { way: 'works', but: [] } })],
  }));
  await openClients(bridge);
  expect(list().getByText(/^Askdesk isn’t accepting connections/)).toBeVisible();
  expect(row('Codex').getByText(/^Written, but questions can’t arrive/)).toBeVisible();
  expect(row('Codex').queryByText('Connected. Its questions arrive here.')).toBeNull();
});

test('a test question takes the way of other programs, and its failure is shown', async () => {
  const { bridge, user } = await openClients(new FakeBridge());
  await user.click(press('Send test question'));
  expect(bridge.sent('test_gateway')).toHaveLength(1);
  expect(list().getByText('The test question is waiting. Close Settings to answer it.')).toBeVisible();
  bridge.fail('test_gateway', { code: 'test_failed', message: 'HTTP/1.1 401 Unauthorized' });
  await user.click(press('Send test question'));
  expect(list().getByRole('alert')).toHaveTextContent('The test question didn’t arrive: HTTP/1.1 401 Unauthorized');
});

test('a search finds the programs by their names, runs none, and leads to their page', async () => {
  const { bridge, user } = await openSettings(new FakeBridge());
  const search = screen.getByRole('searchbox', { name: 'Search settings' });
  await user.type(search, 'theme');
  expect(screen.queryByRole('group', { name: 'Connected apps' })).toBeNull();
  await user.clear(search);
  await user.type(search, 'windsurf');
  const found = within(screen.getByRole('group', { name: 'Connected apps' }));
  expect(bridge.sent('read_clients')).toEqual([]);
  await user.click(found.getByRole('button', { name: 'Show connected apps' }));
  expect(bridge.sent('read_clients')).toHaveLength(1);
  expect(list().getByRole('button', { name: 'Check again' })).toBeVisible();
});
