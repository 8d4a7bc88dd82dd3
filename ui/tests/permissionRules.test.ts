import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { readRule, ruleFor, textOfRule } from '../src/entities/permission/ruleText';
import type { IgnoredSetting, PermissionRule, PermissionsRead, StandingPermission, ToolDetail } from '../src/generated/wire';
import { anApproval, anEntry, aSession, someOptions } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, openSettings, panel } from './open';

const rule = (changes: Partial<PermissionRule> = {}): PermissionRule => ({
  action: 'deny',
  tool: 'Bash',
  argument: 'git push *',
  folder: null,
  ...changes,
});

/** An app that stores the rules. */
function withRules(rules: PermissionRule[] = [], bridge = new FakeBridge({ sessions: [aSession({ folder: '/home/ada/api' })] })) {
  bridge.set({ permissionRules: rules });
  return bridge.on('change_setting', ({ change }) => {
    if (change.setting === 'permission_rules') bridge.set({ permissionRules: change.value });
    return bridge.settings;
  });
}

const stored = (bridge: FakeBridge) => bridge.settings.settings.permissionRules;
const own = () => within(screen.getByRole('group', { name: 'Your rules' }));

test.each([
  ['Bash(git push *)', { tool: 'Bash', argument: 'git push *' }],
  [' Bash( echo (a) ) ', { tool: 'Bash', argument: 'echo (a)' }],
  ['mcp__tracker__*', { tool: 'mcp__tracker__*', argument: null }],
  ['*', { tool: '*', argument: null }],
  ['', null],
  ['git push', null],
  ['Bash()', null],
  ['Bash(ls', null],
])('the rule %j is read as it is written', (text, expected) => {
  const read = readRule(text);
  expect(read).toEqual(expected);
  if (read) expect(readRule(textOfRule(read))).toEqual(read);
});

const command = (text: string): ToolDetail => ({ detail: 'command', command: text, description: null });

test.each<[ToolDetail, string, string]>([
  [command('git push origin main'), 'Bash', 'Bash(git push *)'],
  [command('rm -rf build && ls'), 'Bash', 'Bash(rm *)'],
  [command('make; ls'), 'Bash', 'Bash(make *)'],
  [{ detail: 'write', path: '/home/ada/api/src/a.rs', content: '' }, 'Write', 'Write(src/a.rs)'],
  [{ detail: 'edit', path: '/etc/hosts', diff: '' }, 'Edit', 'Edit(/etc/hosts)'],
  [{ detail: 'other', input: '{}' }, 'mcp__x__y', 'mcp__x__y'],
])('a rule for %o is suggested', (subject, title, expected) => {
  const suggested = ruleFor(anApproval({ subject, title }), '/home/ada/api');
  expect(textOfRule(suggested)).toBe(expected);
  expect(suggested).toMatchObject({ action: 'deny', folder: '/home/ada/api' });
});

test('case_100 rules are added, edited, and removed in the settings', async () => {
  const bridge = withRules();
  const { user } = await openSettings(bridge, 'Permissions');
  expect(own().getByText('No rules yet')).toBeVisible();
  await user.click(button('Add rule'));
  expect(screen.getByRole('textbox', { name: 'Rule' })).toHaveFocus();
  await user.keyboard('git push{Enter}');
  expect(screen.getByRole('alert')).toHaveTextContent('Start with a tool');
  expect(bridge.sent('change_setting')).toEqual([]);
  await user.clear(screen.getByRole('textbox', { name: 'Rule' }));
  await user.keyboard('Bash(git push *)');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reach' }), 'In ~/api');
  await expectNoViolations();
  await user.click(button('Save rule'));
  expect(stored(bridge)).toEqual([rule({ folder: '/home/ada/api' })]);
  expect(button('Add rule')).toHaveFocus();
  expect(own().getByText('In ~/api')).toBeVisible();

  await user.click(button('Edit Bash(git push *)'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Action' }), 'Always ask');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reach' }), 'In all folders');
  await user.click(button('Save rule'));
  expect(stored(bridge)).toEqual([rule({ action: 'ask' })]);
  expect(own().getByText('Always ask')).toBeVisible();

  await user.click(button('Remove Bash(git push *)'));
  expect(stored(bridge)).toEqual([]);
  expect(own().getByText('No rules yet')).toBeVisible();
});

test('rules that were added to the file meanwhile are kept', async () => {
  const bridge = withRules([rule()]);
  const { user } = await openSettings(bridge, 'Permissions');
  const byHand = rule({ tool: 'WebFetch', argument: null });
  await user.click(button('Edit Bash(git push *)'));
  expect(screen.queryByRole('button', { name: 'Remove Bash(git push *)' })).toBeNull();
  bridge.set({ permissionRules: [byHand, rule()] });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Action' }), 'Always ask');
  await user.click(button('Save rule'));
  expect(stored(bridge)).toEqual([byHand, rule({ action: 'ask' })]);
  const other = rule({ tool: 'Write', argument: null });
  bridge.set({ permissionRules: [other, byHand, rule({ action: 'ask' })] });
  await user.click(button('Remove Bash(git push *)'));
  expect(stored(bridge)).toEqual([other, byHand]);
});

