import { visibly } from './visible';

/** A path, with `~` for the home folder. */
export function shortPath(path: string, home: string | null): string {
  return visibly(home !== null && isIn(path, home) ? `~${path.slice(home.length)}` : path);
}

/** The path of a file, relative to the first of the folders that contains it. */
export function pathWithin(path: string, folders: readonly string[], home: string | null): string {
  const folder = folders.find((one) => one !== '' && path.length > one.length + 1 && isIn(path, one));
  return folder === undefined ? shortPath(path, home) : visibly(path.slice(folder.length).replace(/^[\\/]/, ''));
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && (/[\\/]$/.test(folder) || /^[\\/]|^$/.test(path.slice(folder.length)));
}
