import { screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import type { Helper } from '../src/generated/wire';
import { aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle, skippableTime } from './open';

skippableTime();

const aHelper = (changes: Partial<Helper> = {}): Helper => ({
  id: 'a1',
  kind: 'subagent',
  title: 'Write the tests',
  state: 'working',
  beganAt: Date.now() - 61_000,
  ...changes,
});

const working = () => screen.getByRole('region', { name: 'Background work' });

test('case 107: work in the background is listed while the agent is idle, and one task can be stopped alone', async () => {
  const helpers = [aHelper(), aHelper({ id: 'b1', kind: 'shell', title: 'pnpm dev' })];
  const session = aSession({ helpers, state: { state: 'idle' } });
  const { bridge, user } = await openPage(new FakeBridge({ sessions: [session] }).on('stop_helper', () => ({})));
  expect(working()).toHaveTextContent('2 tasks work in the background');
  expect(within(working()).getAllByRole('listitem')).toHaveLength(2);
  await expectNoViolations();
  await user.click(within(working()).getByRole('button', { name: 'Stop pnpm dev' }));
  expect(bridge.sent('stop_helper')).toMatchObject([{ session: 's1', helper: 'b1' }]);
  expect(bridge.sent('interrupt_session')).toEqual([]);

  bridge.push({ change: 'session', session: { ...session, helpers: [aHelper({ id: 'b1', title: 'pnpm dev', state: 'stopping' })] } });
  await settle();
  expect(within(working()).getAllByRole('listitem')).toHaveLength(1);
  expect(within(working()).getByRole('button', { name: 'Stopping… pnpm dev' })).toBeDisabled();

  bridge.push({ change: 'session', session: { ...session, helpers: [] } });
  await settle();
  expect(screen.queryByRole('region', { name: 'Background work' })).toBeNull();
});

test('a stop that fails says why', async () => {
  const bridge = new FakeBridge({ sessions: [aSession({ helpers: [aHelper()] })] }).fail('stop_helper', { code: 'session_gone' });
  const { user } = await openPage(bridge);
  await user.click(within(working()).getByRole('button', { name: 'Stop Write the tests' }));
  expect(within(working()).getByRole('alert')).toBeInTheDocument();
});

test('case 125: the output of a background task is shown while its row is open, and asked for again', async () => {
  const helpers = [aHelper(), aHelper({ id: 'b1', kind: 'shell', title: 'pnpm dev' })];
  let lines = 1;
  const bridge = new FakeBridge({ sessions: [aSession({ helpers, state: { state: 'idle' } })] }).on('read_helper_output', () => ({
    output: 'written',
    text: `line ${lines++}\u001b[0m\n`,
    isCut: true,
  }));
  const { user } = await openPage(bridge);
  const row = within(working()).getByRole('button', { name: 'Output of pnpm dev' });
  expect(row).toHaveAttribute('aria-expanded', 'false');
  expect(bridge.sent('read_helper_output')).toEqual([]);
  await user.click(row);
  expect(row).toHaveAttribute('aria-expanded', 'true');
  expect(await within(working()).findByText('line 1')).toBeInTheDocument();
  expect(working()).toHaveTextContent('The beginning is left out.');
  expect(bridge.sent('read_helper_output')).toMatchObject([{ session: 's1', helper: 'b1' }]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(within(working()).getByText('line 2')).toBeInTheDocument();

  await user.click(row);
  const asked = bridge.sent('read_helper_output').length;
  expect(row).toHaveAttribute('aria-expanded', 'false');
  expect(working()).not.toHaveTextContent('line');
  await vi.advanceTimersByTimeAsync(1500);
  expect(bridge.sent('read_helper_output')).toHaveLength(asked);
});

test('an output that can’t be read says which file and why', async () => {
  const bridge = new FakeBridge({ sessions: [aSession({ helpers: [aHelper({ kind: 'shell' })] })] }).on('read_helper_output', () => ({
    output: 'unreadable',
    path: '/tmp/b1.output',
    error: 'not a regular file',
  }));
  const { user } = await openPage(bridge);
  await user.click(within(working()).getByRole('button', { name: 'Output of Write the tests' }));
  expect(working()).toHaveTextContent('/tmp/b1.output: not a regular file');
});
