import { screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { claudeCode, codex, demo, inbound, of, openCode, withCurrent } from '../src/testing/agents';
import { aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const item = (name: string) => screen.getByRole('menuitemradio', { name });

const inMode = (mode: string) => withCurrent(claudeCode, { mode });

async function openHead(changes: Partial<ReturnType<typeof aSession>> = {}) {
  return openPage(new FakeBridge({ sessions: [aSession({ config: inMode('default'), model: 'claude-sonnet-4-5', ...changes })] }));
}

test('the agent’s permission mode is shown and can be changed in a menu', async () => {
  const { bridge, user } = await openHead();
  await user.click(button('Permission mode: Ask before changes'));
  expect(item('Ask before changes')).toBeChecked();
  expect(item('Ask before changes')).toHaveFocus();
  await expectNoViolations();
  await user.click(item('Plan mode'));
  expect(bridge.sent('set_config')).toMatchObject([{ session: 's1', option: 'mode', value: 'plan' }]);
  expect(button('Permission mode: Ask before changes')).toBeVisible();
  await bridge.push({ change: 'session', session: aSession({ config: inMode('plan') }) });
  expect(button('Permission mode: Plan mode')).toBeVisible();
});

test.each<[string, Pick<ReturnType<typeof aSession>, 'origin' | 'config'>, string, string, string]>([
  ['the next mode', { ...of(claudeCode), config: inMode('default') }, 'mode', 'accept_edits', 'Accept edits'],
  ['the first, past those that need a confirmation', { ...of(claudeCode), config: inMode('accept_edits') }, 'mode', 'plan', 'Plan mode'],
  ['one that asks again', { ...of(claudeCode), config: inMode('bypass') }, 'mode', 'plan', 'Plan mode'],
  ['Codex’s other mode', { ...of(codex), config: withCurrent(codex, { mode: 'plan' }) }, 'mode', 'default', 'Default'],
  ['OpenCode’s other agent', { ...of(openCode), config: withCurrent(openCode, { agent: 'build' }) }, 'agent', 'plan', 'Plan'],
])('Alt+M leads to %s, from the message, which stays as it is', async (_, session, option, value, words) => {
  const { bridge, user } = await openHead(session);
  await user.type(composer(), 'half a word');
  await user.keyboard('{Alt>}m{/Alt}');
  expect(bridge.sent('set_config')).toMatchObject([{ session: 's1', option, value }]);
  expect(screen.getByText(words, { selector: '[role=status]' })).toBeInTheDocument();
  expect(composer()).toHaveFocus();
  expect(composer()).toHaveValue('half a word');
});

test('the menu shows the key beside what it leads to, and Tab is left to the focus', async () => {
  const { bridge, user } = await openHead();
  await user.click(composer());
  await user.keyboard('{Tab}{Shift>}{Tab}{/Shift}{Shift>}{Tab}{/Shift}');
  expect(bridge.sent('set_config')).toEqual([]);
  await user.click(button('Permission mode: Ask before changes'));
  expect(screen.getAllByRole('menuitemradio').filter((one) => one.textContent.includes('Alt+M'))).toEqual([item('Accept edits')]);
});

test('bypassing permissions needs a confirmation each time', async () => {
  const { bridge, user } = await openHead();
  const ask = async () => {
    await user.click(button('Permission mode: Ask before changes'));
    await user.click(item('Bypass permissions'));
  };
  await ask();
  const tick = screen.getByRole('checkbox', { name: /I understand the risk/ });
  expect(tick).toHaveFocus();
  await user.click(button('Bypass permissions'));
  expect(screen.getByRole('alert')).toHaveTextContent('Select this checkbox');
  await user.click(tick);
  await user.click(button('Cancel'));
  expect(button('Permission mode: Ask before changes')).toHaveFocus();
  await ask();
  expect(screen.getByRole('checkbox', { name: /I understand the risk/ })).not.toBeChecked();
  expect(bridge.sent('set_config')).toEqual([]);
  await user.click(screen.getByRole('checkbox', { name: /I understand the risk/ }));
  await user.click(button('Bypass permissions'));
  expect(bridge.sent('set_config')).toMatchObject([{ option: 'mode', value: 'bypass' }]);
});

test('the model is chosen or typed, and a rejected one stays in the field', async () => {
  const { bridge, user } = await openHead();
  await user.click(button('Model: claude-sonnet-4-5'));
  await user.click(item('opus'));
  expect(bridge.sent('set_config')).toMatchObject([{ session: 's1', option: 'model', value: 'opus' }]);
  bridge.fail('set_config', { code: 'agent_refused', message: 'no such model' });
  await user.click(button('Model: claude-sonnet-4-5'));
  await user.click(screen.getByRole('menuitem', { name: 'Other model…' }));
  const field = screen.getByRole('textbox', { name: 'Model' });
  expect(field).toHaveFocus();
  await user.clear(field);
  await user.type(field, 'my-model{Enter}');
  expect(screen.getByRole('alert')).toHaveTextContent('Not changed: no such model');
  expect(field).toHaveValue('my-model');
  await user.keyboard('{Escape}');
  expect(button('Model: claude-sonnet-4-5')).toHaveFocus();
});

test('choosing a model or a mode never sends the message in the composer', async () => {
  const { bridge, user } = await openHead();
  await user.type(composer(), 'half a word');
  await user.click(button('Model: claude-sonnet-4-5'));
  await user.click(screen.getByRole('menuitem', { name: 'Other model…' }));
  await user.type(screen.getByRole('textbox', { name: 'Model' }), '-next{Enter}');
  expect(bridge.sent('set_config')).toMatchObject([{ option: 'model' }]);
  await user.click(button('Permission mode: Ask before changes'));
  await user.click(item('Bypass permissions'));
  await user.keyboard('{Enter}');
  expect([...bridge.sent('send_message'), ...bridge.sent('queue_message')]).toEqual([]);
  expect(composer()).toHaveValue('half a word');
});

test('the demo has neither, and is named once, without a folder and a version that say nothing', async () => {
  await openHead({ ...of(demo), name: 'Demo', folder: '/home/ada/.local/share/askdesk/demo', version: '2.1.332' });
  expect(screen.queryByRole('button', { name: /^Permission mode|^Model/ })).toBeNull();
  const head = within(screen.getByRole('banner'));
  expect(head.getAllByText('Demo')).toEqual([screen.getByRole('heading', { name: 'Demo' })]);
  expect(head.queryByText(/demo$|2\.1/)).toBeNull();
});

test('an ended session has neither, but shows its model', async () => {
  await openHead({ state: { state: 'ended', at: 1, end: { end: 'finished' } } });
  expect(screen.queryByRole('button', { name: /^Permission mode|^Model/ })).toBeNull();
  expect(screen.getByText('claude-sonnet-4-5')).toBeVisible();
});

test('what an agent was started with and keeps stands beside the composer', async () => {
  const config = withCurrent(openCode, { permissions: 'ask' });
  await openPage(new FakeBridge({ sessions: [aSession({ ...of(openCode), config })] }));
  const fixed = document.querySelector('[data-session-view] [data-option=permissions]');
  expect(fixed).toHaveTextContent('Ask before changes');
  expect(fixed).toHaveAttribute('title', 'Permissions: Ask before changes. It can’t change while the session runs.');
  expect(screen.queryByRole('button', { name: /^Permissions/ })).toBeNull();
});

test('the menu of the header renames and exports the session', async () => {
  const { bridge, user } = await openHead();
  bridge.on('save_export', () => ({ path: '/tmp/doors.md' }));
  await user.click(button('Session menu'));
  await user.click(screen.getByRole('menuitem', { name: 'Rename' }));
  const field = screen.getByRole('textbox', { name: 'Session name' });
  expect(field).toHaveFocus();
  await user.clear(field);
  await user.type(field, 'doors{Enter}');
  expect(bridge.sent('rename_session')).toMatchObject([{ session: 's1', name: 'doors' }]);
  expect(screen.getByRole('heading', { name: 'doors' })).toBeVisible();
  expect(button('Session menu')).toHaveFocus();
  await user.click(button('Session menu'));
  await user.click(screen.getByRole('menuitem', { name: 'Export as Markdown' }));
  expect(bridge.sent('save_export')).toMatchObject([{ session: 's1', format: 'markdown' }]);
});

const menuItems = () => screen.getAllByRole('menuitem').map((item) => item.textContent.trim());

test.each<[string, Partial<ReturnType<typeof aSession>>, string[]]>([
  ['a session at rest', { state: { state: 'idle' }, nativeSession: 'n1' }, ['Fork', 'Pin', 'Mute notifications', 'End session']],
  ['an ended session', { state: { state: 'ended', at: 1, end: { end: 'finished' } }, resumable: true }, ['Resume', 'Close session']],
  ['a connected app', inbound('mcp', 'codex'), ['Pin', 'Close session']],
])('the menu of the header offers what the menu of the row offers, for %s', async (_, changes, some) => {
  const { user } = await openHead(changes);
  await user.click(button('Actions for api'));
  const ofRow = menuItems();
  expect(ofRow).toEqual(expect.arrayContaining(some));
  await user.keyboard('{Escape}');
  await user.click(button('Session menu'));
  expect(menuItems()).toEqual(expect.arrayContaining(ofRow));
});
