import type { AppError } from '../../platform/bridge';
import { wordsOfError } from '../../shared/errors/errorWords';
import { t } from '../../shared/messages';

/** The one thing that matters now. */
export interface FootStatus {
  words: string;
  look?: 'error' | 'note' | 'done';
  /** Follows the words and is never cut. */
  after?: string;
  /** What is announced in place of the words; an empty text if something else announces it. */
  spoken?: string;
  /** Whether it is announced at once. */
  alert?: boolean;
  /** Whether it is announced when nothing else is. */
  polite?: boolean;
  id?: string;
  code?: string | undefined;
  /** What Details shows below the words. */
  trace?: string | null;
  data?: Record<`data-${string}`, string>;
  action?: { words: string; run: () => void; key?: string; atOnce?: boolean };
}

export function errorStatus(error: AppError): FootStatus {
  return { words: wordsOfError(error), look: 'error', alert: true, code: error.code, trace: error.traceId ?? null };
}

/** The line of a draft that isn't saved. */
export function unsavedStatus(error: AppError): FootStatus {
  const words = error.code === 'invalid' ? t('draft.too_long') : t('draft.unsaved', { why: wordsOfError(error) });
  return { words, look: 'error', code: error.code };
}

const MAIN = ['question.next', 'question.sending', 'undo.send_now', 'delivery.retry', 'side.sent', 'outcome.declined'] as const;

/** Every label of the main button of a question, in whatever state it is. */
export function mainLabels(submit: string): string[] {
  return [...new Set([submit, ...MAIN.map((key) => t(key))])];
}