const mistake: IgnoredSetting = { key: 'permissions.rules', why: { why: 'unfit', value: null, flaw: { unfit: 'no_rules' } } };
const unreadable: IgnoredSetting = { key: 'settings.toml', why: { why: 'unreadable', error: 'denied' } };

/** Puts entries into the settings file that the app ignores. */
function ignoring(bridge: FakeBridge, ...ignored: IgnoredSetting[]) {
  bridge.settings = { ...bridge.settings, ignored };
  return bridge;
}

test('rules with a mistake are not called none', async () => {
  await openSettings(ignoring(withRules(), mistake), 'Permissions');
  expect(own().queryByText('No rules yet')).toBeNull();
});

test('a form that is left with Esc changes nothing and leaves the settings open', async () => {
  const bridge = withRules([rule()]);
  const { user } = await openSettings(bridge, 'Permissions');
  await user.click(button('Edit Bash(git push *)'));
  await user.keyboard('x{Escape}');
  expect(screen.getByRole('dialog', { name: 'Settings' })).toBeVisible();
  expect(button('Edit Bash(git push *)')).toBeVisible();
  expect(bridge.sent('change_setting')).toEqual([]);
});

test('a rule that isn’t saved stays in its form with the reason', async () => {
  const bridge = withRules().fail('change_setting', { code: 'settings_not_written', message: 'disk full' });
  const { user } = await openSettings(bridge, 'Permissions');
  await user.click(button('Add rule'));
  await user.keyboard('WebFetch{Enter}');
  expect(screen.getByRole('alert')).toBeVisible();
  expect(screen.getByRole('textbox', { name: 'Rule' })).toHaveValue('WebFetch');
});

