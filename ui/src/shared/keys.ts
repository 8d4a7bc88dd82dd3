/** The part of a key event that identifies the key press. */
export type Press = Pick<
  KeyboardEvent,
  'key' | 'code' | 'keyCode' | 'isComposing' | 'repeat' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'
>;

/** Whether an input method is composing and consumes the key. */
export function isComposing(event: Press): boolean {
  // Some input methods report the key that ends a composition only by this code.
  return event.isComposing || event.keyCode === 229;
}

/**
 * The key that a shortcut goes by: the character that is typed, or, if the layout types something else there, what a US keyboard has
 * in its place. So `u`, `/` and the digits work on Cyrillic, Greek and AZERTY keyboards too.
 */
export function shortcutKey({ key, code, shiftKey }: Pick<Press, 'key' | 'code' | 'shiftKey'>): string {
  if ([...key].length !== 1) return key;
  const typed = key.toLowerCase();
  if (/^[a-z0-9/?]$/.test(typed)) return typed;
  const [, digit] = /^Digit([0-9])$/.exec(code) ?? [];
  if (digit !== undefined) return shiftKey ? typed : digit;
  // Cyrillic layouts have a period and a comma on the key of `/` and `?`.
  if (code === 'Slash' && (typed === '.' || typed === ',')) return shiftKey ? '?' : '/';
  if (!/\p{Letter}/u.test(typed) || /\p{Script=Latin}/u.test(typed)) return typed;
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  return letter?.toLowerCase() ?? (code === 'Comma' ? ',' : typed);
}

/** Whether a press types a character. */
export function isTyped(press: Press): boolean {
  const { altKey, ctrlKey, metaKey, key } = press;
  // Some systems report AltGr as Ctrl and Alt, and on a Mac, Option types further characters.
  const held = metaKey || (mac ? ctrlKey : ctrlKey !== altKey);
  return !held && !isComposing(press) && [...key].length === 1;
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

/** Whether the system's command modifier is held, and no other one but Shift: Command on a Mac, Ctrl elsewhere. */
function holdsCommand(event: Press): boolean {
  const [held, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  return held && !other && !event.altKey && !isComposing(event);
}

/** Whether only the system's command modifier is held. */
export function isCommand(event: Press): boolean {
  return holdsCommand(event) && !event.shiftKey;
}

/**
 * What a press with the system's command modifier can mean, the likelier first: the character that the layout types, then the one
 * that a US keyboard has in its place. So a shortcut works on every layout, and a layout that has its character elsewhere decides.
 */
export function commandKeys(press: Press): readonly string[] {
  if (!holdsCommand(press)) return [];
  const typed = press.key.toLowerCase();
  // Some layouts need Shift for a digit or a symbol.
  if (press.shiftKey) return /^\p{Letter}/u.test(typed) ? [] : [typed];
  const inPlace = press.code === 'Comma' ? ',' : /^(?:Key|Digit)([A-Z0-9])$/.exec(press.code)?.[1]?.toLowerCase();
  return /^[a-z]$/.test(typed) || inPlace === undefined ? [typed] : [typed, inPlace];
}

/** Whether the key is Enter with the system's command modifier, which submits what is being written. */
export function isCommandEnter(event: Press): boolean {
  return event.key === 'Enter' && isCommand(event);
}

/** Formats a command's keys in the system's notation. */
export function shortcut(key: string): string {
  return mac ? `⌘${key}` : `Ctrl+${key}`;
}

/** Whether a key is pressed with Alt alone, outside a composition. */
export function isWithAlt(key: string, event: Press): boolean {
  const held = event.shiftKey || event.ctrlKey || event.metaKey;
  return shortcutKey(event) === key && event.altKey && !held && !isComposing(event);
}

/** Whether the key is Enter without modifiers, outside a composition. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const held = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !held && !isComposing(event);
}
