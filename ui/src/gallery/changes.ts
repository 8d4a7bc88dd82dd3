import type { ChangedFile, ChangedFiles, DiffPart, FileChange } from '../generated/wire';
import type { LineComment } from '../store/parts/changes';
import type { Store } from '../store/store.svelte';
import { type FakeBridge, settle } from '../testing/fakeBridge';

export function aChangedFile(path: string, changes: Partial<ChangedFile> = {}): ChangedFile {
  return { id: path, path, oldPath: null, kind: 'modified', content: 'text', added: 1, removed: 1, version: `${path}-1`, ...changes };
}

/** A listing of these files, with their sums. */
export function listingOf(files: ChangedFile[], changes: Partial<ChangedFiles> = {}): ChangedFiles {
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  const totals = { files: files.length, added: sum('added'), removed: sum('removed'), state: files.length };
  return { files, totals, unlisted: 0, unreadable: 0, unrecorded: [], repositoryOfOther: null, ...changes };
}

export function aFileChange(file: ChangedFile, parts: DiffPart[], changes: Partial<FileChange> = {}): FileChange {
  return { file, parts, lossy: false, cut: false, unfinishedBefore: false, unfinishedNow: false, before: null, now: null, ...changes };
}

export const same = (...lines: string[]): DiffPart => ({ part: 'same', lines });
export const changed = (removed: string[], added: string[]): DiffPart => ({ part: 'changed', removed, added });

export const orders = aChangedFile('src/routes/orders.ts', { added: 31, removed: 12 });
export const sharedFiles = listingOf([
  aChangedFile('src/auth/guard.ts', { kind: 'added', added: 58, removed: 0 }),
  orders,
  aChangedFile('src/routes/carts.ts', { added: 24, removed: 11 }),
  aChangedFile('test/guard.test.ts', { added: 15, removed: 8 }),
]);

/** Code that nobody changed. */
const untouched = Array.from({ length: 18 }, (_, n) => (n % 3 === 2 ? '' : `// Route ${n + 1}`));

export const ordersChange = aFileChange(orders, [
  same('import { Router } from "express";'),
  changed([], ['import { customer } from "../auth/guard";']),
  same('import * as orders from "../store/orders";', '', 'export const routes = Router();'),
  changed([], ['routes.use(customer());']),
  same('', 'routes.get("/orders", async (req, res) => {'),
  changed(
    ['  const id = req.query.customer;', '  const page = await orders.list(id);'],
    ['  const id = req.customer.id;', '  const page = await orders.list(id, limit);'],
  ),
  same('  res.json(page);', '});', ...untouched, 'routes.post("/orders", async (req, res) => {'),
  changed(['  if (!req.body.customer) {'], ['  if (!req.body.items?.length) {']),
  same('    return res.status(400).end();', '  }'),
  changed(
    ['  const order = await orders.create(req.body);'],
    ['  const order = await orders.create({', '    ...req.body,', '    customer: req.customer.id,', '  });'],
  ),
  same('  res.status(201).json(order);', '});', ''),
]);

export function aComment(changes: Partial<LineComment> = {}): LineComment {
  return {
    id: 'c1',
    file: orders.id,
    path: orders.path,
    side: 'now',
    line: 10,
    quote: '  const page = await orders.list(id, limit);',
    text: '',
    draft: 'Read it from the query, capped at 200.',
    ...changes,
  };
}

/** The changes of one of ten sessions. */
export function withChanges(bridge: FakeBridge): FakeBridge {
  bridge.snapshot.changedFiles = [
    { session: 't2', totals: sharedFiles.totals },
    { session: 't6', totals: { files: 4, added: 212, removed: 40, state: 1 } },
  ];
  return bridge
    .on('list_changes', () => sharedFiles)
    .on('read_change', ({ id }) =>
      id === orders.id ? ordersChange : aFileChange(sharedFiles.files.find((file) => file.id === id) ?? orders, [changed(['a'], ['b'])]),
    );
}

const saved = aComment({
  id: 'c2',
  line: 31,
  quote: '  const order = await orders.create({',
  text: 'Validate the items before this, so a bad order never reaches the store.',
  draft: null,
});

/** Opens the changes of the session in view, with two comments and two viewed files. */
export async function showChanges(store: Store): Promise<void> {
  const session = 't2';
  store.dispatch({ type: 'changes_opened', session });
  store.dispatch({ type: 'change_picked', session, file: orders.id });
  store.dispatch({ type: 'comment_begun', session, comment: aComment() });
  store.dispatch({ type: 'comment_begun', session, comment: saved });
  for (const file of [sharedFiles.files[0], sharedFiles.files[3]]) {
    if (file) store.dispatch({ type: 'change_viewed', session, file, viewed: true });
  }
  await settle();
}
