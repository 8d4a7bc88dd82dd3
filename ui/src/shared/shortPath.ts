import { visibly } from './visible';

/** A path or a file's name; also with a line break in it, it stays on one line. */
export function visiblePath(path: string): string {
  return visibly(path.replace(/\r\n|\r|\n/g, '⏎'));
}

/** The last part of a path. */
export function fileName(path: string): string {
  return visiblePath(path.split(/[\\/]/).findLast((part) => part !== '') ?? path);
}

/** A path, with `~` for the home folder. */
export function shortPath(path: string, home: string | null): string {
  return visiblePath(home !== null && isIn(path, home) ? `~${path.slice(home.length)}` : path);
}

/** The path of a file, relative to the first of the folders that contains it. */
export function pathWithin(path: string, folders: readonly string[], home: string | null): string {
  const folder = folders.find((one) => one !== '' && path.length > one.length + 1 && isIn(path, one));
  return folder === undefined ? shortPath(path, home) : visiblePath(path.slice(folder.length).replace(/^[\\/]/, ''));
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && (/[\\/]$/.test(folder) || /^[\\/]|^$/.test(path.slice(folder.length)));
}
