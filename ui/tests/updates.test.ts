import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { wordsOfProblem } from '../src/entities/update/updateWords';
import type { UpdateObstacle, UpdatePhase, UpdateProblem, UpdateRead } from '../src/generated/wire';
import { anAvailableUpdate, anUpdate } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, openSettings, settle } from './open';

const release = { version: '0.3.0', notes: '- Answers arrive **faster**', size: 8_700_000 };

async function openWith(update: UpdateRead) {
  const bridge = new FakeBridge();
  bridge.update = update;
  return openPage(bridge);
}

const notice = () => screen.queryByText(/Askdesk 0\.3\.0 is available/);
const dialog = (name: string | RegExp) => within(screen.getByRole('dialog', { name }));
const installDialog = () => dialog('Update to Askdesk 0.3.0');

describe('the notice of a newer version', () => {
  test('it offers what is new, the installation, and to be left alone, and takes no focus', async () => {
    await openWith(anAvailableUpdate());
    expect(notice()).toBeVisible();
    for (const name of ['What’s new', 'Install…', 'Skip this version', 'Later']) expect(button(name)).toBeVisible();
    expect(document.body).toHaveFocus();
  });

  test('it waits until nobody points at what it would move', async () => {
    const { bridge, user } = await openPage(new FakeBridge());
    await user.click(composer());
    await fireEvent.pointerMove(window);
    await bridge.changeUpdate(anAvailableUpdate());
    expect(notice()).toBeNull();
    await fireEvent.mouseLeave(document.documentElement);
    await settle();
    expect(notice()).toBeVisible();
    expect(composer()).toHaveFocus();
    // Once it is there, it stays.
    await fireEvent.pointerMove(window);
    await settle();
    expect(notice()).toBeVisible();
  });

  test.each([
    ['Skip this version', 'next_version'],
    ['Later', 'next_start'],
  ])('%s makes it go', async (name, until) => {
    const { bridge, user } = await openWith(anAvailableUpdate());
    bridge.on('set_update_aside', () => anAvailableUpdate({ isOffered: false }));
    await user.click(button(name));
    expect(bridge.sent('set_update_aside')).toEqual([{ version: '0.3.0', until }]);
    expect(notice()).toBeNull();
  });

  test('what is new is shown with its format, and leads to the installation', async () => {
    const { user } = await openWith(anAvailableUpdate({ phase: { phase: 'available', release } }));
    await user.click(button('What’s new'));
    const news = dialog('What’s new in Askdesk 0.3.0');
    expect(news.getByText('faster').tagName).toBe('STRONG');
    await user.click(news.getByRole('button', { name: 'Install…' }));
    expect(installDialog().getByRole('button', { name: 'Download and install' })).toBeEnabled();
  });
});

