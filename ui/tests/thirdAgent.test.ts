import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { AgentDescriptor, AgentFailure, Session } from '../src/generated/wire';
import { aFound, anOption, aValue, claudeCode, demo, demoFound, of, withCurrent } from '../src/testing/agents';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, radio, showCategory } from './open';

/** An agent that no code of the page mentions. */
const wayfarer: AgentDescriptor = {
  id: 'wayfarer',
  name: 'Wayfarer',
  program: 'wayfarer',
  install: 'brew install wayfarer',
  login: null,
  verified: null,
  capabilities: { ...claudeCode.capabilities, takes: { takes: 'words' } },
  config: [
    anOption({
      id: 'sandbox',
      name: 'Sandbox',
      values: [
        aValue('tight', { name: 'Tight', description: 'It reads and asks for all else.' }),
        aValue('wide-open', { name: 'Wide open', risk: 'unattended' }),
      ],
    }),
    anOption({
      id: 'engine',
      name: 'Engine',
      category: 'model',
      values: [aValue('wf-1', { name: 'Wayfarer One' }), aValue('wf-2', { name: 'Wayfarer Two' })],
    }),
    anOption({
      id: 'voice',
      name: 'Voice',
      category: 'other',
      values: [aValue('terse', { name: 'Terse', description: 'Few words.' }), aValue('full', { name: 'Full' })],
      live: false,
    }),
  ],
};
const agents = [claudeCode, demo, wayfarer];
const missing: AgentFailure = {
  failure: 'agent_missing',
  agent: wayfarer.id,
  program: 'wayfarer',
  tried: [{ place: 'file', path: '/opt/wayfarer' }],
  install: wayfarer.install,
};

const field = (name: string) => screen.getByLabelText(name);
const cards = () => screen.getAllByRole<HTMLInputElement>('radio').map(({ value }) => value);
const words = (select: HTMLElement) => within(select).getAllByRole('option').map(({ textContent }) => textContent);
const aWayfarer = (changes: Partial<Session> = {}) => aSession({ ...of(wayfarer), name: 'trail', ...changes });

function desk(sessions: Session[], known = agents) {
  const bridge = new FakeBridge({ sessions, agents: known });
  bridge.agents = {
    agents: [aFound({ program: '/usr/bin/claude' }), demoFound, aFound({ agent: wayfarer.id, program: '/opt/wayfarer' })],
  };
  bridge.versions = { [wayfarer.id]: '0.4' };
  return bridge.on('start_session', () => aWayfarer({ id: 's9' }));
}

