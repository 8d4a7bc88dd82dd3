import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { split, withDifference } from '../src/feature/changes/colors';
import { differences, rowsOf } from '../src/feature/changes/rows';
import { aChangedFile, aComment, aFileChange, changed, listingOf, orders, ordersChange, same, sharedFiles } from '../src/gallery/changes';
import type { ChangedFiles, FileChange, Request, Session } from '../src/generated/wire';
import type { CommandName } from '../src/platform/bridge';
import { commentMessage } from '../src/store/commentMessage';
import { aRequest, aSession } from '../src/testing/builders';
import { FakeBridge, settle } from '../src/testing/fakeBridge';
import { button, composer, openPage, panel } from './open';

const tree = () => screen.getByRole('tree', { name: 'Changed files' });
const file = (name: string) => within(tree()).getByRole('treeitem', { name: new RegExp(`^${name}(?![/.])`) });
const diff = (path: string) => screen.getByRole('grid', { name: path });
const rows = (path = orders.path) => within(diff(path)).getAllByRole('row');
const texts = (path = orders.path) => rows(path).map((row) => row.textContent.replace(/\s+/g, ' ').trim());

function withFiles(
  listed: ChangedFiles = sharedFiles,
  more: FileChange[] = [],
  session = aSession({ state: { state: 'idle' } }),
): FakeBridge {
  const bridge = new FakeBridge({ sessions: [session], changedFiles: [{ session: 's1', totals: listed.totals }] });
  const known = [ordersChange, ...more];
  return bridge
    .on('list_changes', () => listed)
    .on('read_change', ({ id }) => {
      const file = listed.files.find((one) => one.id === id) ?? orders;
      return known.find((change) => change.file.id === id) ?? aFileChange(file, [changed(['old'], ['new'])]);
    });
}

async function openChanges(bridge = withFiles(), name = 'orders.ts') {
  const opened = await openPage(bridge);
  await opened.user.click(button(/^Changes/));
  if (name !== '') await opened.user.click(file(name));
  return opened;
}

test('the header and the row show how much has changed, and the header leads there and back', async () => {
  const { bridge, store, user } = await openPage(withFiles());
  expect(button(/^Changes: ?128 lines added, 31 lines removed/)).toHaveAttribute('aria-pressed', 'false');
  expect(screen.getByRole('button', { name: /api.*128 lines added/s })).toBeVisible();
  await user.click(button(/^Changes/));
  expect(store.state.navigation.place).toEqual({ at: 'changes', session: 's1' });
  expect(bridge.sent('list_changes').at(-1)).toEqual({ session: 's1' });
  expect(screen.queryByRole('complementary')).toBeNull();
  await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
  expect(composer()).toBeVisible();
  await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
  expect(tree()).toBeVisible();
  await user.click(button(/^Changes/));
  expect(composer()).toHaveFocus();
});

test('the tree shows the files in their folders, which can be closed', async () => {
  const { user } = await openChanges();
  const names = () =>
    within(tree())
      .getAllByRole('treeitem')
      .map((item) => item.textContent.trim().split(/\s/)[0]);
  expect(names()).toEqual(['src', 'auth', 'guard.ts', 'routes', 'orders.ts', 'carts.ts', 'test', 'guard.test.ts']);
  expect(file('orders.ts')).toHaveAttribute('aria-selected', 'true');
  await user.click(file('src'));
  expect(names()).toEqual(['src', 'test', 'guard.test.ts']);
  await user.keyboard('{ArrowRight}{ArrowDown}{ArrowDown}{Enter}');
  expect(file('guard.ts')).toHaveAttribute('aria-selected', 'true');
  expect(diff('src/auth/guard.ts')).toBeVisible();
});

test('a line break in a name is shown, in the side and in the changes', async () => {
  const broken = aChangedFile('a\nfolder/new\nline.txt', { id: 'broken' });
  const { user } = await openPage(withFiles(listingOf([broken])));
  expect(within(panel()).getByTitle('a⏎folder/new⏎line.txt')).toHaveTextContent('a⏎folder/new⏎line.txt');
  await user.click(button(/^Changes:/));
  await user.click(file('new⏎line.txt'));
  expect(file('a⏎folder')).toHaveTextContent('a⏎folder');
  expect(screen.getByRole('heading', { name: 'a⏎folder/new⏎line.txt' })).toBeVisible();
  expect(document.querySelector('main')?.textContent).not.toMatch(/new\s*line\.txt/);
});

