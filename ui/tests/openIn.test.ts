import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { OpenError, ToolDetail } from '../src/generated/wire';
import { demo, of } from '../src/testing/agents';
import { anEntry, aSession, aTool } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, openSettings } from './open';

const HOSTILE = '-rf $(touch x)\n"a b".ts';

async function openHead(changes: Partial<ReturnType<typeof aSession>> = {}, details: ToolDetail[] = []) {
  const bridge = new FakeBridge({ sessions: [aSession({ nativeSession: 'n1', ...changes })] });
  bridge.entries = {
    s1: details.map((detail, index) =>
      anEntry(index + 1, aTool({ toolUse: `t${index}`, name: 'Read', toolKind: 'other', summary: 'a file', detail, status: 'failed' })),
    ),
  };
  return openPage(bridge);
}

const items = () => screen.getAllByRole('menuitem').map((item) => item.textContent?.trim());

test('case_98 the folder of a session is opened in a program from the menu, and the latest one comes first in its kind', async () => {
  const { bridge, user } = await openHead();
  await user.click(button('Open in…'));
  expect(items()).toEqual(['VS Code', 'Zed', 'Vim', 'GNOME Terminal', 'kitty', 'File manager']);
  await expectNoViolations();
  await user.click(screen.getByRole('menuitem', { name: 'kitty' }));
  expect(bridge.sent('open_in')).toMatchObject([{ session: 's1', program: 'kitty', path: null, line: null }]);
  await user.click(button('Open in…'));
  expect(items()).toEqual(['VS Code', 'Zed', 'Vim', 'kitty', 'GNOME Terminal', 'File manager']);
  await user.click(screen.getByRole('menuitem', { name: 'kitty' }));
  const ids = bridge.sent('open_in').map(({ requestId }) => requestId);
  expect(new Set(ids).size).toBe(2);
  expect(JSON.parse(localStorage.getItem('askdesk.opened_in') ?? '[]')).toEqual(['kitty']);
});

test('the program in the settings comes first', async () => {
  const bridge = new FakeBridge({ sessions: [aSession()] }).set({ editor: 'vim', terminal: 'kitty' });
  const { user } = await openPage(bridge);
  await user.click(button('Open in…'));
  expect(items()).toEqual(['Vim', 'VS Code', 'Zed', 'kitty', 'GNOME Terminal', 'File manager']);
});

test('case_98 a file of the transcript opens in the editor, at its line and with its exact name', async () => {
  const { bridge, user } = await openHead({}, [
    { detail: 'read', path: HOSTILE, line: 12, input: '{}' },
    { detail: 'edit', path: '/w/b.ts', diff: '@@ -1 +1 @@\n-a\n+b\n' },
    { detail: 'other', input: '{}' },
  ]);
  for (const summary of document.querySelectorAll('main details summary')) await user.click(summary);
  await user.click(button('Open in VS Code at line 12'));
  await user.click(button('Open in VS Code'));
  expect(bridge.sent('open_in')).toMatchObject([
    { session: 's1', program: 'vscode', path: HOSTILE, line: 12 },
    { session: 's1', program: 'vscode', path: '/w/b.ts', line: null },
  ]);
  expect(screen.getAllByRole('button', { name: /^Open in VS Code/ })).toHaveLength(2);
  await user.keyboard('{Control>}k{/Control}');
  await user.keyboard('Open file in editor b.ts{Enter}');
  expect(bridge.sent('open_in').at(-1)).toMatchObject({ path: '/w/b.ts' });
});

const errors: [OpenError, string][] = [
  [
    { unopened: 'not_installed', program: 'zed' },
    'Askdesk couldn’t find Zed. Install it, or choose another program in Settings, under Open in.',
  ],
  [{ unopened: 'no_command', program: 'editor_command' }, 'No command is set for Custom editor. Enter it in Settings, under Open in.'],
  [{ unopened: 'gone', path: '/w/a' }, '/w/a doesn’t exist anymore.'],
  [{ unopened: 'exited', program: 'code', code: 4 }, 'code exited at once with code 4. Start it in a terminal to see why.'],
  [{ unopened: 'no_terminal' }, 'Askdesk couldn’t find a terminal. Install one, or enter your own command in Settings, under Open in.'],
];

