/** What of a key event says what was pressed. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'keyCode' | 'isComposing' | 'repeat' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'
>;

/** Whether a key belongs to an input method that is composing. */
export function isComposing(event: Press): boolean {
  // Some input methods report the key that ends a composition only by this code.
  return event.isComposing || event.keyCode === 229;
}

/** The index that an arrow key, Home or End leads to in a list that goes round; none for other keys. */
export function stepOf(event: KeyboardEvent, from: number, count: number): number | null {
  if (count === 0 || event.altKey || event.ctrlKey || event.metaKey) return null;
  switch (event.key) {
    case 'ArrowDown':
      return (from + 1) % count;
    case 'ArrowUp':
      return (Math.max(from, 0) - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/** Whether this is a Mac, whose keys are others. */
export const mac = /mac/i.test(navigator.platform);

/** Whether the key that commands begin with is held, and no other: each system has its own. */
export function isCommand(event: Press): boolean {
  const [held, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return held && !other && !event.altKey && !event.shiftKey && !isComposing(event);
}

/** A command's keys as the system writes them. */
export function shortcut(key: string): string {
  return mac ? `⌘${key}` : `Ctrl+${key}`;
}

/** Whether a key is Enter alone, outside a composition. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const held = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !held && !isComposing(event);
}
