import { afterEach, expect, test } from 'vitest';

import type { ValidationError, Detail, AgentFailure, IgnoredWhy, StorageError, DeliveryError, SettingError } from '../src/generated/wire';
import { wordsOfFailure } from '../src/shared/errors/agentFailureWords';
import { wordsOfError } from '../src/shared/errors/errorWords';
import { wordsOfIgnored } from '../src/shared/errors/settingErrorWords';
import { wordsOfDeliveryError, wordsOfValidationError } from '../src/shared/errors/validationErrorWords';
import { spoken } from '../src/shared/messages/language.svelte';
import { claudeCode } from '../src/testing/agents';
import { anError } from '../src/testing/fakeBridge';

const failures: AgentFailure[] = [
  {
    failure: 'agent_missing',
    agent: 'claude_code',
    program: '«p»',
    tried: [
      { place: 'path_variable', value: '/bin' },
      { place: 'file', path: '/x' },
    ],
    install: null,
  },
  { failure: 'folder_unusable', path: '/gone', problem: { problem: 'missing' } },
  { failure: 'not_started', program: '/x', problem: 'forbidden', error: '«system»' },
  { failure: 'exited', code: 1, signal: null, said: '«said»', next: 'resume' },
  { failure: 'exited', code: null, signal: 9, said: '', next: 'start_anew' },
  { failure: 'interrupt_ignored', seconds: 5, next: 'resume' },
  { failure: 'output_lost', next: 'start_anew' },
  { failure: 'session_unknown' },
  { failure: 'start_refused', why: 'in_background', said: '«said»' },
  { failure: 'desk_failed' },
];
const troubles: StorageError[] = [
  { trouble: 'busy', path: '/d' },
  { trouble: 'full', path: '/d' },
  { trouble: 'damaged', path: '/d', error: '«system»' },
  { trouble: 'stuck', path: '/d', error: '«system»' },
  { trouble: 'too_new', path: '/d', found: 9, known: 8 },
  { trouble: 'other', path: '/d', error: '«system»' },
];
const undelivered: DeliveryError[] = [
  { undelivered: 'input_closed' },
  { undelivered: 'write_failed', error: '«system»' },
  { undelivered: 'not_reading', lines: 64 },
  { undelivered: 'not_awaited' },
  { undelivered: 'may_have_arrived' },
  { undelivered: 'not_running' },
  { undelivered: 'busy' },
  { undelivered: 'closing' },
  { undelivered: 'refused', rule: { validation: 'still_running' } },
  ...troubles.map((trouble): DeliveryError => ({ undelivered: 'not_kept', ...trouble })),
  { undelivered: 'image_gone', name: '«name»' },
];
const validationErrors: ValidationError[] = [
  { validation: 'empty' },
  { validation: 'too_long', most: 32768, bytes: 32769 },
  { validation: 'queue_full', most: 20 },
  { validation: 'question_open' },
  { validation: 'still_running' },
  { validation: 'no_model' },
  { validation: 'no_folder' },
  { validation: 'late_secret' },
  { validation: 'still_open' },
  { validation: 'still_awaited' },
  { validation: 'nothing_answered' },
  { validation: 'note_alone' },
  { validation: 'one_only' },
  { validation: 'no_own_words' },
  { validation: 'no_option' },
  { validation: 'no_plan' },
  { validation: 'other', rule: '«rule»' },
  { validation: 'unfit', flaw: { unfit: 'argument', n: 2, flaw: { extra: 'own_flag', flag: '«p»' } } },
  { validation: 'attached', why: { undelivered: 'not_running' } },
];
const unfits: SettingError[] = [
  { unfit: 'none_of', choices: ['«a»', '«b»'] },
  { unfit: 'not_between', least: 80, most: 200 },
  { unfit: 'no_list' },
  { unfit: 'no_table' },
  { unfit: 'too_many', most: 64, count: 65 },
  { unfit: 'argument', n: 2, flaw: { extra: 'own_flag', flag: '«p»' } },
  { unfit: 'argument', n: 2, flaw: { extra: 'chosen_flag', flag: '«p»' } },
  { unfit: 'argument', n: 2, flaw: { extra: 'too_long', most: 4096, bytes: 4097 } },
  { unfit: 'variable', name: '«A»', flaw: { extra: 'zero' } },
  { unfit: 'no_name', name: '«AB»' },
];
const ignored: IgnoredWhy[] = [
  { why: 'unknown' },
  { why: 'no_value' },
  ...unfits.flatMap((flaw): IgnoredWhy[] => [
    { why: 'unfit', value: '3', flaw },
    { why: 'unfit', value: null, flaw },
  ]),
  { why: 'no_text' },
  { why: 'unparsed', line: 3, column: 1, error: '«reader»' },
  { why: 'unreadable', error: '«system»' },
  { why: 'too_large', bytes: 5_000_000, most: 1_000_000 },
];
const details: [Parameters<typeof anError>[0], Detail][] = [
  ...troubles.map((trouble): [{ code: 'storage' }, Detail] => [{ code: 'storage' }, { detail: 'storage', trouble }]),
  [{ code: 'folder_missing' }, { detail: 'folder', path: '/gone', problem: { problem: 'not_absolute' } }],
  [{ code: 'agent_refused' }, { detail: 'refused', why: { refused: 'unanswered', seconds: 30 } }],
  [{ code: 'unsupported' }, { detail: 'unable', what: 'attaching' }],
  [{ code: 'settings_not_written' }, { detail: 'file', path: '/s', error: '«system»' }],
  [{ code: 'file_not_written' }, { detail: 'file', path: null, error: '«system»' }],
  [{ code: 'invalid' }, { detail: 'validation', error: { validation: 'queue_full', most: 20 } }],
];

