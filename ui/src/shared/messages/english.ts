import type { MessageKey } from './catalog';
import type { en } from './en';

let english: typeof en | null = null;

export async function loadEnglish(): Promise<void> {
  english ??= (await import('./en')).en;
}

/** The English text of a key without values, which developers may search for in any language; empty before it is loaded. */
export function inEnglish(key: MessageKey): string {
  return english?.[key] ?? '';
}
