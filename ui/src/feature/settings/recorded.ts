/** Modifiers in the order in which a combination lists them. */
export const HELD = ['Ctrl', 'Alt', 'Shift', 'Super'] as const;
export type HeldKey = (typeof HELD)[number];

/** The part of a key event that the recorder uses. */
export type Struck = Pick<KeyboardEvent, 'key' | 'code'>;

/** The result of a key press: a modifier, a complete combination, Escape to end the recording, or an unusable key. */
export type Recorded =
  | { got: 'held'; key: HeldKey }
  | { got: 'combination'; keys: string }
  | { got: 'escape' }
  | { got: 'unusable'; why: 'nothing_held' | 'no_such_key' };

const HELD_KEYS: Readonly<Record<string, HeldKey>> = {
  Control: 'Ctrl',
  Alt: 'Alt',
  Shift: 'Shift',
  Meta: 'Super',
  OS: 'Super',
  Super: 'Super',
};

const NAMED: Readonly<Record<string, string>> = {
  Space: 'Space',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  Insert: 'Insert',
  Delete: 'Delete',
};

/** The modifier that a key is; null for every other key. */
export function heldKey({ key, code }: Struck): HeldKey | null {
  // Some systems report a modifier under the name of its combined function, such as Alt with Shift.
  if (/^(Alt|Shift|Control|Meta|OS)(Left|Right)$/.test(code)) {
    return HELD_KEYS[code.replace(/Left$|Right$/, '')] ?? null;
  }
  return HELD_KEYS[key] ?? null;
}

/** The result of a key press while modifiers are held. */
export function recorded(struck: Struck, held: ReadonlySet<HeldKey>): Recorded {
  const alone = heldKey(struck);
  if (alone) return { got: 'held', key: alone };
  const others = HELD.filter((key) => held.has(key));
  if (struck.key === 'Escape' && others.length === 0) return { got: 'escape' };
  const pressed = pressedKey(struck);
  if (pressed === null) return { got: 'unusable', why: 'no_such_key' };
  // A key with only Shift is normal typing.
  if (others.every((key) => key === 'Shift')) return { got: 'unusable', why: 'nothing_held' };
  return { got: 'combination', keys: [...others, pressed].join('+') };
}

/** The key's name in a combination: the printed letter in Latin layouts, otherwise the letter of that position. */
function pressedKey({ key, code }: Struck): string | null {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  if (/^F([1-9]|1[0-2])$/.test(code)) return code;
  const place = /^(?:Digit([0-9])|Key([A-Z]))$/.exec(code);
  return place?.[1] ?? place?.[2] ?? NAMED[code] ?? null;
}
