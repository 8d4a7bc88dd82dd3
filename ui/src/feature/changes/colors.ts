import { highlighted, type Run } from '../../shared/highlight';

/** The colored runs of each line; null if the language is unknown or the text too long. */
export async function coloredLines(lines: readonly string[], language: string): Promise<Run[][] | null> {
  const runs = await highlighted(lines.join('\n'), language);
  return runs && split(runs);
}

/** Splits runs at line breaks. */
export function split(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]];
  for (const { kind, text } of runs) {
    text.split('\n').forEach((piece, index) => {
      if (index > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push({ kind, text: piece });
    });
  }
  return lines;
}

export interface Piece extends Run {
  differs: boolean;
}

/** Splits the runs of a line where the part that differs begins and ends. */
export function withDifference(runs: readonly Run[], differs: readonly [number, number] | null): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, text } of runs) {
    const cuts = [0, ...(differs ?? []).map((edge) => edge - at).filter((edge) => edge > 0 && edge < text.length), text.length];
    for (const [index, from] of cuts.slice(0, -1).entries()) {
      const middle = at + from;
      const inside = differs !== null && middle >= differs[0] && middle < differs[1];
      pieces.push({ kind, text: text.slice(from, cuts[index + 1]), differs: inside });
    }
    at += text.length;
  }
  return pieces;
}