describe('an agent that the page knows only by its descriptor', () => {
  test('is offered in the start form with all its options', async () => {
    const { bridge, user } = await openPage(desk([]));
    expect(cards()).toEqual(['claude_code', 'wayfarer']);
    expect(radio('Claude Code')).toBeChecked();
    await user.click(radio('Wayfarer'));
    expect(radio('Wayfarer')).toBeChecked();
    expect(radio('Wayfarer')).toHaveAccessibleDescription('Installed 0.4');
    await user.click(screen.getByText('More options'));
    expect(field('Program path')).toHaveAttribute('placeholder', '/opt/wayfarer');
    expect(field('Program path')).toHaveAttribute('title', '/opt/wayfarer');
    expect(words(field('Sandbox'))).toEqual(['Agent default', 'Tight', 'Wide open']);
    expect(words(field('Model'))).toEqual(['Agent default', 'Wayfarer One', 'Wayfarer Two']);
    expect(words(field('Voice'))).toEqual(['Agent default', 'Terse', 'Full']);
    expect(screen.queryByLabelText('Reasoning effort')).toBeNull();
    expect(words(field('Questions'))).toEqual(['Questions at any time', 'No questions']);
    await user.selectOptions(field('Sandbox'), 'Tight');
    expect(field('Sandbox')).toHaveAccessibleDescription('It reads and asks for all else.');
    await user.selectOptions(field('Model'), 'Wayfarer Two');
    await user.selectOptions(field('Voice'), 'Terse');
    expect(field('Voice')).toHaveAccessibleDescription('Few words.');
    await expectNoViolations();
    await user.click(screen.getByText('More options'));
    expect(screen.getByText('Voice: Terse')).toBeVisible();
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([
      { agent: 'wayfarer', folder: '/home/ada', options: { config: { sandbox: 'tight', engine: 'wf-2', voice: 'terse' } } },
    ]);
  });

  test('needs a confirmation to run unattended', async () => {
    const { bridge, user } = await openPage(desk([]));
    await user.click(radio('Wayfarer'));
    await user.selectOptions(field('Sandbox'), 'Wide open');
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toEqual([]);
    await user.click(screen.getByRole('checkbox', { name: /I understand the risk/ }));
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ options: { config: { sandbox: 'wide-open' } } }]);
  });

  test('gets no values chosen for another agent', async () => {
    const { bridge, user } = await openPage(desk([]));
    await user.selectOptions(field('Permission mode'), 'Plan mode');
    await user.type(field('Model'), 'opus');
    await user.click(screen.getByText('More options'));
    await user.selectOptions(field('Questions'), 'Questions in plan mode only');
    await user.click(radio('Wayfarer'));
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: 'wayfarer', options: { config: {}, questions: 'always' } }]);
  });

  test('that can’t ask has no question policy', async () => {
    const mute = { ...wayfarer, capabilities: { ...wayfarer.capabilities, questions: 'none' as const }, program: null };
    const { user } = await openPage(desk([], [mute, demo]));
    await user.click(screen.getByText('More options'));
    expect(screen.queryByLabelText('Questions')).toBeNull();
    expect(screen.queryByLabelText('Program path')).toBeNull();
  });

  test('says why it can’t start and how to install it', async () => {
    const bridge = desk([]);
    bridge.agents = { ...bridge.agents, agents: [aFound({ program: '/usr/bin/claude' }), aFound({ agent: wayfarer.id, problem: missing })] };
    const { user } = await openPage(bridge);
    expect(radio('Wayfarer')).toHaveAccessibleDescription('Not installed');
    await user.click(radio('Wayfarer'));
    expect(screen.getByText('Wayfarer isn’t installed')).toBeVisible();
    expect(screen.getByText('brew install wayfarer')).toBeVisible();
    await user.click(button('Copy command'));
    expect(await navigator.clipboard.readText()).toBe('brew install wayfarer');
    expect(screen.getByText('wayfarer: /opt/wayfarer')).not.toBeVisible();
    await user.click(screen.getByText('Where Askdesk looked'));
    expect(screen.getByText('wayfarer: /opt/wayfarer')).toBeVisible();
    await expectNoViolations();
  });

  test('says why it can’t start although it is installed', async () => {
    const bridge = desk([]);
    const problem: AgentFailure = { failure: 'not_started', program: '/opt/wayfarer', problem: 'forbidden', error: 'denied' };
    bridge.agents = { ...bridge.agents, agents: [aFound({ agent: wayfarer.id, problem }), aFound({ program: '/usr/bin/claude' })] };
    const { user } = await openPage(bridge);
    expect(radio('Wayfarer')).toHaveAccessibleDescription('Can’t start');
    await user.click(radio('Wayfarer'));
    expect(screen.getByText('Can’t start Wayfarer yet')).toBeVisible();
    expect(screen.getByText(/denied/)).toBeVisible();
  });

  test('case_86 has its command to copy beside that of the other agents if none was found', async () => {
    const bridge = desk([]);
    const other: AgentFailure = { ...missing, agent: claudeCode.id, program: 'claude', install: null };
    bridge.agents = { ...bridge.agents, agents: [aFound({ problem: other }), aFound({ agent: wayfarer.id, problem: missing }), demoFound] };
    const { user } = await openPage(bridge);
    const install = within(screen.getByRole('region', { name: 'Install a coding agent' }));
    const commands = ['npm install -g @anthropic-ai/claude-code', 'brew install wayfarer'];
    const rows = install.getAllByRole('listitem').slice(0, commands.length);
    for (const [index, command] of commands.entries()) {
      const row = within(rows[index]!);
      expect(row.getByText(command)).toBeVisible();
      await user.click(row.getByRole('button', { name: 'Copy command' }));
      expect(await navigator.clipboard.readText()).toBe(command);
    }
    expect(button('Try the demo')).toHaveClass('primary');
    for (const card of screen.getAllByRole('radio')) expect(card).not.toBeVisible();
    await expectNoViolations();
  });

  test('case_86 leads and is chosen if it is the only one that was found', async () => {
    const bridge = desk([]);
    const found = bridge.agents.agents.map((one) => (one.agent === claudeCode.id ? { ...one, problem: { ...missing, agent: claudeCode.id } } : one));
    bridge.agents = { ...bridge.agents, agents: found };
    const { user } = await openPage(bridge);
    expect(cards()).toEqual(['wayfarer', 'claude_code']);
    expect(radio('Wayfarer')).toBeChecked();
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: 'wayfarer' }]);
  });

  test('is named in the row, the head, the transcript, and the failure of its session', async () => {
    const bridge = desk([
      aWayfarer(),
      aWayfarer({ id: 's2', name: 'lost', state: { state: 'ended', at: 1, end: { end: 'failed', why: missing } } }),
    ]);
    bridge.entries['s1'] = [anEntry(1, { kind: 'agent', text: 'On my way.' })];
    const { user } = await openPage(bridge);
    expect(button(/^trail/)).toHaveTextContent('Wayfarer');
    const view = () => document.querySelector<HTMLElement>('[data-session-view]')!;
    expect(within(view()).getByText('Wayfarer 2.1.0')).toBeVisible();
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent('Wayfarer');
    expect(screen.queryByRole('button', { name: /ttach/ })).toBeNull();
    await user.click(button(/^lost/));
    expect(view()).toHaveTextContent('Run `brew install wayfarer` to install Wayfarer');
    await expectNoViolations();
  });

  test('has its own modes and models in the head, with a warning for the unattended mode', async () => {
    const config = withCurrent(wayfarer, { sandbox: 'tight', engine: 'wf-1' });
    const { bridge, user } = await openPage(desk([aWayfarer({ config })]));
    expect(button('Model: Wayfarer One')).toBeVisible();
    await user.click(button('Sandbox: Tight'));
    expect(screen.getAllByRole('menuitemradio').map(({ textContent }) => textContent?.trim())).toEqual(['Tight', 'Wide open']);
    await user.click(screen.getByRole('menuitemradio', { name: 'Wide open' }));
    expect(bridge.sent('set_config')).toEqual([]);
    await user.click(screen.getByRole('checkbox', { name: /I understand the risk/ }));
    await user.click(button('Wide open'));
    await user.click(button('Model: Wayfarer One'));
    expect(screen.queryByRole('menuitem', { name: 'Other model…' })).toBeNull();
    await user.click(screen.getByRole('menuitemradio', { name: 'Wayfarer Two' }));
    expect(bridge.sent('set_config')).toMatchObject([
      { session: 's1', option: 'sandbox', value: 'wide-open' },
      { session: 's1', option: 'engine', value: 'wf-2' },
    ]);
  });

  test('with two modes has a button for each, with the agent’s names', async () => {
    const approval = anOption({ id: 'approval', name: 'Approval', values: [aValue('ask', { name: 'Ask' })], current: 'ask' });
    const { bridge, user } = await openPage(
      desk([aWayfarer({ config: [...withCurrent(wayfarer, { sandbox: 'tight' }), approval] })]),
    );
    expect(button('Approval: Ask')).toBeVisible();
    await user.click(button('Sandbox: Tight'));
    await expectNoViolations();
    await user.click(screen.getByRole('menuitemradio', { name: 'Wide open' }));
    await user.click(button('Cancel'));
    expect(button('Sandbox: Tight')).toHaveFocus();
    expect(bridge.sent('set_config')).toEqual([]);
  });

  test('has its own launch overrides, which the start form shows', async () => {
    const bridge = desk([aWayfarer()]);
    const { user } = await openPage(bridge);
    await user.click(button(/^Settings/));
    await showCategory(user, 'Agents');
    const row = within(screen.getByRole('group', { name: 'Wayfarer arguments' }));
    expect(screen.getByRole('group', { name: 'Claude Code environment' })).toBeVisible();
    expect(screen.queryByRole('group', { name: /Demo/ })).toBeNull();
    await user.click(row.getByRole('button', { name: 'Add argument' }));
    await user.type(row.getByRole('textbox', { name: 'Argument 1' }), '--verbose');
    await user.tab();
    expect(bridge.sent('change_setting')).toEqual([
      { change: { setting: 'agent_arguments', value: { agent: 'wayfarer', arguments: ['--verbose'] } } },
    ]);
    await expectNoViolations();
    await user.click(button('Close'));
    const extras = { arguments: ['--verbose'], environment: {} };
    const found = bridge.agents.agents.map((one) => (one.agent === wayfarer.id ? { ...one, extras } : one));
    bridge.agents = { ...bridge.agents, agents: found };
    await user.click(button('New session'));
    expect(screen.queryByRole('region', { name: 'Added from Settings' })).toBeNull();
    await user.click(radio('Wayfarer'));
    expect(screen.getByRole('region', { name: 'Added from Settings' })).toHaveTextContent('--verbose');
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: 'wayfarer', options: { extras } }]);
  });
});

test('the demo isn’t offered if there is no demo agent', async () => {
  await openPage(desk([], [wayfarer]));
  expect(screen.queryByRole('button', { name: 'Try the demo' })).toBeNull();
  expect(cards()).toEqual(['wayfarer']);
});

test('with only the demo, nothing else is offered', async () => {
  await openPage(desk([], [demo]));
  expect(button('Try the demo')).toBeVisible();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.queryByRole('region', { name: 'Install a coding agent' })).toBeNull();
});

test('no code of the window names an agent', () => {
  const root = join(import.meta.dirname, '../src');
  // Texts, connected apps, comments of the wire types, and test code.
  const may = /^(shared\/messages\/|shared\/clientWords\.ts$|generated\/|gallery\/|testing\/)/;
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|svelte)$/.test(name));
  const naming = sources.filter((name) => /claude/i.test(readFileSync(join(root, name), 'utf8')));
  expect(naming.filter((name) => !may.test(name.replaceAll('\\', '/')))).toEqual([]);
  expect(naming.length).toBeGreaterThan(0);
});
