import type { State } from './state';

const KEY = 'askdesk.unsent';

/** The messages that were typed and not sent when the window last went. */
export function readUnsent(): State['messages'] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
  } catch {
    return {};
  }
}

/** Writes down what is typed and not sent yet. */
export function keepUnsent(messages: State['messages']): void {
  const unsent = Object.entries(messages).filter(([, text]) => text !== '');
  try {
    if (unsent.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(unsent)));
  } catch {
    // A full store keeps what it had; the text itself still stands in the window.
  }
}