test('both sides are shown with line numbers, and unchanged lines are folded', async () => {
  const { user } = await openChanges();
  expect(texts()[1]).toBe('2 +import { customer } from "../auth/guard";');
  expect(texts()).toContain('7 − const id = req.query.customer; 9 + const id = req.customer.id;');
  expect(within(diff(orders.path)).getAllByRole('insertion').length).toBeGreaterThan(5);
  const count = rows().length;
  await user.click(button('15 unchanged lines'));
  expect(rows()).toHaveLength(count + 14);
  await user.click(button('Unified'));
  expect(texts()).toContain('7 − const id = req.query.customer;');
  expect(texts()).toContain('9 + const id = req.customer.id;');
});

test('case_83 the file opens in the editor at the current line, if it is still there and its name can be passed on', async () => {
  const deleted = aChangedFile('gone.ts', { kind: 'deleted' });
  const unnamed = aChangedFile('caf\uFFFD.ts', { id: 'caf%E9.ts' });
  const { bridge, user } = await openChanges(withFiles(listingOf([orders, deleted, unnamed])));
  await user.click(button('Open file in editor'));
  await user.keyboard('jjje');
  const opened = { session: 's1', program: 'vscode', path: orders.path };
  expect(bridge.sent('open_in')).toMatchObject([
    { ...opened, line: 1 },
    { ...opened, line: 9 },
  ]);
  for (const name of ['gone.ts', 'caf\uFFFD.ts']) {
    await user.click(file(name));
    expect(screen.queryByRole('button', { name: 'Open file in editor' })).toBeNull();
    await user.keyboard('e');
  }
  expect(bridge.sent('open_in')).toHaveLength(2);
});

test('keys move between changes and on to the next file, and mark it as viewed', async () => {
  const { store, user } = await openChanges();
  const focused = () => document.activeElement?.textContent.replace(/\s+/g, ' ').trim();
  await user.keyboard('j');
  expect(focused()).toContain('import { customer }');
  await user.keyboard('jjj');
  expect(focused()).toContain('items?.length');
  await user.keyboard('k');
  expect(focused()).toContain('req.query.customer');
  await user.keyboard('{ArrowDown}v');
  expect(focused()).toContain('id, limit');
  expect(screen.getByRole('checkbox', { name: 'Viewed' })).toBeChecked();
  expect(screen.getByText('1 of 4 viewed')).toBeVisible();
  await user.keyboard('jjj');
  expect(diff('src/routes/carts.ts')).toContainElement(document.activeElement as HTMLElement);
  expect(store.state.changes['s1']?.picked).toBe('src/routes/carts.ts');
  await user.keyboard('{Escape}');
  expect(composer()).toHaveFocus();
});

test('a viewed mark goes once the file changes again', async () => {
  const { bridge, user } = await openChanges();
  await user.click(screen.getByRole('checkbox', { name: 'Viewed' }));
  const again = listingOf(
    sharedFiles.files.map((one) => ({ ...one, version: `${one.version}-again` })),
    { totals: { ...sharedFiles.totals, state: 99 } },
  );
  bridge
    .on('list_changes', () => again)
    .on('read_change', () => ({ ...ordersChange, file: { ...orders, version: `${orders.version}-again` } }));
  await bridge.push({ change: 'files_changed', session: 's1', totals: again.totals });
  await settle();
  expect(screen.getByRole('checkbox', { name: 'Viewed' })).not.toBeChecked();
  expect(bridge.sent('read_change').at(-1)).toMatchObject({ version: `${orders.version}-again` });
});

