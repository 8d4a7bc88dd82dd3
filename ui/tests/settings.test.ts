import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { aSession } from '../src/testing/desk';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openDesk, settle } from './open';

const dialog = () => screen.getByRole('dialog', { name: 'Settings' });
const setting = (name: string) => within(dialog()).getByRole('combobox', { name });

async function openSettings(bridge = new FakeBridge()) {
  const opened = await openDesk(bridge);
  await opened.user.click(screen.getByRole('button', { name: 'Settings' }));
  await settle();
  return opened;
}

describe('the settings', () => {
  test('each has a name and a line of help, and says what it is set to', async () => {
    await openSettings();
    expect(setting('Theme')).toHaveDisplayValue('As the system');
    expect(setting('Theme')).toHaveAccessibleDescription('Light or dark, for the whole window.');
    for (const control of within(dialog()).getAllByRole('combobox')) {
      expect(control).toHaveAccessibleName();
      expect(control).toHaveAccessibleDescription();
    }
    await expectNoViolations();
  });

  test('a change is sent and holds', async () => {
    const { bridge, user } = await openSettings();
    await user.selectOptions(setting('Text size'), '150 %');
    await user.selectOptions(setting('Density'), 'Compact');
    await settle();
    expect(bridge.sent('change_setting')).toEqual([
      { change: { setting: 'text_size', value: 150 } },
      { change: { setting: 'density', value: 'compact' } },
    ]);
    expect(setting('Text size')).toHaveDisplayValue('150 %');
    expect(document.documentElement.dataset.density).toBe('compact');
  });

  test('one that could not be kept says so and shows what still holds', async () => {
    const bridge = new FakeBridge().on('change_setting', () => {
      throw anError({ code: 'settings_not_written', message: 'The disk is full.' });
    });
    const { user } = await openSettings(bridge);
    await user.selectOptions(setting('Theme'), 'Dark');
    await settle();
    expect(within(dialog()).getByRole('alert')).toHaveTextContent('The setting was not kept. The disk is full.');
    expect(setting('Theme')).toHaveDisplayValue('As the system');
  });

  test('a search finds by name, help and choices', async () => {
    const { user } = await openSettings();
    const search = within(dialog()).getByRole('searchbox', { name: 'Find a setting' });
    const names = () => within(dialog()).queryAllByRole('combobox').map((it) => it.getAttribute('id'));
    await user.type(search, 'DARK');
    expect(names()).toEqual(['setting-theme']);
    await user.clear(search);
    await user.type(search, 'window tray');
    expect(names()).toEqual(['setting-on_close']);
    await user.clear(search);
    await user.type(search, 'quokka');
    expect(within(dialog()).getByText('No setting speaks of “quokka”.')).toBeVisible();
  });

  test('what is ignored in the file is named with the reason', async () => {
    const bridge = new FakeBridge();
    bridge.settings = {
      ...bridge.settings,
      ignored: [{ key: 'appearance.theme', why: '"pink": unknown variant `pink`' }],
    };
    await openSettings(bridge);
    const note = within(dialog()).getByRole('note');
    expect(note).toHaveTextContent('appearance.theme');
    expect(note).toHaveTextContent('unknown variant `pink`');
    await expectNoViolations();
  });

  test('they open by key from a field without touching its text, and Esc brings back', async () => {
    const { user } = await openDesk(new FakeBridge({ sessions: [aSession({ id: 's1', name: 'api' })] }));
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message to the agent' });
    await user.type(field, 'half a sent');
    await user.keyboard('{Control>},{/Control}');
    expect(dialog()).toBeVisible();
    expect(field).toHaveValue('half a sent');
  });
});
