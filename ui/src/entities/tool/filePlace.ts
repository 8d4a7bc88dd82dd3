import type { ToolDetail } from '../../generated/wire';

/** A file, and a line in it from 1. */
export interface FilePlace {
  /** Relative to the session's folder, or absolute. */
  path: string;
  line: number | null;
}

/** The file that a call reads or changes; null for any other call. The line numbers of a diff count within the changed text. */
export function filePlaceOf(detail: ToolDetail): FilePlace | null {
  if (detail.detail === 'read') return { path: detail.path, line: detail.line };
  if (detail.detail === 'edit' || detail.detail === 'write') return { path: detail.path, line: null };
  return null;
}
