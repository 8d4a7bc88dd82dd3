import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { askedAt, filledIn, namedFile } from '../src/feature/composer/asked';
import type { AgentCommand } from '../src/generated/wire';
import { claudeCode, codex, of } from '../src/testing/agents';
import { aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, expectNoViolations, openPage, settle } from './open';

const command = (name: string, about: Partial<AgentCommand> = {}): AgentCommand => ({
  name,
  description: null,
  argumentHint: null,
  ...about,
});

const COMMANDS = [
  command('review', { description: 'Review the changes', argumentHint: '[branch]' }),
  command('compact', { description: 'Summarize the conversation' }),
  command('security-review'),
];

const idle = (changes = {}) =>
  new FakeBridge({ sessions: [aSession({ state: { state: 'idle' }, ...changes })] }).on('list_commands', () => ({ commands: COMMANDS }));

const rows = () => screen.queryAllByRole('option').map((row) => row.textContent.trim().replace(/\s+/g, ' '));
const list = (name: string) => screen.findByRole('listbox', { name });

describe('what is asked', () => {
  test.each([
    ['/', 1, { what: 'command', query: '', from: 0 }],
    ['/rev', 4, { what: 'command', query: 'rev', from: 0 }],
    ['/rev', 2, { what: 'command', query: 'r', from: 0 }],
    ['\n/rev', 5, { what: 'command', query: 'rev', from: 1 }],
    ['see @src/ma', 11, { what: 'file', query: 'src/ma', from: 4 }],
    ['(@a', 3, { what: 'file', query: 'a', from: 1 }],
    ['@"my no', 7, { what: 'file', query: 'my no', from: 0 }],
    ['/review @', 9, { what: 'file', query: '', from: 8 }],
  ] as const)('%j with the caret at %d', (text, caret, expected) => {
    expect(askedAt(text, caret)).toEqual(expected);
  });

  test.each([
    ['', 0],
    ['/review main', 12],
    ['see /review', 11],
    ['ada@example.org', 15],
    ['@a b', 4],
    ['@"done" ', 8],
  ])('nothing in %j with the caret at %d', (text, caret) => {
    expect(askedAt(text, caret)).toBeNull();
  });

  test('what is chosen replaces what is typed up to the caret, and the rest stays', () => {
    const filled = (text: string, caret: number, words: string) => filledIn({ text, caret }, askedAt(text, caret)!, words);
    expect(filled('/rev', 4, '/review')).toEqual({ text: '/review ', caret: 8 });
    expect(filled('see @ma, please', 7, '@src/main.rs')).toEqual({ text: 'see @src/main.rs , please', caret: 17 });
    expect(filled('see @ma please', 7, '@src/main.rs')).toEqual({ text: 'see @src/main.rs please', caret: 17 });
    expect(filled('@s', 2, '@src/')).toEqual({ text: '@src/', caret: 5 });
    expect(filled('/ren', 4, '')).toEqual({ text: '', caret: 0 });
  });

  test('a path with a space is quoted, and the quotes of a folder stay open', () => {
    expect(['a/b', 'my notes.txt', 'my notes/'].map(namedFile)).toEqual(['@a/b', '@"my notes.txt"', '@"my notes/']);
  });
});

