import type { LogKind } from '../../generated/wire';
import type { MessageKey } from '../../shared/messages';

export const logWords = {
  unusable: 'log.unusable',
  stderr: 'log.stderr',
  refused: 'log.refused',
  note: 'log.note',
} as const satisfies Record<LogKind, MessageKey>;
