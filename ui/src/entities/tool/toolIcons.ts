import type { ToolKind } from '../../generated/wire';

export const toolIcons = {
  read: 'file_text',
  edit: 'file_edit',
  execute: 'terminal',
  search: 'search',
  fetch: 'globe',
  think: 'thought',
  other: 'wrench',
} as const satisfies Record<ToolKind, string>;
