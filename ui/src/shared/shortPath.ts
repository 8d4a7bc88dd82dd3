import { visibly } from './visible';

/** A path, with `~` for the home folder. */
export function shortPath(path: string, home: string | null): string {
  const inside = home !== null && path.startsWith(home) && /^[\\/]|^$/.test(path.slice(home.length));
  return visibly(inside ? `~${path.slice(home.length)}` : path);
}
