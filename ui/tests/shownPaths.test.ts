import { expect, test } from 'vitest';

import type { EntryBody, ToolDetail } from '../src/generated/wire';
import { pathWithin } from '../src/shared/shortPath';
import { cutPath, cutText } from '../src/shared/text';
import { nameOfApproval, wordsOfAskIn } from '../src/entities/approval/approvalWords';
import { anApproval, anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage } from './open';

test('a path is relative to the folder that contains it, and else begins at the home folder', () => {
  const shown = (path: string, ...folders: string[]) => pathWithin(path, folders, '/home/ada');
  expect(shown('/home/ada/api/src/main.rs', '/home/ada/api')).toBe('src/main.rs');
  expect(shown('/home/ada/trees/x/src/main.rs', '/home/ada/api', '/home/ada/trees/x')).toBe('src/main.rs');
  expect(shown('/home/ada/api-old/main.rs', '/home/ada/api', '')).toBe('~/api-old/main.rs');
  expect(shown('/home/ada/api', '/home/ada/api')).toBe('~/api');
  expect(shown('/etc/hosts', '/')).toBe('etc/hosts');
  expect(shown('C:\\work\\api\\main.rs', 'C:\\work\\api')).toBe('main.rs');
  expect(shown('src/main.rs', '/home/ada/api')).toBe('src/main.rs');
});

test('a path that is cut keeps its end, and a text its beginning, both without splitting a letter', () => {
  const family = '👨‍👩‍👧';
  expect(cutPath('a/b/main.rs', 7)).toBe('…main.rs');
  expect(cutPath(`dir/${family}.rs`, 4)).toBe(`…${family}.rs`);
  expect(cutPath(family.repeat(3), 3)).toBe(family.repeat(3));
  expect(cutText(family.repeat(3), 3)).toBe(family.repeat(3));
  expect(cutText(family.repeat(3), 2)).toBe(`${family.repeat(2)}…`);
  expect(cutText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301e\u0301…');
});

test('a permission request is named by its tool with its file or address, on one line', () => {
  const named = (subject: ToolDetail, title: string) => nameOfApproval(anApproval({ title, subject }));
  expect(named({ detail: 'write', path: '/srv/api/new\nline.txt', content: '' }, 'Write')).toBe('Write new⏎line.txt');
  expect(named({ detail: 'edit', path: 'C:\\api\\main.rs', diff: '+x' }, 'Edit')).toBe('Edit main.rs');
  expect(named({ detail: 'network', target: 'example.com:443' }, 'Fetch')).toBe('Fetch example.com:443');
  expect(pathWithin('/srv/api/new\nline.txt', ['/srv/api'], null)).toBe('new⏎line.txt');
});

test('the inbox keeps the file name of a very long path', () => {
  const path = `/srv/${'deep/'.repeat(80)}main.rs`;
  const subject = { detail: 'edit', path, diff: '+x' } as const;
  expect(wordsOfAskIn(anApproval({ subject }), null)).toContain('deep/main.rs');
});

test('a call in a worktree shows the path within it, and the whole path as its tooltip', async () => {
  const worktree = { repository: '/home/ada/api', path: '/home/ada/trees/x', branch: 'x', base: 'main' };
  const path = '/home/ada/trees/x/src/very/deep/main.rs';
  const bridge = new FakeBridge({ sessions: [aSession({ folder: '/home/ada/api', worktree, state: { state: 'idle' } })] });
  const body = { kind: 'tool', name: 'Edit', toolKind: 'edit', summary: path, detail: { detail: 'edit', path, diff: '+x' } };
  bridge.entries['s1'] = [anEntry(1, { ...body, status: 'done', output: null } as unknown as EntryBody)];
  await openPage(bridge);
  const shown = document.querySelector<HTMLElement>('[data-entry] .path');
  expect(shown).toHaveTextContent(/^src\/very\/deep\/main\.rs$/);
  expect(shown?.title).toBe(path);
  expect(shown?.lastElementChild).toHaveTextContent('/main.rs');
});
