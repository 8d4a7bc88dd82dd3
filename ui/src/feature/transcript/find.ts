import type { Entry } from '../../generated/wire';
import { contains } from '../../shared/match';
import { shownTool } from '../../entities/tool/toolName';

/** The text of an entry that a user can look for; empty for entries without text of their own. */
function textOf({ body }: Entry): string {
  switch (body.kind) {
    case 'user':
    case 'agent':
    case 'thinking':
      return body.text;
    case 'tool':
      return `${shownTool(body.name)} ${body.summary}`;
    default:
      return '';
  }
}

/** The numbers of the entries in which every word is found, oldest first. */
export function found(entries: readonly Entry[], asked: string): number[] {
  if (asked.trim() === '') return [];
  return entries.filter((entry) => contains(textOf(entry), asked)).map(({ n }) => n);
}

/** The next of the found entries in a direction, after the last one from the other end; null if nothing was found. */
export function nextOf(found: readonly number[], from: number | null, step: 1 | -1): number | null {
  if (from === null) return found.at(-1) ?? null;
  if (step > 0) return found.find((n) => n > from) ?? found[0] ?? null;
  return found.findLast((n) => n < from) ?? found.at(-1) ?? null;
}