describe('commands', () => {
  test('case_121 a slash lists the agent’s commands with the window’s own beside them', async () => {
    const { user } = await openPage(idle());
    await user.type(composer(), '/');
    await within(await list('Commands')).findByRole('option', { name: /\/review/ });
    expect(rows()[0]).toBe('/review [branch] Review the changes');
    expect(rows()).toContainEqual('Rename Askdesk');
    expect(rows().filter((row) => /compact/i.test(row))).toEqual(['/compact Summarize the conversation']);
    expect(composer()).toHaveFocus();
    expect(composer()).toHaveAttribute('aria-activedescendant', screen.getAllByRole('option')[0]!.id);
    await expectNoViolations();
  });

  test('case_121 Enter fills in the chosen command, and sends the one that is typed out', async () => {
    const { bridge, user } = await openPage(idle());
    await user.type(composer(), '/sec');
    await screen.findByRole('option', { name: /security-review/ });
    await user.keyboard('{Enter}');
    expect(composer()).toHaveValue('/security-review ');
    expect(rows()).toEqual([]);
    expect(bridge.sent('send_message')).toEqual([]);
    await user.keyboard('{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{ text: '/security-review ' }]);
    await user.type(composer(), '/compact');
    await screen.findByRole('option', { name: /compact/ });
    await user.keyboard('{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{}, { text: '/compact' }]);
  });

  test('arrows and Tab choose, Escape closes and keeps the text, and nothing is recalled meanwhile', async () => {
    const { user } = await openPage(idle());
    await user.type(composer(), '/');
    await screen.findByRole('option', { name: /\/review/ });
    await user.keyboard('{ArrowDown}{Tab}');
    expect(composer()).toHaveValue('/compact ');
    await user.clear(composer());
    await user.type(composer(), '/r');
    await screen.findByRole('option', { name: /\/review/ });
    await user.keyboard('{Escape}');
    expect(rows()).toEqual([]);
    expect(composer()).toHaveValue('/r');
    await user.keyboard('e');
    await settle();
    expect(rows()).toEqual([]);
  });

  test('one of the window’s own does what it says, and takes its word out of the message', async () => {
    const { user } = await openPage(idle());
    await user.type(composer(), '/rename');
    await screen.findByRole('option', { name: /Rename/ });
    await user.keyboard('{Tab}');
    await settle();
    expect(composer()).toHaveValue('');
    expect(document.querySelector('[data-rename]')).toHaveFocus();
  });

  test('a command never closes a question', async () => {
    const bridge = idle({ state: { state: 'working' } });
    bridge.snapshot = { ...bridge.snapshot, requests: [aRequest()] };
    const { user } = await openPage(bridge);
    await settle();
    await user.type(composer(), '/context{Enter}');
    await waitFor(() => expect(bridge.sent('queue_message')).toMatchObject([{ text: '/context' }]));
    expect(bridge.sent('send_message')).toEqual([]);
  });
});

describe('files', () => {
  test('case_121 an at sign lists files, and a chosen folder goes on with what is in it', async () => {
    const bridge = idle().on('find_files', ({ query }) => ({
      paths: query === '' ? ['src/', 'my notes.txt'] : ['src/main.rs'],
      isCut: false,
      isReading: false,
    }));
    const { user } = await openPage(bridge);
    await user.type(composer(), 'see @');
    await within(await list('Files and folders')).findByRole('option', { name: 'src/' });
    await user.keyboard('{Enter}');
    expect(composer()).toHaveValue('see @src/');
    await screen.findByRole('option', { name: /main.rs/ });
    await user.keyboard('{Enter}');
    expect(composer()).toHaveValue('see @src/main.rs ');
    expect(bridge.sent('find_files').map(({ query }) => query)).toEqual(['', 'src/']);
  });

  test('an answer that comes late replaces no newer one', async () => {
    const answers: ((paths: string[]) => void)[] = [];
    const bridge = idle().on(
      'find_files',
      () => new Promise((resolve) => answers.push((paths) => resolve({ paths, isCut: false, isReading: false }))),
    );
    const { user } = await openPage(bridge);
    await user.type(composer(), '@ab');
    await waitFor(() => expect(answers).toHaveLength(3));
    answers[2]!(['new']);
    await screen.findByRole('option', { name: 'new' });
    answers[1]!(['old']);
    await settle();
    expect(rows()).toEqual(['new']);
  });

  test('case_150 while a folder is read the list says so and grows, and the chosen row stays chosen', async () => {
    const answers = [
      { paths: ['b'], isReading: true },
      { paths: ['a', 'b', 'c'], isReading: true },
      { paths: ['a', 'b'], isReading: false },
    ];
    const bridge = idle().on('find_files', () => ({ isCut: false, ...(answers.shift() ?? { paths: [], isReading: false }) }));
    const { user } = await openPage(bridge);
    await user.type(composer(), '@');
    await screen.findByText('Reading the folder…');
    await screen.findByRole('option', { name: 'c' });
    expect(screen.getByRole('option', { name: 'b' })).toHaveAttribute('aria-selected', 'true');
    await waitFor(() => expect(screen.queryByText('Reading the folder…')).toBeNull());
    expect(rows()).toEqual(['a', 'b']);
    expect(answers).toEqual([]);
  });

  test('a folder that can’t be read says so, and what was typed stays', async () => {
    const { user } = await openPage(idle().fail('find_files', { code: 'folder_missing', message: 'The folder does not exist.' }));
    await user.type(composer(), '@a');
    await screen.findByRole('alert');
    expect(composer()).toHaveValue('@a');
  });
});

test.each([
  [codex, true, 'Run'],
  [claudeCode, false, 'Send'],
])('an exclamation mark runs a command only where the agent has a shell, and the composer says so: $name', async (agent, runs, name) => {
  const bridge = idle(of(agent));
  bridge.snapshot.agents = [agent];
  const { user } = await openPage(bridge);
  await user.type(composer(), '!git status');
  expect(screen.queryByText(/Runs in a shell/) !== null).toBe(runs);
  expect(screen.getByRole('button', { name })).toBeEnabled();
  await user.clear(composer());
  expect(screen.queryByText(/Runs in a shell/)).toBeNull();
});
