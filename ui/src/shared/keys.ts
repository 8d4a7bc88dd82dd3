/** The part of a key event that identifies the key press. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'keyCode' | 'isComposing' | 'repeat' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'
>;

/** Whether an input method is composing and consumes the key. */
export function isComposing(event: Press): boolean {
  // Some input methods report the key that ends a composition only by this code.
  return event.isComposing || event.keyCode === 229;
}

/** The index that an arrow key, Home, or End moves to in a list that wraps around; null for other keys. */
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

/** Whether this is a Mac, which has different shortcuts. */
export const mac = /mac/i.test(navigator.platform);

/** Whether only the system's command modifier is held: Command on a Mac, Ctrl elsewhere. */
export function isCommand(event: Press): boolean {
  const [held, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return held && !other && !event.altKey && !event.shiftKey && !isComposing(event);
}

/** Formats a command's keys in the system's notation. */
export function shortcut(key: string): string {
  return mac ? `⌘${key}` : `Ctrl+${key}`;
}

/** Whether the key is Enter without modifiers, outside a composition. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const held = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !held && !isComposing(event);
}
