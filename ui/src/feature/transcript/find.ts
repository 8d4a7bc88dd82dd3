import type { Entry } from '../../generated/wire';
import { fold } from '../../shared/fold';
import { shownTool } from '../../entities/tool/toolName';

/** One place in the transcript where the phrase is. */
export interface Match {
  /** The entry. */
  n: number;
  /** How many matches come before it in that entry. */
  at: number;
}

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

/** Finds the words next to each other in a folded text, as they were typed or quoted; null without a word. */
export function phraseOf(asked: string): RegExp | null {
  const words = fold(asked.trim().replace(/^["“„«](.+)["”“»]$/u, '$1')).split(/\s+/);
  const escaped = words.filter((word) => word !== '').map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return escaped.length === 0 ? null : new RegExp(escaped.join('\\s+'), 'g');
}

/** Every match, oldest first. */
export function found(entries: readonly Entry[], asked: string): Match[] {
  const phrase = phraseOf(asked);
  if (!phrase) return [];
  return entries.flatMap((entry) => [...fold(textOf(entry)).matchAll(phrase)].map((_, at) => ({ n: entry.n, at })));
}

function order(a: Match, b: Match): number {
  return a.n - b.n || a.at - b.at;
}

/** The place of a match among all; -1 if it is not among them. */
export function placeOf(found: readonly Match[], one: Match | null): number {
  return one === null ? -1 : found.findIndex((match) => order(match, one) === 0);
}

/** The next match in a direction, after the last one from the other end; null if nothing was found. */
export function nextOf(found: readonly Match[], from: Match | null, step: 1 | -1): Match | null {
  if (from === null) return found.at(-1) ?? null;
  if (step > 0) return found.find((match) => order(match, from) > 0) ?? found[0] ?? null;
  return found.findLast((match) => order(match, from) < 0) ?? found.at(-1) ?? null;
}
