import type { TodoStatus } from '../../generated/wire';
import type { MessageKey } from '../../shared/messages';

export const todoWords = {
  pending: 'todo.pending',
  in_progress: 'todo.in_progress',
  done: 'todo.done',
} as const satisfies Record<TodoStatus, MessageKey>;
