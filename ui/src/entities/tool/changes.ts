import type { ToolDetail } from '../../generated/wire';

/** Numbers of changed lines. */
export interface Changes {
  added: number;
  removed: number;
}

/** The lines that a call adds and removes; null if it doesn't say. */
export function changesOf(detail: ToolDetail): Changes | null {
  if (detail.detail === 'edit') return { added: count(detail.diff, /^\+/gm), removed: count(detail.diff, /^-/gm) };
  if (detail.detail === 'write') return { added: count(detail.content, /\n|[^\n]$/g), removed: 0 };
  return null;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