test.each(errors)('case_98 what wasn’t opened is said in words: %o', async (why, words) => {
  const { bridge, user } = await openHead();
  bridge.fail('open_in', { code: 'not_opened', detail: { detail: 'unopened', why } });
  await user.click(button('Open in…'));
  await user.click(screen.getByRole('menuitem', { name: 'Zed' }));
  expect((await screen.findByRole('alert')).textContent).toContain(words);
  await user.click(button('Open in…'));
  expect(items()[0]).toBe('VS Code');
});

test('case_98 a running session continues in a terminal only after the user confirms that it ends here', async () => {
  const { bridge, user } = await openHead({ state: { state: 'idle' } });
  await user.click(button('Session menu'));
  await user.click(screen.getByRole('menuitem', { name: 'Continue in terminal' }));
  const ask = await screen.findByRole('alertdialog', { name: 'Continue “api” in a terminal?' });
  expect(ask).toHaveTextContent('The session ends here first');
  expect(bridge.sent('continue_in_terminal')).toEqual([]);
  await user.click(button('Keep running'));
  expect(bridge.sent('continue_in_terminal')).toEqual([]);
  await user.keyboard('{Control>}k{/Control}');
  await user.keyboard('Continue in terminal{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Continue in terminal' }));
  expect(bridge.sent('continue_in_terminal')).toMatchObject([{ session: 's1', endRunning: true }]);
});

test('an ended session continues without a question', async () => {
  const { bridge, user } = await openHead({ state: { state: 'ended', end: { end: 'stopped' }, at: 0 } });
  await user.click(button('Session menu'));
  expect(items()[0]).toBe('Continue in terminal');
  await user.click(screen.getByRole('menuitem', { name: 'Continue in terminal' }));
  expect(bridge.sent('continue_in_terminal')).toMatchObject([{ session: 's1', endRunning: false }]);
});

test.each([
  ['an agent that can’t', { ...of(demo), nativeSession: 'n1' }],
  ['a session that its agent hasn’t named', { nativeSession: null }],
])('continuing isn’t offered for %s', async (_, changes) => {
  const { user } = await openHead(changes);
  await user.click(button('Session menu'));
  expect(items()).not.toContain('Continue in terminal');
});

test('a session without a folder opens nowhere', async () => {
  await openHead({ folder: '' });
  expect(screen.queryByRole('button', { name: 'Open in…' })).toBeNull();
});

test('the settings offer what was found, and say which choice was not', async () => {
  const bridge = new FakeBridge().set({ terminal: 'konsole' });
  const { user } = await openSettings(bridge, 'Open in');
  const options = (name: string) => [...screen.getByRole<HTMLSelectElement>('combobox', { name }).options].map(({ text }) => text);
  expect(options('Editor')).toEqual(['First found: VS Code', 'VS Code', 'Zed', 'Vim', 'Custom editor']);
  expect(options('Terminal')).toEqual(['First found: GNOME Terminal', 'GNOME Terminal', 'kitty', 'Custom terminal', 'Konsole (not found)']);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Editor' }), 'Zed');
  expect(bridge.sent('change_setting')).toEqual([{ change: { setting: 'editor', value: 'zed' } }]);
});

test('a command of one’s own is saved as written, and one that can’t run says what is wrong', async () => {
  const { bridge, user } = await openSettings(new FakeBridge(), 'Open in');
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Custom editor command' });
  bridge.fail('change_setting', {
    code: 'invalid',
    detail: {
      detail: 'validation',
      error: {
        validation: 'unfit',
        flaw: { unfit: 'command', flaw: { command: 'unknown_placeholder', name: 'path', known: ['file', 'line', 'column'] } },
      },
    },
  });
  await user.type(field, 'subl {{path}');
  await user.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent('{path} isn’t a placeholder; use {file}, {line}, and {column}');
  expect(field).toBeInvalid();
  expect(field).toHaveValue('subl {path}');
  bridge.on('change_setting', () => bridge.set({ editorCommand: 'subl {file}' }).settings);
  await user.clear(field);
  await user.type(field, 'subl {{file}');
  await user.tab();
  expect(bridge.sent('change_setting').at(-1)).toEqual({ change: { setting: 'editor_command', value: 'subl {file}' } });
  expect(field).not.toBeInvalid();
});
