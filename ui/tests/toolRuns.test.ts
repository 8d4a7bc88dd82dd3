import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { changesOf } from '../src/entities/tool/changes';
import { rowsOf, wordsOfRun } from '../src/feature/transcript/rows';
import type { Entry, EntryBody, ToolKind, ToolStatus } from '../src/generated/wire';
import { anEntry, aTool } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage } from './open';

type Tool = Extract<EntryBody, { kind: 'tool' }>;

const call = (n: number, toolKind: ToolKind, summary: string, status: ToolStatus = 'done', changes: Partial<Tool> = {}): Entry =>
  anEntry(n, aTool({ toolUse: `t${n}`, name: 'Tool', toolKind, summary, status, ...changes }));

const says = (n: number, text: string) => anEntry(n, { kind: 'agent', text });

async function show(...entries: Entry[]) {
  const bridge = new FakeBridge();
  bridge.entries['s1'] = entries;
  return openPage(bridge);
}

const transcript = () => within(screen.getByRole('region', { name: 'Transcript of api' }));
const run = (words: RegExp | string) => transcript().getByText(words);

const looked = [call(1, 'read', 'a.ts'), call(2, 'read', 'b.ts'), call(3, 'read', 'a.ts'), call(4, 'execute', 'npm test')];

describe('consecutive tool calls', () => {
  test('are one line that says what they did, and unfolds to the single calls', async () => {
    const { user } = await show(...looked, says(5, 'Done.'));
    expect(transcript().queryByText('npm test')).toBeNull();
    expect(screen.getAllByRole('article')).toHaveLength(2);
    await user.click(run('Read 2 files, ran 1 command'));
    expect(transcript().getByText('npm test')).toBeVisible();
    expect(transcript().getAllByText('a.ts')).toHaveLength(2);
  });

  test('case 126: an image in a result is shown as a picture, and not folded away', async () => {
    const image = 'a'.repeat(64);
    const images = [{ image, format: 'png', bytes: 70 } as const];
    await show(...looked, call(5, 'read', 'shot.png', 'done', { output: '', images }), call(6, 'read', 'c.ts'));
    const picture = transcript().getByRole('img', { name: 'Image 1 of the output' });
    expect(picture).toHaveAttribute('src', `kept-image://localhost/s1.${image}`);
    expect(transcript().queryByText('Output')).toBeNull();
    await fireEvent.error(picture);
    expect(transcript().getByText(/^The image can’t be displayed/)).toBeVisible();
  });

  const rows = (...entries: Entry[]) => rowsOf(entries).map(({ n, last }) => [n, last]);

  test.each(['failed', 'awaiting_permission', 'running', 'pending'] as const)('never hide a call that is %s', (status) => {
    const stands = call(5, 'execute', 'rm -r build', status);
    expect(rows(...looked, stands, call(6, 'read', 'c.ts'), call(7, 'read', 'd.ts'))).toEqual([
      [1, 4],
      [5, 5],
      [6, 7],
    ]);
  });

  test('never hide a list of tasks or a plan, and no single call beside a message', () => {
    const items = [{ text: 'Look', status: 'done' } as const];
    expect(rows(...looked, call(5, 'think', 'tasks', 'done', { detail: { detail: 'todos', items } }))).toEqual([
      [1, 4],
      [5, 5],
    ]);
    expect(rowsOf([call(1, 'read', 'a.ts'), says(2, 'Hm.'), call(3, 'read', 'b.ts')]).map(({ run }) => run)).toEqual([[], [], []]);
  });

  test('a running call joins the run once it is done', async () => {
    const { bridge } = await show(...looked, call(5, 'execute', 'npm run lint', 'running'));
    expect(transcript().getByText('npm run lint')).toBeVisible();
    await bridge.push({ change: 'entry', session: 's1', entry: call(5, 'execute', 'npm run lint') });
    expect(run('Read 2 files, ran 2 commands')).toBeVisible();
    expect(transcript().queryByText('npm run lint')).toBeNull();
  });

  test('stay unfolded while the run grows', async () => {
    const { bridge, user } = await show(...looked);
    await user.click(run('Read 2 files, ran 1 command'));
    await bridge.push({ change: 'entry', session: 's1', entry: call(5, 'fetch', 'https://example.org') });
    expect(run('Read 2 files, ran 1 command, fetched 1 page')).toBeVisible();
    expect(transcript().getByText('https://example.org')).toBeVisible();
  });

  test('show the changed lines and how long they took', async () => {
    const edit = (n: number, diff: string) => call(n, 'edit', `f${n}.ts`, 'done', { detail: { detail: 'edit', path: `f${n}.ts`, diff } });
    const [first, second] = [edit(1, '@@ -1,1 +1,2 @@\n-a\n+b\n+c\n'), edit(2, '@@ -1,1 +1,1 @@\n-a\n+b\n')];
    await show({ ...first, at: 1_000 }, { ...second, at: 9_000 }, { ...says(3, 'Done.'), at: 42_000 });
    const line = run('Edited 2 files').closest('article');
    expect(line).toHaveTextContent('3 lines added, 2 lines removed');
    expect(line).toHaveTextContent('41 s');
  });
});