test('case_100 a card opens a prefilled rule, which denies the request once it is saved', async () => {
  const suggestion = { label: 'tool', tool: 'Bash', content: 'rm -r *', behavior: 'allow' } as const;
  const approval = anApproval({ options: someOptions({ id: 'r1', label: suggestion, scope: 'local' }) });
  const bridge = withRules([rule()], new FakeBridge({ sessions: [aSession({ folder: '/home/ada/api' })], approvals: [approval] }));
  bridge.on('decide_approval', ({ decision }) => ({ ...approval, state: { state: 'decided', decision, at: 1, error: null } }));
  const { user } = await openPage(bridge);
  await user.click(button('More ways to deny'));
  await user.click(screen.getByRole('menuitem', { name: 'Always deny…' }));
  const dialog = screen.getByRole('dialog', { name: 'New permission rule' });
  expect(within(dialog).getByRole('textbox', { name: 'Rule' })).toHaveValue('Bash(rm -r *)');
  expect(within(dialog).getByRole('combobox', { name: 'Reach' })).toHaveDisplayValue('In ~/api');
  expect(bridge.sent('change_setting'), 'nothing is stored before it was seen').toEqual([]);
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Action' }), 'Always ask');
  expect(within(dialog).getByRole('button', { name: 'Save rule' })).toBeVisible();
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Action' }), 'Deny');
  await user.click(button('Save rule and deny'));
  expect(stored(bridge)).toEqual([rule(), rule({ argument: 'rm -r *', folder: '/home/ada/api' })]);
  expect(bridge.sent('decide_approval')).toMatchObject([{ id: 'a1', decision: { options: ['deny'] } }]);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('case_100 the transcript tells a denial by a rule from one by the user, and no card appears', async () => {
  const decision = { options: ['deny'], message: 'Denied by a permission rule', plan: null };
  const approval = anApproval({ rule: rule(), state: { state: 'decided', decision, at: 1, error: null } });
  const bridge = new FakeBridge({ sessions: [aSession()], approvals: [approval] });
  bridge.entries['s1'] = [anEntry(1, { kind: 'approval', approval: 'a1' })];
  await openPage(bridge);
  expect(screen.getByText('Denied by your rule Bash(git push *): Bash')).toBeVisible();
  expect(within(panel()).queryByRole('region', { name: 'Permission' })).toBeNull();
});

test('a card says which rule made the agent ask', async () => {
  await openPage(new FakeBridge({ sessions: [aSession()], approvals: [anApproval({ rule: rule({ action: 'ask' }) })] }));
  expect(screen.getByRole('region', { name: 'Permission' })).toHaveTextContent('Bash(git push *) always asks');
});

const FILE = '/home/ada/api/.claude/settings.local.json';

function standing(changes: Partial<StandingPermission> = {}): StandingPermission {
  return {
    agent: 'claude_code',
    label: { label: 'tool', tool: 'Bash', content: 'npm test:*', behavior: 'allow' },
    scope: 'local',
    folder: '/home/ada/api',
    session: 's1',
    written: { file: FILE, text: 'Bash(npm test:*)' },
    allowed: { approval: 'a1', session: 's1', name: 'api', at: 1_700_000_000_000 },
    ...changes,
  };
}

function withStanding(...list: StandingPermission[]): FakeBridge {
  const bridge = withRules();
  let read: PermissionsRead = { standing: list, unreadable: [] };
  const diff = '@@ -1 +1 @@\n-old\n+new\n';
  return bridge
    .on('read_permissions', () => read)
    .on('plan_permission_removal', () => ({ change: { file: FILE, becomes: 'changed', diff, cut: false, copy: null } }))
    .on('remove_permission', () => {
      read = { ...read, standing: list.slice(1) };
      return {};
    });
}

test('case_100 what was always allowed is listed with its origin and reach, and removed after it was shown', async () => {
  const inMemory = standing({ written: null, scope: 'session', label: { label: 'folder', paths: ['/srv'] } });
  const byHand = standing({ allowed: null, scope: 'user', folder: null, written: { file: '/home/ada/.claude/settings.json', text: 'x' } });
  const inServer = standing({ written: null, scope: 'server', label: { label: 'folder', paths: ['/opt'] } });
  const bridge = withStanding(standing(), inMemory, inServer, byHand);
  const { user } = await openSettings(bridge, 'Permissions');
  const words = 'Allow Bash without asking: anything that starts with “npm test”';
  const [first] = screen.getAllByRole('listitem', { name: words });
  expect(first).toHaveTextContent('In this project, only for you · ~/api');
  expect(first).toHaveTextContent('Allowed in “api”');
  expect(first).toHaveTextContent('~/api/.claude/settings.local.json');
  expect(screen.getByRole('listitem', { name: 'Also work in /srv' })).toHaveTextContent('end the session');
  expect(screen.getByRole('listitem', { name: 'Also work in /opt' })).toHaveTextContent('end all sessions of this agent');
  expect(screen.getByText(/^Not allowed in Askdesk/)).toBeVisible();
  await user.click(within(first!).getByRole('button', { name: `Remove: ${words}` }));
  const plan = screen.getByRole('group', { name: 'Askdesk changes only this entry:' });
  expect(plan).toHaveFocus();
  expect(bridge.sent('remove_permission')).toEqual([]);
  await user.click(within(plan).getByRole('button', { name: 'Remove' }));
  const planned = bridge.sent('plan_permission_removal');
  expect(planned).toMatchObject([{ written: { file: FILE, text: 'Bash(npm test:*)' } }]);
  expect(bridge.sent('remove_permission')).toMatchObject([{ plan: planned[0]!.requestId }]);
  expect(screen.getByText('Removed. The agent asks again.')).toBeVisible();
  expect(screen.getAllByRole('listitem', { name: words })).toHaveLength(1);
});

test('a file that can’t be read is named and can be opened', async () => {
  const bridge = withRules().on('read_permissions', () => ({
    standing: [],
    unreadable: [{ agent: 'claude_code', session: 's1', file: FILE, trouble: { trouble: 'read_only' } }],
  }));
  const { user } = await openSettings(bridge, 'Permissions');
  expect(screen.getByText(/^Can’t read ~\/api\/.claude\/settings.local.json/)).toBeVisible();
  await user.click(button('Open file in editor'));
  expect(bridge.sent('open_in')).toMatchObject([{ session: 's1', path: FILE }]);
});

const warning = 'A mistake in the settings file keeps your permission rules from applying.';

test.each([mistake, unreadable])('rules that don’t apply because of a mistake are announced: %o', async (ignored) => {
  const { user } = await openPage(ignoring(new FakeBridge(), ignored));
  expect(screen.getByText(warning)).toBeVisible();
  await user.click(button('Show in Settings'));
  expect(within(screen.getByRole('dialog')).getByRole('heading', { name: 'Permissions' })).toBeVisible();
});

test('a mistake made and corrected in the file by hand is announced and no longer announced', async () => {
  const { bridge } = await openPage(new FakeBridge());
  ignoring(bridge, mistake).settingsEdited();
  expect(await screen.findByText(warning)).toBeVisible();
  ignoring(bridge).settingsEdited();
  await waitFor(() => expect(screen.queryByText(warning)).toBeNull());
});

test.each<[string, PermissionRule[], IgnoredSetting]>([
  ['rules that stay in force while the file can’t be read', [rule()], unreadable],
  ['another ignored setting', [], { key: 'appearance.theme', why: { why: 'unknown' } }],
])('%s: nothing is announced', async (_, rules, ignored) => {
  await openPage(ignoring(withRules(rules), ignored));
  expect(screen.queryByText(/permission rules/)).toBeNull();
});
