import { screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { Helper } from '../src/generated/wire';
import { aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle } from './open';

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
  const bridge = new FakeBridge({ sessions: [session] }).on('stop_helper', () => ({}));
  const { user } = await openPage(bridge);
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
