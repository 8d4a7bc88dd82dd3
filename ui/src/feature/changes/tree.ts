import type { ChangedFile } from '../../generated/wire';

export type TreeRow =
  { row: 'folder'; path: string; name: string; depth: number } | { row: 'file'; file: ChangedFile; name: string; depth: number };

/** The changed files as a tree, folders first opened, without what is in a closed folder. Files come in the order of their paths. */
export function treeRows(files: readonly ChangedFile[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  let open: string[] = [];
  for (const file of files) {
    const folders = file.path.split('/');
    const name = folders.pop() ?? file.path;
    const shared = open.findIndex((folder, depth) => folders[depth] !== folder);
    const known = shared < 0 ? Math.min(open.length, folders.length) : shared;
    const pathAt = (depth: number) => folders.slice(0, depth + 1).join('/');
    const isHidden = (depth: number) => folders.slice(0, depth).some((_, at) => closed.has(pathAt(at)));
    for (let depth = known; depth < folders.length; depth += 1) {
      if (!isHidden(depth)) rows.push({ row: 'folder', path: pathAt(depth), name: folders[depth] ?? '', depth });
    }
    open = folders;
    if (!isHidden(folders.length)) rows.push({ row: 'file', file, name, depth: folders.length });
  }
  return rows;
}
