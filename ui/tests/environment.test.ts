import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { EnvironmentRead } from '../src/generated/wire';
import { aFound } from '../src/testing/agents';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openSettings, settle } from './open';

const row = () => screen.getByRole('group', { name: 'Environment of agents' });

async function open(environment: Partial<EnvironmentRead>) {
  const bridge = new FakeBridge();
  bridge.environment = { ...bridge.environment, ...environment };
  const { user } = await openSettings(bridge, 'Agents');
  await settle();
  return { bridge, user };
}

describe('case 115: where the environment of agents comes from', () => {
  test.each<[EnvironmentRead['way'], string]>([
    ['terminal', 'the terminal that Askdesk was started from'],
    ['interactive_login', 'your shell, /bin/zsh, as in a terminal'],
    ['login', 'your shell, /bin/zsh, with its login files only'],
    ['known_folders', 'The shell didn’t answer'],
    ['process', 'Askdesk was started with'],
  ])('%s is said in words', async (way, words) => {
    await open({ way, shell: '/bin/zsh' });
    expect(row()).toHaveAccessibleDescription(expect.stringContaining(words) as string);
  });

  test('a shell that failed is named with the reason', async () => {
    await open({
      way: 'known_folders',
      shell: '/bin/bash',
      readAt: 1,
      failed: [
        { way: 'interactive_login', failure: { why: 'timed_out', seconds: 20 } },
        { way: 'login', failure: { why: 'ended', code: 1 } },
      ],
    });
    expect(row()).toHaveTextContent('its startup files for a terminal: it took longer than 20 seconds.');
    expect(row()).toHaveTextContent('its login files: it ended early with exit code 1.');
  });

  test('the shell can be asked again, and the agents are then looked for anew', async () => {
    const { bridge, user } = await open({ way: 'login', shell: '/bin/bash', readAt: 1 });
    bridge.environment = { ...bridge.environment, way: 'interactive_login' };
    const before = bridge.sent('list_agents').length;
    await user.click(within(row()).getByRole('button', { name: 'Look again' }));
    await settle();
    expect(bridge.sent('read_environment').slice(-2)).toEqual([{ again: true }, { again: false }]);
    expect(bridge.sent('list_agents')).toHaveLength(before + 1);
    expect(row()).toHaveAccessibleDescription(expect.stringContaining('as in a terminal') as string);
  });

  test('case_142 started from a terminal, an agent that was installed meanwhile is found', async () => {
    const { bridge, user } = await open({ way: 'terminal' });
    bridge.agents = { reading: false, agents: [aFound({ program: '/usr/bin/claude' })] };
    await user.click(within(row()).getByRole('button', { name: 'Look again' }));
    expect(within(row()).getByText('Looked again: Claude Code found')).toHaveRole('status');
  });
});
