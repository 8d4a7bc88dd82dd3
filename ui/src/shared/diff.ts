export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'place' | 'note';
  /** Line numbers in the old and the new version; null if the line isn't on that side or the diff has no numbers. */
  before: number | null;
  after: number | null;
  text: string;
}

const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Parses a unified diff without file headers. Lines that aren't part of a diff are kept as text. */
export function readDiff(diff: string): DiffLine[] {
  let before: number | null = null;
  let after: number | null = null;
  const next = (number: number | null) => (number === null ? null : number + 1);
  const lines = (diff.endsWith('\n') ? diff.slice(0, -1) : diff).split('\n');
  return lines.map((line): DiffLine => {
    const place = PLACE.exec(line);
    if (place) {
      before = Number(place[1]);
      after = Number(place[2]);
      return { kind: 'place', before: null, after: null, text: line };
    }
    const text = line.slice(1);
    switch (line[0]) {
      case '+': {
        const added: DiffLine = { kind: 'added', before: null, after, text };
        after = next(after);
        return added;
      }
      case '-': {
        const removed: DiffLine = { kind: 'removed', before, after: null, text };
        before = next(before);
        return removed;
      }
      case '\\':
        return { kind: 'note', before: null, after: null, text: line };
      default: {
        const same: DiffLine = { kind: 'same', before, after, text: line[0] === ' ' ? text : line };
        before = next(before);
        after = next(after);
        return same;
      }
    }
  });
}