test('every kind of tool has words, and a file counts once', () => {
  const kinds: ToolKind[] = ['read', 'edit', 'execute', 'search', 'fetch', 'think', 'other'];
  const [row] = rowsOf([...kinds.map((kind, index) => call(index + 1, kind, kind)), call(8, 'read', 'read')]);
  expect(wordsOfRun(row?.run ?? [])).toBe('Read 1 file, edited 1 file, ran 1 command, ran 1 search, fetched 1 page, used 2 tools');
});

test.each([
  ['', 0],
  ['\n', 1],
  ['a', 1],
  ['a\n', 1],
  ['a\n\nb', 3],
])('writing the file %j adds %i lines', (content, added) => {
  expect(changesOf({ detail: 'write', path: 'a.txt', content })).toEqual({ added, removed: 0 });
});

test('while the transcript loads, a placeholder is shown and read out', async () => {
  const bridge = new FakeBridge().on('read_transcript', () => new Promise(() => undefined));
  await openPage(bridge);
  expect(screen.getByText('Loading transcript…')).toHaveAttribute('aria-live', 'polite');
});

describe('the steps of a subagent', () => {
  const step = (n: number, summary: string, status: ToolStatus = 'done', subagent = 'Look around') =>
    call(n, 'execute', summary, status, { name: 'Bash', subagent });

  test('case 125: are one line that says how many and what it works at, and unfolds', async () => {
    const launch = call(1, 'think', 'Look around', 'done', { name: 'Agent' });
    const { user } = await show(launch, step(2, 'ls'), step(3, 'cat a.ts', 'failed'), step(4, 'npm test', 'running'));
    expect(screen.getAllByRole('article')).toHaveLength(2);
    expect(run('Subagent “Look around”: 3 steps')).toBeVisible();
    expect(transcript().getByText('Bash npm test')).toBeVisible();
    expect(transcript().queryByText('cat a.ts')).toBeNull();
    await user.click(run('Subagent “Look around”: 3 steps'));
    expect(transcript().getByText('cat a.ts')).toBeVisible();
  });

  test('do not mix with the calls of the agent itself; several subagents at once share a line', () => {
    const entries = [call(1, 'read', 'a.ts'), step(2, 'ls'), step(3, 'pwd', 'done', 'Write tests'), step(4, 'id'), call(5, 'read', 'b.ts')];
    const rows = rowsOf(entries);
    expect(rows.map(({ n, last }) => [n, last])).toEqual([
      [1, 1],
      [2, 4],
      [5, 5],
    ]);
    expect(wordsOfRun(rows[1]?.run ?? [])).toBe('Subagent “Look around”: 2 steps, Subagent “Write tests”: 1 step');
  });
});
