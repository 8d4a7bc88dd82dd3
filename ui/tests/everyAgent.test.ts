import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { AgentDescriptor, AgentFailure, ConfigOption, Session } from '../src/generated/wire';
import { aFound, claudeCode, codex, demo, demoFound, of, openCode, withCurrent } from '../src/testing/agents';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, radio, texts } from './open';

const agents = [claudeCode, codex, openCode];
const field = (name: string) => screen.getByLabelText(name);
const cards = () => screen.getAllByRole<HTMLInputElement>('radio').map(({ value }) => value);
const words = (select: HTMLElement) => texts(within(select).getAllByRole('option'));

function label({ category, name }: ConfigOption) {
  if (category === 'model') return 'Model';
  return category === 'effort' ? 'Reasoning effort' : name;
}

function missing({ id: agent, program, install }: AgentDescriptor): AgentFailure {
  return { failure: 'agent_missing', agent, program: program!, tried: [{ place: 'file', path: `/opt/${program}` }], install };
}

function desk(found: AgentDescriptor[], sessions: Session[] = [], known: AgentDescriptor[] = [...agents, demo]) {
  const bridge = new FakeBridge({ sessions, agents: known });
  const look = (agent: AgentDescriptor) =>
    found.includes(agent)
      ? aFound({ agent: agent.id, program: `/opt/${agent.program}` })
      : aFound({ agent: agent.id, problem: missing(agent) });
  bridge.agents = { reading: false, agents: [...agents.map(look), demoFound] };
  return bridge;
}

describe.each(agents)('$name', (agent) => {
  test('offers all its options, and starts with those that are chosen', async () => {
    const { bridge, user } = await openPage(desk(agents));
    await user.click(radio(agent.name));
    await user.click(screen.getByText('More options'));
    expect(field('Program path')).toHaveAttribute('placeholder', `/opt/${agent.program}`);
    const config: Record<string, string> = {};
    for (const option of agent.config.filter(({ freeText }) => !freeText)) {
      expect(words(field(label(option)))).toEqual(['Agent default', ...option.values.map(({ name }) => name)]);
      await user.selectOptions(field(label(option)), option.values[0]!.name);
      config[option.id] = option.values[0]!.id;
    }
    await expectNoViolations();
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: agent.id, options: { config } }]);
    expect(Object.keys(bridge.sent('start_session')[0]!.options.config)).toEqual(Object.keys(config));
  });

  test('case_86 leads and is chosen if it is the only one that was found; the others say why not', async () => {
    const { user } = await openPage(desk([agent]));
    expect(cards()[0]).toBe(agent.id);
    expect(radio(agent.name)).toBeChecked();
    const other = agents.find((one) => one !== agent)!;
    expect(radio(other.name)).toHaveAccessibleDescription('Not installed');
    await user.click(radio(other.name));
    await user.click(button(`Copy command: ${other.install}`));
    expect(await navigator.clipboard.readText()).toBe(other.install);
  });

  test('is named in the row, the head, the transcript, and the failure of its session', async () => {
    const failed = { state: 'ended', at: 1, end: { end: 'failed', why: missing(agent) } } as const;
    const bridge = desk(agents, [
      aSession({ ...of(agent), name: 'trail' }),
      aSession({ ...of(agent), id: 's2', name: 'lost', state: failed }),
    ]);
    bridge.entries['s1'] = [anEntry(1, { kind: 'agent', text: 'On my way.' })];
    const { user } = await openPage(bridge);
    expect(button(/^trail/)).toHaveTextContent(agent.name);
    const view = () => document.querySelector<HTMLElement>('[data-session-view]')!;
    const about = within(screen.getByRole('banner'));
    expect(about.getByText(agent.name)).toBeVisible();
    expect(about.getByText('2.1.0')).toBeVisible();
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent(agent.name);
    await user.click(button(/^lost/));
    expect(view()).toHaveTextContent(`Run \`${agent.install}\` to install ${agent.name}`);
  });
});

test('case_86 each agent has its command to copy if none was found', async () => {
  const { user } = await openPage(desk([]));
  const install = within(screen.getByRole('region', { name: 'Install a coding agent' }));
  for (const agent of agents) {
    const row = within(install.getByText(agent.install!).closest('li')!);
    await user.click(row.getByRole('button', { name: `Copy command: ${agent.install}` }));
    expect(await navigator.clipboard.readText()).toBe(agent.install);
  }
  for (const card of screen.getAllByRole('radio', { hidden: true })) expect(card).not.toBeVisible();
});

test('an agent that is installed but can’t start says why', async () => {
  const bridge = desk(agents);
  const problem: AgentFailure = { failure: 'not_started', program: '/opt/codex', problem: 'forbidden', error: 'denied' };
  bridge.agents = { reading: false, agents: [aFound({ program: '/opt/claude' }), aFound({ agent: codex.id, problem })] };
  const { user } = await openPage(bridge);
  expect(radio('Codex')).toHaveAccessibleDescription('Can’t start');
  await user.click(radio('Codex'));
  expect(screen.getByText('Can’t start Codex yet')).toBeVisible();
  expect(screen.getByText(/denied/)).toBeVisible();
});

test('an agent gets nothing that was chosen for another', async () => {
  const { bridge, user } = await openPage(desk(agents));
  await user.selectOptions(field('Permission mode'), 'Plan mode');
  await user.type(field('Model'), 'opus');
  await user.click(radio('OpenCode'));
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ agent: 'opencode', options: { config: {} } }]);
  expect(bridge.sent('start_session')[0]!.options.config).toEqual({});
});

test('each mode of an agent has a button in the head', async () => {
  const config = withCurrent(codex, { mode: 'default', approval_policy: 'on-request', sandbox: 'read-only' });
  await openPage(desk(agents, [aSession({ ...of(codex), config })]));
  expect(button('Collaboration mode: Default')).toBeVisible();
  expect(button(/^Permission requests: /)).toBeVisible();
  expect(button(/^Sandbox: /)).toBeVisible();
});

test('an agent without a program has no program path', async () => {
  const { user } = await openPage(desk([], [], [{ ...codex, program: null }, demo]));
  await user.click(screen.getByText('More options'));
  expect(screen.getByLabelText('Questions')).toBeInTheDocument();
  expect(screen.queryByLabelText('Program path')).toBeNull();
});

test('with only the demo, nothing else is offered, and without it, no demo', async () => {
  const { unmount } = await openPage(desk([], [], [demo]));
  expect(button('Try the demo')).toBeVisible();
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.queryByRole('region', { name: 'Install a coding agent' })).toBeNull();
  unmount();
  await openPage(desk([codex], [], [codex]));
  expect(screen.queryByRole('button', { name: 'Try the demo' })).toBeNull();
  expect(cards()).toEqual(['codex']);
});
