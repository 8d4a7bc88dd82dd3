import type { DiffPart, FileChange, ShownPart } from '../../generated/wire';
import type { DiffForm, LineComment } from '../../store/parts/changes';

/** How many unchanged lines are shown around a change. */
const CONTEXT = 3;
/** The fewest lines that are worth folding. */
const LEAST_FOLDED = 4;

export interface Cell {
  line: number;
  text: string;
  mark: 'same' | 'removed' | 'added';
  /** The part of the line that differs from the line beside it, as a half-open range. */
  differs: readonly [number, number] | null;
}

export type DiffRow =
  | { row: 'lines'; key: string; part: number; before: Cell | null; now: Cell | null }
  | { row: 'fold'; key: string; part: number; count: number }
  | { row: 'comment'; key: string; place: CommentPlace };

/** Where a comment is. Its text is left out, so that typing it doesn't compute the rows again. */
export type CommentPlace = Pick<LineComment, 'id' | 'side' | 'line'>;

/** The rows of a file: all its lines, without the unchanged ones that are folded, and its comments below their lines. */
export function rowsOf(
  parts: readonly DiffPart[],
  form: DiffForm,
  unfolded: ReadonlySet<number>,
  comments: readonly CommentPlace[],
): DiffRow[] {
  const rows: DiffRow[] = [];
  const byLine = new Map<string, CommentPlace[]>();
  for (const place of comments) {
    const at = `${place.side}:${place.line}`;
    byLine.set(at, [...(byLine.get(at) ?? []), place]);
  }
  const commentsAt = (side: CommentPlace['side'], line: number | undefined) =>
    byLine.size === 0 ? [] : (byLine.get(`${side}:${line ?? ''}`) ?? []);
  let [beforeLine, nowLine] = [1, 1];

  function add(part: number, before: Cell | null, now: Cell | null) {
    rows.push({ row: 'lines', key: `${before?.line ?? ''}:${now?.line ?? ''}`, part, before, now });
    for (const place of [...commentsAt('before', before?.line), ...commentsAt('now', now?.line)]) {
      rows.push({ row: 'comment', key: place.id, place });
    }
  }

  parts.forEach((part, index) => {
    if (part.part === 'same') {
      const head = index === 0 ? 0 : CONTEXT;
      const tail = index === parts.length - 1 ? 0 : CONTEXT;
      const folded = part.lines.length - head - tail;
      const isFolded =
        folded >= LEAST_FOLDED && !unfolded.has(index) && !isCommented(comments, beforeLine, nowLine, part.lines.length, head, tail);
      for (const [at, text] of part.lines.entries()) {
        if (isFolded && at === head) rows.push({ row: 'fold', key: `fold:${index}`, part: index, count: folded });
        if (isFolded && at >= head && at < head + folded) continue;
        const cell = { text, mark: 'same', differs: null } as const;
        add(index, { ...cell, line: beforeLine + at }, { ...cell, line: nowLine + at });
      }
      beforeLine += part.lines.length;
      nowLine += part.lines.length;
      return;
    }
    const pairs = Math.min(part.removed.length, part.added.length);
    const differing = part.removed.slice(0, pairs).map((text, at) => differences(text, part.added[at] ?? ''));
    const removed = part.removed.map((text, at): Cell => ({
      text,
      mark: 'removed',
      line: beforeLine + at,
      differs: differing[at]?.[0] ?? null,
    }));
    const added = part.added.map((text, at): Cell => ({ text, mark: 'added', line: nowLine + at, differs: differing[at]?.[1] ?? null }));
    if (form === 'unified') {
      removed.forEach((cell) => add(index, cell, null));
      added.forEach((cell) => add(index, null, cell));
    } else {
      for (let at = 0; at < Math.max(removed.length, added.length); at += 1) add(index, removed[at] ?? null, added[at] ?? null);
    }
    beforeLine += removed.length;
    nowLine += added.length;
  });
  return rows;
}

/** Whether a comment is on one of the lines that would be folded. */
function isCommented(
  comments: readonly CommentPlace[],
  beforeLine: number,
  nowLine: number,
  count: number,
  head: number,
  tail: number,
): boolean {
  return comments.some(({ side, line }) => {
    const at = line - (side === 'before' ? beforeLine : nowLine);
    return at >= head && at < count - tail;
  });
}

/** The longest line in which the differing part is looked for, in characters. */
const COMPARED = 1_000;

/** What differs between two lines, as a range of each; null where they have little in common. */
export function differences(before: string, now: string): [readonly [number, number], readonly [number, number]] | null {
  if (before.length > COMPARED || now.length > COMPARED) return null;
  const [old, fresh] = [words(before), words(now)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const common = [...old.slice(0, start), ...old.slice(old.length - end)].join('').trim().length;
  if (common * 3 < Math.max(before.trim().length, now.trim().length)) return null;
  const from = old.slice(0, start).join('').length;
  const to = (text: string, from: string[]) => text.length - from.slice(from.length - end).join('').length;
  return [
    [from, to(before, old)],
    [from, to(now, fresh)],
  ];
}

function words(text: string): string[] {
  return text.match(/[\p{Letter}\p{Number}_]+|\s+|[^\p{Letter}\p{Number}_\s]/gu) ?? [];
}

/** The first row of each run of changed lines, by the index of its part. */
export function changeStarts(rows: readonly DiffRow[]): number[] {
  const starts: number[] = [];
  let part = -1;
  rows.forEach((row, index) => {
    if (row.row !== 'lines') return;
    if (!isSame(row) && row.part !== part) starts.push(index);
    part = row.part;
  });
  return starts;
}

export function isSame({ before, now }: Extract<DiffRow, { row: 'lines' }>): boolean {
  return before?.mark === 'same' && now?.mark === 'same';
}

/** A changed part as the app identifies it. */
export function shownPart({ parts }: FileChange, index: number): ShownPart | null {
  const part = parts[index];
  return part?.part === 'changed' ? { part: index, removed: part.removed.length, added: part.added.length } : null;
}

/** All lines of one side. */
export function linesOf(parts: readonly DiffPart[], side: 'before' | 'now'): string[] {
  return parts.flatMap((part) => (part.part === 'same' ? part.lines : side === 'before' ? part.removed : part.added));
}
