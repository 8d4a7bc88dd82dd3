/** The keys that are held with another one, in the order in which a combination is written. */
export const HELD = ['Ctrl', 'Alt', 'Shift', 'Super'] as const;
export type HeldKey = (typeof HELD)[number];

/** What of a key event the recorder looks at. */
export type Struck = Pick<KeyboardEvent, 'key' | 'code'>;

/** What came of a key: one that is held, a whole combination, one that ends the recording, or one that cannot be used. */
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

/** The key that is held by itself, as it is written; none for every other one. */
export function heldKey({ key, code }: Struck): HeldKey | null {
  // Some systems name a key by what it does together with others, such as Alt with Shift.
  if (/^(Alt|Shift|Control|Meta|OS)(Left|Right)$/.test(code)) {
    return HELD_KEYS[code.replace(/Left$|Right$/, '')] ?? null;
  }
  return HELD_KEYS[key] ?? null;
}

/** What a key comes to while others are held. */
export function recorded(struck: Struck, held: ReadonlySet<HeldKey>): Recorded {
  const alone = heldKey(struck);
  if (alone) return { got: 'held', key: alone };
  const others = HELD.filter((key) => held.has(key));
  if (struck.key === 'Escape' && others.length === 0) return { got: 'escape' };
  const pressed = pressedKey(struck);
  if (pressed === null) return { got: 'unusable', why: 'no_such_key' };
  // A key with Shift alone belongs to whoever is being written in.
  if (others.every((key) => key === 'Shift')) return { got: 'unusable', why: 'nothing_held' };
  return { got: 'combination', keys: [...others, pressed].join('+') };
}

/** The key as it is written; a letter is the one that stands on it, where the alphabet has it. */
function pressedKey({ key, code }: Struck): string | null {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  if (/^F([1-9]|1[0-2])$/.test(code)) return code;
  const place = /^(?:Digit([0-9])|Key([A-Z]))$/.exec(code);
  return place?.[1] ?? place?.[2] ?? NAMED[code] ?? null;
}