describe('the installation', () => {
  test('the dialog says what happens, and only its button begins it', async () => {
    const { bridge, user } = await openWith(anAvailableUpdate());
    await user.click(button('Install…'));
    expect(installDialog().getByText(/downloads 8\.3 MB.*Askdesk restarts.*can be resumed/)).toBeVisible();
    expect(installDialog().getByRole('button', { name: 'Download and install' })).not.toHaveFocus();
    expect(bridge.sent('install_update')).toEqual([]);
    await user.click(installDialog().getByRole('button', { name: 'Download and install' }));
    expect(bridge.sent('install_update')).toEqual([{ version: '0.3.0' }]);
  });

  test('what belongs to the package manager has a page and a command, whatever is open, and nothing else', async () => {
    const byHand = { page: 'https://example.org/v0.3.0', command: 'sudo apt install ./Askdesk_0.3.0_amd64.deb' };
    const { bridge, user } = await openWith(anAvailableUpdate({ byHand, inTheWay: ['question_open'] }));
    await user.click(button('Install…'));
    expect(installDialog().getByText(byHand.command)).toBeVisible();
    expect(installDialog().getByRole('button', { name: /^Copy/ })).toBeEnabled();
    expect(installDialog().queryByRole('button', { name: 'Download and install' })).toBeNull();
    expect(installDialog().queryByText(/A question is open/)).toBeNull();
    await user.click(installDialog().getByRole('button', { name: 'Open download page' }));
    expect(bridge.opened).toEqual([byHand.page]);
    expect(bridge.sent('install_update')).toEqual([]);
  });

  test('what is in the way turns the button off with its reasons, until all of it has ended', async () => {
    const open = ['question_open', 'permission_open', 'answer_undoable'] as const;
    const inTheWay: UpdateObstacle[] = [...open, 'answer_undelivered', 'agent_works', 'not_stored'];
    const { bridge, user } = await openWith(anAvailableUpdate({ inTheWay }));
    await user.click(button('Install…'));
    const install = () => installDialog().getByRole('button', { name: 'Download and install' });
    expect(install()).toBeDisabled();
    expect(install()).toHaveAccessibleDescription(
      /A question is open.*A permission request is open.*can still be undone.*on its way.*An agent works.*The disk/,
    );
    await bridge.changeUpdate({ inTheWay: [] });
    expect(install()).toBeEnabled();
    expect(install()).not.toHaveAccessibleDescription();
    expect(bridge.sent('install_update')).toEqual([]);
  });

  test('a download shows how much has come, and can be canceled', async () => {
    const { bridge, user } = await openWith(anAvailableUpdate());
    await user.click(button('Install…'));
    await bridge.changeUpdate({ phase: { phase: 'downloading', release, received: 2_900_000, total: 8_700_000 } });
    expect(installDialog().getByRole('progressbar')).toHaveValue(2_900_000);
    expect(installDialog().getByText('2.8 MB of 8.3 MB')).toBeVisible();
    await user.click(installDialog().getByRole('button', { name: 'Cancel download' }));
    expect(bridge.sent('cancel_update')).toHaveLength(1);
  });

  test.each<[UpdatePhase['phase'] & ('downloaded' | 'installed'), string, string, RegExp]>([
    ['downloaded', 'Install…', 'Install and restart', /is downloaded\. Install it when/],
    ['installed', 'Restart…', 'Restart', /is installed\. Restart Askdesk to use it/],
  ])('what came up meanwhile leaves it %s, and the next step waits for the user', async (phase, open, next, words) => {
    const { bridge, user } = await openWith(anAvailableUpdate({ phase: { phase, release }, inTheWay: ['question_open'] }));
    expect(screen.getByText(words)).toBeVisible();
    await user.click(button(open));
    expect(installDialog().getByRole('button', { name: next })).toBeDisabled();
    await bridge.changeUpdate({ inTheWay: [] });
    expect(bridge.sent('install_update')).toEqual([]);
    await user.click(installDialog().getByRole('button', { name: next }));
    expect(bridge.sent('install_update')).toEqual([{ version: '0.3.0' }]);
  });

  test('a problem is said in the dialog, without characters that could mislead', async () => {
    const { user } = await openWith(anAvailableUpdate({ problem: { problem: 'system', error: 'broken\u202e' } }));
    await user.click(button('Install…'));
    const alert = installDialog().getByRole('alert');
    expect(alert).toHaveTextContent(/failed: broken/);
    expect(alert).not.toHaveTextContent('\u202e');
  });

  test.each<[UpdateProblem, RegExp]>([
    [{ problem: 'signature' }, /isn’t signed by the makers.*Nothing was installed/],
    [{ problem: 'interrupted', error: 'reset' }, /broke off: reset\. Nothing was installed/],
    [{ problem: 'not_allowed' }, /isn’t allowed to replace its own file, so nothing was installed/],
    [{ problem: 'not_saved' }, /couldn’t save what you have typed/],
  ])('%o is said in words that help', (problem, words) => expect(wordsOfProblem(problem)).toMatch(words));
});

describe('the settings', () => {
  test('they say which version runs, and look for a newer one when asked', async () => {
    const bridge = new FakeBridge();
    bridge.update = anUpdate({ checkedAt: null });
    const { user } = await openSettings(bridge, 'Updates');
    const row = within(screen.getByRole('group', { name: 'Askdesk 0.2.0' }));
    expect(row.getByText('No newer version was looked for yet.')).toBeVisible();
    bridge.on('check_for_update', () => anUpdate({ checkedAt: Date.now() }));
    await user.click(row.getByRole('button', { name: 'Check now' }));
    expect(row.getByText(/No newer version was found/)).toBeVisible();
    expect(bridge.sent('check_for_update')).toHaveLength(1);
  });

  test('a check that fails says why', async () => {
    const bridge = new FakeBridge();
    bridge.on('check_for_update', () => anUpdate({ problem: { problem: 'offline', error: 'no route' } }));
    const { user } = await openSettings(bridge, 'Updates');
    await user.click(button('Check now'));
    expect(screen.getByRole('alert')).toHaveTextContent(/can’t be reached: no route\. Check your connection/);
  });

  test('a build that doesn’t update itself says so and offers nothing', async () => {
    const bridge = new FakeBridge();
    bridge.update = anUpdate({ phase: { phase: 'unavailable' } });
    await openSettings(bridge, 'Updates');
    expect(screen.getByText(/This build doesn’t update itself/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Check now' })).toBeNull();
    expect(screen.queryByRole('switch', { name: 'Check for updates every day' })).toBeNull();
  });

  test('the palette looks for a newer version and shows what it found', async () => {
    const bridge = new FakeBridge();
    bridge.on('check_for_update', () => anUpdate({ checkedAt: Date.now() }));
    const { user } = await openPage(bridge);
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('check for updates{Enter}');
    expect(bridge.sent('check_for_update')).toHaveLength(1);
    expect(dialog('Settings').getByText(/No newer version was found/)).toBeVisible();
  });

  test('the palette leads to the installation of a version that was found, and begins nothing', async () => {
    const { bridge, user } = await openWith(anAvailableUpdate());
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('install update{Enter}');
    expect(installDialog().getByRole('button', { name: 'Download and install' })).toBeEnabled();
    expect(bridge.sent('install_update')).toEqual([]);
  });

  test('the palette offers no installation while no newer version is known', async () => {
    const { user } = await openWith(anUpdate());
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('install update');
    expect(screen.queryByRole('option', { name: /Install update/ })).toBeNull();
  });
});
