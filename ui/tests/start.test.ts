import { screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { LaunchOverrides } from '../src/generated/wire';
import { defaultOptions } from '../src/store/commands/start';
import { aFound, demoFound } from '../src/testing/agents';
import { aSession } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, settle } from './open';

const field = (name: string) => screen.getByLabelText(name);

async function openStart(bridge = new FakeBridge({ sessions: [] })) {
  bridge.agents = {
    agents: [aFound({ program: '/usr/bin/claude', version: '2.1.0' }), demoFound],
    home: '/home/ada',
  };
  const opened = await openPage(bridge);
  if (bridge.snapshot.sessions.length > 0) await opened.user.click(button('New session'));
  await settle();
  return opened;
}

test('more options are collapsed, with a summary of changed values', async () => {
  const { bridge, user } = await openStart(new FakeBridge({ sessions: [] }).on('start_session', () => aSession()));
  expect(screen.getByText('Version 2.1.0 · /usr/bin/claude')).toBeVisible();
  await user.click(screen.getByText('More options'));
  await user.selectOptions(field('Permission mode'), 'Plan mode');
  await user.type(field('Model'), 'opus');
  await user.selectOptions(field('Reasoning effort'), 'High');
  await user.selectOptions(field('Questions'), 'No questions');
  await expectNoViolations();
  await user.click(screen.getByText('More options'));
  expect(screen.getByText('Plan mode · Model: opus · Effort: High · No questions')).toBeVisible();
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([
    {
      folder: '/home/ada',
      options: { config: { mode: 'plan', model: 'opus', effort: 'high' }, questions: 'never', program: null },
    },
  ]);
});

test('bypassing permissions needs a confirmation each time, and isn’t remembered', async () => {
  const bridge = new FakeBridge({ sessions: [aSession()] }).on('start_session', () => aSession({ id: 's9' }));
  const { user } = await openStart(bridge);
  await user.click(screen.getByText('More options'));
  await user.selectOptions(field('Permission mode'), 'Bypass permissions');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toEqual([]);
  const tick = screen.getByRole('checkbox', { name: /I understand the risk/ });
  expect(screen.getByRole('alert')).toHaveTextContent('Select this checkbox');
  expect(tick).toHaveFocus();
  await expectNoViolations();
  await user.click(tick);
  await user.click(button(/^api .*Working/));
  await user.click(button('New session'));
  expect(screen.getByText('Bypass permissions', { selector: '.differs' })).toBeVisible();
  await user.click(screen.getByText('More options'));
  expect(screen.getByRole('checkbox', { name: /I understand the risk/ })).not.toBeChecked();
  await user.click(screen.getByRole('checkbox', { name: /I understand the risk/ }));
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ options: { config: { mode: 'bypass' } } }]);
  await user.click(button('New session'));
  expect(screen.getByText('Permission mode, model, and more')).toBeVisible();
});

test('an error is shown at its field, which gets the focus', async () => {
  const detail = { detail: 'breach', breach: { breach: 'no_model' } } as const;
  const bridge = new FakeBridge({ sessions: [] });
  bridge.fail('start_session', { code: 'invalid', field: 'options.config.model', detail });
  const { user } = await openStart(bridge);
  await user.click(button('Start session'));
  expect(field('Model')).toHaveFocus();
  expect(field('Model')).toHaveAccessibleDescription('Not accepted: that isn’t a valid model name.');
  bridge.fail('start_session', { code: 'folder_missing', message: '/home/ada is not there.' });
  await user.click(button('Start session'));
  expect(field('Folder')).toHaveFocus();
  expect(field('Folder')).toHaveAccessibleDescription(/The folder doesn’t exist/);
  await expectNoViolations();
});

test('recent and picked folders fill the field, and the form keeps its input', async () => {
  const bridge = new FakeBridge({
    sessions: [aSession(), aSession({ id: 's2', folder: '/srv/web/', name: 'w', startedAt: 1 }), aSession({ id: 's3', startedAt: 2 })],
  });
  const { user } = await openStart(bridge);
  expect(screen.getByRole('group', { name: 'Recent folders' })).toHaveTextContent(/api\s*web/);
  await user.click(button('web'));
  expect(field('Folder')).toHaveValue('/srv/web/');
  expect(button('web')).toHaveAttribute('aria-pressed', 'true');
  await user.click(button('Browse…'));
  expect(field('Folder')).toHaveValue('/srv/web/');
  bridge.folder = '/home/ada/chosen';
  await user.click(button('Browse…'));
  expect(field('Folder')).toHaveValue('/home/ada/chosen');
  await user.type(field('First message'), 'Half a thought');
  await user.click(button(/^w .*Working/));
  await user.click(button('New session'));
  expect(field('Folder')).toHaveValue('/home/ada/chosen');
  expect(field('First message')).toHaveValue('Half a thought');
});

const added = { arguments: ['--add-dir', '/srv/shared docs'], environment: { API_KEY: 'hush', EDITOR: 'vi' } };

function withExtras(bridge: FakeBridge, extras: LaunchOverrides) {
  bridge.agents = {
    ...bridge.agents,
    agents: bridge.agents.agents.map((one) => (one.agent === 'claude_code' ? { ...one, extras } : one)),
  };
}

const extrasShown = () => screen.queryByRole('region', { name: 'Added from Settings' });

test('launch overrides are shown in full, with secrets hidden, and sent with the start', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('start_session', () => aSession());
  const { commands, user } = await openStart(bridge);
  expect(extrasShown()).toBeNull();
  withExtras(bridge, added);
  await commands.start.listAgents();
  await settle();
  const lines = () => within(extrasShown()!).getAllByRole('listitem').map((item) => item.querySelector('code')?.textContent);
  expect(lines()).toEqual(['--add-dir', '/srv/shared docs', 'API_KEY=••••••••', 'EDITOR=vi']);
  await expectNoViolations();
  const show = button('Show the value of API_KEY');
  expect(show).toHaveAttribute('aria-pressed', 'false');
  await user.click(show);
  expect(lines()).toContain('API_KEY=hush');
  await user.selectOptions(field('Agent'), 'Demo');
  expect(extrasShown()).toBeNull();
  await user.selectOptions(field('Agent'), 'Claude Code');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ options: { extras: added } }]);
});

test('a start with launch overrides that weren’t shown is rejected, shows them, and works on the next click', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('start_session', ({ options }) => {
    if (options.extras.arguments.length === 0) throw anError({ code: 'extras_changed', message: 'changed' });
    return aSession();
  });
  const { user } = await openStart(bridge);
  withExtras(bridge, added);
  await user.click(button('Start session'));
  expect(screen.getByRole('alert')).toHaveTextContent('The settings for this agent changed after this form was shown.');
  expect(extrasShown()).toBeVisible();
  await user.click(button('Start session'));
  expect(bridge.sent('start_session').map(({ options }) => options.extras)).toEqual([defaultOptions.extras, added]);
  expect(new Set(bridge.sent('start_session').map(({ requestId }) => requestId)).size).toBe(2);
});

test('the form shows changed launch overrides immediately', async () => {
  const { bridge, commands } = await openStart();
  bridge.set({ launchOverrides: { claude_code: added } });
  await commands.settings.read();
  await settle();
  expect(within(extrasShown()!).getByText('/srv/shared docs')).toBeVisible();
});