const said = (failure: AgentFailure) => wordsOfFailure(failure, [claudeCode]);

/** Every text about an error. */
const all = () => [
  ...failures.map(said),
  ...undelivered.map(wordsOfDeliveryError),
  ...validationErrors.map(wordsOfValidationError),
  ...ignored.map(wordsOfIgnored),
  ...details.map(([code, detail]) => wordsOfError(anError({ message: 'an English message', ...code, detail }))),
];

afterEach(() => spoken.speak('en'));

test('a failure says what was tried and what to do next', () => {
  const [missing, folder, started, exited] = failures.map(said);
  expect(missing).toBe(
    'Askdesk couldn’t find «p». Run `npm install -g @anthropic-ai/claude-code` to install Claude Code, or enter its path under More options.\nSearched: PATH (/bin) and /x',
  );
  expect(folder).toBe('Can’t use the folder /gone: it doesn’t exist. Choose another folder.');
  expect(started).toBe('/x couldn’t start: «system». Make the file executable, then start the session again.');
  expect(exited).toBe('The agent exited unexpectedly (exit code 1).\nLast output:\n«said»\nResume the session to continue.');
});

test('the install command comes from the failure, otherwise from the agent’s descriptor, and is omitted if unknown', () => {
  const missing: AgentFailure = { failure: 'agent_missing', agent: 'wayfarer', program: 'wayfarer', tried: [], install: null };
  const wayfarer = { ...claudeCode, id: 'wayfarer', name: 'Wayfarer', install: 'brew install wayfarer' };
  expect(wordsOfFailure(missing, [claudeCode, wayfarer])).toContain('Run `brew install wayfarer` to install Wayfarer,');
  expect(wordsOfFailure({ ...missing, install: 'apt install wayfarer' }, [wayfarer])).toContain(
    'Run `apt install wayfarer` to install Wayfarer,',
  );
  expect(wordsOfFailure(missing, [{ ...wayfarer, install: null }])).not.toContain('install');
});

test('an agent’s own words are shown unchanged, except for invisible characters', () => {
  expect(wordsOfDeliveryError({ undelivered: 'text', text: 'the pipe\u202e broke' })).toBe('the pipe⟨U+202E⟩ broke');
});

/** Untranslated parts: quotes, paths, commands, and names. */
const quotes = /«\w+»|`[^`]*`|\/\w+|Claude Code|PATH|Askdesk/g;

test('in Chinese, none has English words', async () => {
  await spoken.speak('zh');
  const english = all().filter((words) => /[A-Za-z]{2,}/.test(words.replace(quotes, '').replace(/\b[kMG]?B\b/g, '')));
  expect(english).toEqual([]);
});
