import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage } from './open';

const moved = aSession({
  folder: '/home/ada/shop',
  resumable: true,
  state: {
    state: 'ended',
    end: { end: 'failed', why: { failure: 'folder_unusable', path: '/home/ada/shop', problem: { problem: 'missing' } } },
    at: 1,
  },
});

test('a session whose folder was moved resumes in the folder that the user chooses', async () => {
  const bridge = new FakeBridge({ sessions: [moved] });
  bridge.on('change_folder', ({ folder }) => ({ ...moved, folder })).on('resume_session', () => aSession());
  const { user } = await openPage(bridge);
  await expectNoViolations();
  await user.click(button('Choose the new folder…'));
  expect(bridge.sent('change_folder')).toEqual([]);
  bridge.folder = '/home/ada/store';
  await user.click(button('Choose the new folder…'));
  expect(bridge.sent('change_folder')).toMatchObject([{ session: 's1', folder: '/home/ada/store' }]);
  expect(bridge.sent('resume_session')).toMatchObject([{ session: 's1' }]);
});

test('a folder that was refused is not resumed in, and any other end offers no folder', async () => {
  const bridge = new FakeBridge({ sessions: [moved] });
  bridge.fail('change_folder', { code: 'folder_missing' });
  bridge.folder = '/home/ada/store';
  const { user, unmount } = await openPage(bridge);
  await user.click(screen.getByRole('button', { name: 'Choose the new folder…' }));
  expect(screen.getByRole('alert')).toBeVisible();
  expect(bridge.sent('resume_session')).toEqual([]);
  unmount();
  await openPage(new FakeBridge({ sessions: [aSession({ resumable: true, state: { state: 'ended', end: { end: 'app_quit' }, at: 1 } })] }));
  expect(screen.queryByRole('button', { name: 'Choose the new folder…' })).toBeNull();
});
