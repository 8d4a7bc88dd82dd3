import { screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import type { AgentDescriptor } from '../src/generated/wire';
import { aFound, claudeCode, codex, demo, demoFound, of } from '../src/testing/agents';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage, radio, settle, skippableTime } from './open';

skippableTime();

const message = () => screen.getByRole('textbox', { name: 'First message' });
const signIn = () => screen.queryByRole('button', { name: 'Sign in…' });

/** The start form with Codex, which says whether the user is signed in. */
async function openStart(signedIn: boolean | null) {
  const bridge = new FakeBridge({ sessions: [], agents: [codex, demo] });
  bridge.agents = { reading: false, agents: [aFound({ agent: codex.id, program: '/usr/bin/codex' }), demoFound] };
  bridge.versions = { codex: '0.169.0' };
  if (signedIn !== null) bridge.signIns = { codex: signedIn };
  bridge.on('sign_in', () => ({})).on('start_session', () => aSession(of(codex)));
  const opened = await openPage(bridge);
  await settle();
  return opened;
}

test('case 76: a missing sign-in is said on the card and hinders no start', async () => {
  const { bridge, user } = await openStart(false);
  expect(radio('Codex')).toHaveAccessibleDescription('Not signed in');
  expect(screen.getByRole('region', { name: 'Codex isn’t signed in' })).toHaveTextContent('You can start anyway');
  expect(bridge.sent('sign_in')).toEqual([]);
  await user.type(message(), 'Go.');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ agent: 'codex', prompt: 'Go.' }]);
});

test.each([true, null])('nothing is said of a sign-in that is there or isn’t known: %s', async (signedIn) => {
  await openStart(signedIn);
  expect(radio('Codex')).toHaveAccessibleDescription('Installed 0.169.0');
  expect(signIn()).toBeNull();
});

test('case 76: while a terminal is open, the card follows the sign-in, and the typed text stays', async () => {
  const { bridge, user } = await openStart(false);
  await user.type(message(), 'Keep my notes.');
  await user.click(button('Sign in…'));
  expect(bridge.sent('sign_in')).toMatchObject([{ agent: 'codex', program: null }]);
  expect(screen.getByText('Complete the sign-in in the terminal that opened.')).toBeVisible();
  await vi.advanceTimersByTimeAsync(3100);
  expect(radio('Codex')).toHaveAccessibleDescription('Not signed in');
  bridge.signIns = { codex: true };
  await vi.advanceTimersByTimeAsync(3100);
  await settle();
  expect(radio('Codex')).toHaveAccessibleDescription('Installed 0.169.0');
  expect(signIn()).toBeNull();
  expect(message()).toHaveValue('Keep my notes.');
  // The button that had the focus is gone.
  expect(message()).toHaveFocus();
  const asked = bridge.sent('read_sign_in').length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(bridge.sent('read_sign_in')).toHaveLength(asked);
});

test('case_143 whoever types in another field stays there when the sign-in is found', async () => {
  const { bridge, user } = await openStart(false);
  await user.click(button('Sign in…'));
  const folder = screen.getByLabelText('Folder');
  await user.clear(folder);
  await user.type(folder, '/srv/');
  bridge.signIns = { codex: true };
  await vi.advanceTimersByTimeAsync(3100);
  await settle();
  expect(signIn()).toBeNull();
  await user.keyboard('shop');
  expect(folder).toHaveValue('/srv/shop');
  expect(message()).toHaveValue('');
});

test('a terminal that is never used is not watched forever', async () => {
  const { bridge, user } = await openStart(false);
  await user.click(button('Sign in…'));
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  const asked = bridge.sent('read_sign_in').length;
  expect(asked).toBeGreaterThan(100);
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(bridge.sent('read_sign_in')).toHaveLength(asked);
});

test('a window that gets the focus again reads the sign-in anew, once at a time', async () => {
  const { bridge } = await openStart(false);
  const asked = bridge.sent('read_sign_in').length;
  bridge.signIns = { codex: true };
  window.dispatchEvent(new Event('focus'));
  window.dispatchEvent(new Event('focus'));
  await settle();
  expect(bridge.sent('read_sign_in')).toHaveLength(asked + 1);
  expect(radio('Codex')).toHaveAccessibleDescription('Installed 0.169.0');
});

test('without a terminal, the command is shown to copy', async () => {
  const { bridge, user } = await openStart(false);
  bridge.fail('sign_in', { code: 'not_opened', detail: { detail: 'unopened', why: { unopened: 'no_terminal' } } });
  await user.click(button('Sign in…'));
  const offer = screen.getByRole('region', { name: 'Codex isn’t signed in' });
  expect(within(offer).getByRole('alert')).toHaveTextContent('Askdesk couldn’t find a terminal.');
  expect(offer).toHaveTextContent('codex login');
  expect(within(offer).getByRole('button', { name: 'Copy command: codex login' })).toBeVisible();
});

async function openRejected(agent: AgentDescriptor) {
  const bridge = new FakeBridge({ sessions: [aSession({ ...of(agent), state: { state: 'idle' } })], agents: [agent, demo] });
  bridge.entries = { s1: [anEntry(1, { kind: 'notice', notice: { notice: 'login_rejected', error: 'No access (401)' } })] };
  bridge
    .on('sign_in', () => ({}))
    .on('stop_session', () => ({}))
    .on('resume_session', () => aSession(of(agent)));
  return openPage(bridge);
}

test('a rejected sign-in is replaced where it is said, and a session that keeps the old one restarts', async () => {
  const { bridge, user } = await openRejected(codex);
  expect(screen.queryByRole('button', { name: 'Restart session' })).toBeNull();
  await user.click(button('Sign in…'));
  expect(bridge.sent('sign_in')).toMatchObject([{ agent: 'codex', program: null }]);
  await user.click(button('Restart session'));
  expect(bridge.sent('resume_session')).toMatchObject([{ session: 's1' }]);
});

test('a session whose agent follows a new sign-in by itself is not restarted', async () => {
  const { bridge, user } = await openRejected({ ...claudeCode, login: 'claude auth login' });
  await user.click(button('Sign in…'));
  expect(bridge.sent('sign_in')).toMatchObject([{ agent: 'claude_code' }]);
  expect(screen.getByText('Complete the sign-in in the terminal that opened.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Restart session' })).toBeNull();
});