describe('comments', () => {
  const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Comment: / });

  test('case_83_a_comment_on_a_line_reaches_the_agent_with_its_file_and_line', async () => {
    const { bridge, user } = await openChanges();
    await user.keyboard('jjj{ArrowDown}c');
    expect(field()).toHaveFocus();
    expect(field()).toHaveAccessibleName('Comment: Line 10');
    await user.keyboard('Read it from the query, capped at 200.{Enter}');
    expect(within(diff(orders.path)).getByText('Read it from the query, capped at 200.')).toBeVisible();
    expect(document.activeElement?.textContent).toContain('id, limit');
    await user.click(button('Comment: Line 7 before the change'));
    await user.keyboard('Why?{Control>}{Enter}{/Control}');
    await user.click(button('Send 2 comments'));
    const text = [
      '2 comments on your changes.',
      'src/routes/orders.ts, line 10:\n>   const page = await orders.list(id, limit);\nRead it from the query, capped at 200.',
      'src/routes/orders.ts, line 7 before your change:\n>   const id = req.query.customer;\nWhy?',
    ].join('\n\n');
    expect(bridge.sent('queue_message')).toMatchObject([{ session: 's1', text, attachments: [] }]);
    expect(screen.queryByRole('button', { name: /comments?$/ })).toBeNull();
    expect(screen.queryByText('Why?')).toBeNull();
  });

  test('each can be sent alone, edited and removed, and Cancel gives up what was typed', async () => {
    const { bridge, user } = await openChanges();
    await user.keyboard('jcFirst{Enter}');
    await user.keyboard('jcSecond{Enter}');
    await user.click(button('Edit comment: Line 2'));
    await settle();
    await user.clear(field());
    await user.type(field(), 'gone');
    await user.click(button('Cancel'));
    expect(screen.getByText('First')).toBeVisible();
    await user.click(button('Send this comment: Line 2'));
    expect(bridge.sent('queue_message')).toMatchObject([{ text: expect.stringMatching(/^A comment .*line 2:.*First$/s) as string }]);
    await user.click(button('Remove comment: Line 6'));
    expect(screen.queryByRole('button', { name: /Send/ })).toBeNull();
  });

  test('they survive a reload, added or not, and closing the session warns of them', async () => {
    const first = await openChanges();
    await first.user.keyboard('jcKept{Enter}');
    await first.user.keyboard('jcHalf');
    window.dispatchEvent(new Event('pagehide'));
    first.unmount();
    const { store, user } = await openChanges();
    expect(screen.getByText('Kept')).toBeVisible();
    expect(field()).toHaveValue('Half');
    expect(store.state.comments['s1']).toHaveLength(2);
    await user.click(button(/^Changes/));
    await user.click(button('Actions for api'));
    await user.click(screen.getByRole('menuitem', { name: /^Close session/ }));
    expect(screen.getByRole('alertdialog')).toBeVisible();
  });

  const ended = { state: 'ended', end: { end: 'finished' }, at: 1 } as const;

  test.each<[string, Partial<Session>, Request[], string, CommandName | null]>([
    ['are queued while a question is open, which stays open', {}, [aRequest()], 'Queue 1 comment', 'queue_message'],
    ['resume an ended session', { state: ended, resumable: true }, [], 'Send 1 comment', 'send_message'],
    ['stay if the session can’t be resumed', { state: ended }, [], 'Send 1 comment', null],
  ])('%s', async (_, session, requests, name, command) => {
    const bridge = withFiles(sharedFiles, [], aSession(session));
    bridge.snapshot.requests = requests;
    const { user } = await openChanges(bridge);
    await user.keyboard('jcGo on{Enter}');
    expect(button(name).matches(':enabled')).toBe(command !== null);
    await user.click(button(name));
    const sent = bridge.calls.map((call) => call.command).filter((one) => one === 'queue_message' || one === 'send_message');
    expect(sent).toEqual(command ? [command] : []);
  });

  test('their keys work on after they were sent and their button has gone', async () => {
    const { user } = await openChanges(withFiles());
    await user.keyboard('jcGo on{Enter}');
    await user.click(button(/^(Send|Queue) 1 comment/));
    await settle();
    await waitFor(() => expect(document.body).toHaveFocus());
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('region', { name: /^Changes/ })).toBeNull();
  });

  test('a refused message keeps its comments', async () => {
    const { user } = await openChanges(withFiles().fail('queue_message', { code: 'closing', message: 'no' }));
    await user.keyboard('jcStays{Enter}');
    await user.click(button('Send 1 comment'));
    expect(screen.getByRole('alert')).toBeVisible();
    expect(screen.getByText('Stays')).toBeVisible();
  });

  test('a long line is quoted by its beginning', () => {
    const text = commentMessage([aComment({ text: 'Split it.', quote: 'x'.repeat(500) })]);
    expect(text.length).toBeLessThan(320);
  });
});

describe('reverting', () => {
  test('a file is reverted only after a question, in the version that was shown, and a refusal says why', async () => {
    const { bridge, user } = await openChanges();
    await user.click(button('Revert file…'));
    const dialog = screen.getByRole('alertdialog', { name: 'Revert src/routes/orders.ts?' });
    expect(dialog).toHaveTextContent('Restores the file to its state when the session began.');
    expect(button('Cancel')).toHaveFocus();
    await user.keyboard('{Escape}');
    expect(bridge.sent('revert_change')).toEqual([]);
    await user.click(button('Revert file…'));
    const { length } = bridge.sent('list_changes');
    await user.click(button('Revert'));
    expect(bridge.sent('revert_change')).toMatchObject([{ session: 's1', id: orders.id, version: orders.version, part: null }]);
    expect(bridge.sent('list_changes')).toHaveLength(length + 1);
    bridge.fail('revert_change', { code: 'not_reverted', detail: { detail: 'not_reverted', why: { refused: 'changed_since' } } });
    await user.click(button('Revert file…'));
    await user.click(button('Revert'));
    expect(screen.getByRole('alert')).toHaveTextContent('Nothing was reverted: the file has changed since it was shown.');
  });

  test('one change is reverted with the lines it had', async () => {
    const { bridge, user } = await openChanges();
    await user.click(screen.getAllByRole('button', { name: 'Revert this change…' })[2] as HTMLElement);
    expect(screen.getByRole('alertdialog')).toHaveTextContent('Removes 2 added lines. Restores 2 removed lines.');
    await user.click(button('Revert'));
    expect(bridge.sent('revert_change')).toMatchObject([{ part: { part: 5, removed: 2, added: 2 } }]);
  });
});

test('what can’t be shown is said in words', async () => {
  const binary = aChangedFile('logo.png', { content: 'binary', added: null, removed: null });
  const large = aChangedFile('data.csv', { content: 'too_large', added: null, removed: null });
  const side = (bytes: number) => ({ bytes, commit: null });
  const listed = listingOf([large, binary], { unlisted: 7, unreadable: 1 });
  const { user } = await openChanges(
    withFiles(listed, [aFileChange(binary, [], { before: side(2048), now: side(4096) }), aFileChange(large, [])]),
    'logo.png',
  );
  expect(screen.getByText('This file is binary.')).toBeVisible();
  expect(screen.getByText('Now: 4 kB')).toBeVisible();
  expect(screen.getByText('7 more files aren’t listed')).toBeVisible();
  expect(screen.getByText('1 file can’t be read')).toBeVisible();
  await user.click(file('data.csv'));
  expect(screen.getByText(/too large to show/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Revert file…' })).toBeNull();
});

test('what isn’t recorded is named, also where nothing has changed and only the palette leads there', async () => {
  const unrecorded: ChangedFiles['unrecorded'] = [
    { why: 'over_budget', files: 300, paths: ['data/001.bin', 'data/002.bin'] },
    { why: 'lfs', files: 1, paths: ['art/logo.psd'] },
  ];
  const { user } = await openPage(new FakeBridge().on('list_changes', () => listingOf([], { unrecorded })));
  expect(screen.queryByRole('button', { name: /^Changes/ })).toBeNull();
  await user.keyboard('{Control>}k{/Control}');
  await user.type(screen.getByRole('combobox'), 'show changes{Enter}');
  expect(screen.getByText('No changes')).toBeVisible();
  await user.click(screen.getByText(/^300 files aren’t recorded/));
  expect(screen.getByText('data/002.bin')).toBeVisible();
  expect(screen.getByText('and 298 more')).toBeVisible();
  expect(screen.getByText('1 file of Git LFS isn’t recorded')).toBeVisible();
});

test('a repository that git refuses is named, with the command that allows it', async () => {
  await openChanges(withFiles(listingOf([orders], { repositoryOfOther: "/srv/Ada's shop" })));
  expect(screen.getByText(/belongs to another user/)).toHaveTextContent(
    `To allow it, run: git config --global --add safe.directory '/srv/Ada'\\''s shop'`,
  );
});

test('if the changes can’t be listed, the reason and a way to try again are shown', async () => {
  const bridge = withFiles().fail('list_changes', {
    code: 'changes_unavailable',
    detail: { detail: 'changes', why: { unavailable: 'no_git' } },
  });
  const { user } = await openChanges(bridge, '');
  expect(screen.getByRole('alert')).toHaveTextContent('Askdesk needs Git to show changes.');
  bridge.on('list_changes', () => sharedFiles);
  await user.click(button('Refresh changes'));
  expect(tree()).toBeVisible();
});

describe('rows', () => {
  test('what differs between two lines ends at words', () => {
    expect(differences('const id = query.id;', 'const id = customer.id;')).toEqual([
      [11, 16],
      [11, 19],
    ]);
    expect(differences('list(id);', 'list(id, limit);')).toEqual([
      [7, 7],
      [7, 14],
    ]);
    expect(differences('one thing', 'entirely other words')).toBeNull();
  });

  test('colors and differences cut a line at the same places', () => {
    const lines = split([
      { kind: 'keyword', text: 'let' },
      { kind: 'plain', text: ' a\nb' },
    ]);
    expect(lines).toEqual([
      [
        { kind: 'keyword', text: 'let' },
        { kind: 'plain', text: ' a' },
      ],
      [{ kind: 'plain', text: 'b' }],
    ]);
    expect(withDifference(lines[0] ?? [], [1, 5]).map(({ text, differs }) => [text, differs])).toEqual([
      ['l', false],
      ['et', true],
      [' a', true],
    ]);
  });

  test('a commented line is never folded away', () => {
    const parts = [same(...Array.from({ length: 50 }, (_, n) => `${n}`)), changed([], ['x'])];
    const comment = aComment({ line: 20, draft: null, text: 'Here' });
    expect(rowsOf(parts, 'split', new Set(), []).some(({ row }) => row === 'fold')).toBe(true);
    expect(rowsOf(parts, 'split', new Set(), [comment]).filter(({ row }) => row === 'comment')).toHaveLength(1);
  });
});
