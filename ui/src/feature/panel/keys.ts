import type { Deed, Spot } from '../../shared/focusTargets';
import { isCommand, isComposing, mac, shortcut, type Press } from '../../shared/keys';
import type { MessageKey } from '../../shared/messages';

type KeyName = MessageKey & `keys.${string}`;

/** A row of the key table: what its keys do, where they work, and where the footer lists them. */
export interface KeyRow {
  keys: readonly string[];
  does: KeyName;
  hints: Partial<Record<Spot, KeyName>>;
  /** Where the panel handles the keys; empty if the window or the browser does. */
  works: readonly Spot[];
  deed: (press: Press, spot: Spot) => Deed | null;
}

const OPTIONS: readonly Spot[] = ['radio', 'checkbox'];
const OUTSIDE_FIELDS: readonly Spot[] = [...OPTIONS, 'submit', 'control', 'card'];
const EVERYWHERE: readonly Spot[] = [...OUTSIDE_FIELDS, 'words', 'note', 'field'];
/** On a Mac, Alt and an arrow move the caret by words. */
const WHERE_ARROWS_TURN = mac ? OUTSIDE_FIELDS : EVERYWHERE;

/** All keys of the panel, with their effects and their texts in the footer and the `?` dialog. */
export const PANEL_KEYS: readonly KeyRow[] = [
  {
    keys: ['1–9'],
    does: 'keys.choose',
    hints: { radio: 'keys.hint.choose', checkbox: 'keys.hint.toggle', card: 'keys.hint.choose' },
    works: [...OPTIONS, 'control', 'card'],
    deed: (press) =>
      isBare(press) && /^[1-9]$/.test(press.key) ? { deed: 'choose', place: Number(press.key) } : null,
  },
  {
    keys: ['↑', '↓'],
    does: 'keys.move',
    hints: { radio: 'keys.hint.move', checkbox: 'keys.hint.move' },
    // Within a radio group, the browser moves the focus itself.
    works: ['checkbox', 'card'],
    deed: (press) => {
      if (!isBare(press) || press.shiftKey) return null;
      if (press.key === 'ArrowDown') return { deed: 'move', step: 1 };
      return press.key === 'ArrowUp' ? { deed: 'move', step: -1 } : null;
    },
  },
  { keys: ['Space'], does: 'keys.space', hints: { checkbox: 'keys.hint.toggle_focused' }, works: [], deed: nothing },
  {
    keys: ['Enter'],
    does: 'keys.enter',
    hints: {
      radio: 'keys.hint.choose_go_on',
      checkbox: 'keys.hint.go_on',
      words: 'keys.hint.go_on',
      note: 'keys.hint.go_on',
      submit: 'keys.hint.submit',
    },
    works: [...OPTIONS, 'words', 'note', 'submit', 'card'],
    deed: (press, spot) => {
      if (!isBare(press) || press.shiftKey || press.key !== 'Enter') return null;
      return { deed: spot === 'submit' ? 'submit' : 'go_on' };
    },
  },
  {
    keys: ['Shift+Enter'],
    does: 'keys.new_line',
    hints: { words: 'keys.hint.new_line', note: 'keys.hint.new_line' },
    works: [],
    deed: nothing,
  },
  {
    keys: [shortcut('Enter')],
    does: 'keys.submit',
    hints: {},
    works: EVERYWHERE,
    deed: (press) => (isCommand(press) && press.key === 'Enter' ? { deed: 'submit_from_anywhere' } : null),
  },
  {
    keys: ['Alt+←', 'Alt+→'],
    does: 'keys.turn',
    hints: { submit: 'keys.hint.turn' },
    works: WHERE_ARROWS_TURN,
    deed: (press) => {
      if (!press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return null;
      if (press.key === 'ArrowRight') return { deed: 'turn', step: 1 };
      return press.key === 'ArrowLeft' ? { deed: 'turn', step: -1 } : null;
    },
  },
  {
    keys: ['n'],
    does: 'keys.note',
    hints: { radio: 'keys.hint.note', checkbox: 'keys.hint.note' },
    works: [...OPTIONS, 'control', 'card'],
    deed: (press) => (isBare(press) && press.key.toLowerCase() === 'n' ? { deed: 'note' } : null),
  },
  {
    keys: ['u'],
    does: 'keys.undo',
    hints: {},
    works: OUTSIDE_FIELDS,
    deed: (press) => (isBare(press) && press.key.toLowerCase() === 'u' ? { deed: 'undo' } : null),
  },
  {
    keys: ['/'],
    does: 'keys.chat',
    hints: { submit: 'keys.hint.chat', card: 'keys.hint.chat' },
    works: OUTSIDE_FIELDS,
    deed: (press) => (isBare(press) && press.key === '/' ? { deed: 'chat' } : null),
  },
  {
    keys: ['Esc'],
    does: 'keys.leave',
    hints: { words: 'keys.hint.leave', note: 'keys.hint.leave', field: 'keys.hint.leave', card: 'keys.hint.fold' },
    works: EVERYWHERE,
    deed: (press) => (press.key === 'Escape' ? { deed: 'leave' } : null),
  },
  {
    keys: ['?'],
    does: 'keys.help',
    // The footer has a button for this.
    hints: {},
    works: OUTSIDE_FIELDS,
    deed: (press) => (isBare(press) && press.key === '?' ? { deed: 'help' } : null),
  },
];

/** Keys that work in the inbox outside text fields; its list handles them. */
export const INBOX_KEYS: readonly (Pick<KeyRow, 'keys' | 'does'> & { hint: KeyName })[] = [
  { keys: ['J', 'K'], does: 'keys.inbox_move', hint: 'keys.hint.inbox_move' },
  { keys: ['O'], does: 'keys.inbox_open', hint: 'keys.hint.inbox_open' },
];

/** Hints of keys that do something in the panel only. */
const PANEL_ONLY: ReadonlySet<KeyName> = new Set<KeyName>(['keys.hint.chat', 'keys.hint.fold']);

/** Keys that work everywhere; the window component handles them, not the panel. */
export const WINDOW_KEYS: readonly Pick<KeyRow, 'keys' | 'does'>[] = [
  { keys: [shortcut('J')], does: 'keys.next_waiting' },
  { keys: [shortcut('K')], does: 'keys.find' },
  { keys: [`${shortcut('1')}–9`], does: 'keys.tab' },
  { keys: ['Alt+←', 'Alt+→'], does: 'keys.back_forward' },
  { keys: ['F6', 'Shift+F6'], does: 'keys.panes' },
  { keys: [shortcut(',')], does: 'keys.settings' },
];

/** What a key press does at a spot; null if the field, the browser, or an input method handles the key. */
export function deedOf(press: Press, spot: Spot): Deed | null {
  if (isComposing(press)) return null;
  for (const row of PANEL_KEYS) {
    const deed = row.works.includes(spot) ? row.deed(press, spot) : null;
    if (deed) return press.repeat && deed.deed !== 'move' ? { deed: 'nothing' } : deed;
  }
  return null;
}

export interface KeyHint {
  keys: readonly string[];
  words: KeyName;
}

/** The rows that the footer lists at a spot, with their short labels. */
export function hintsAt(spot: Spot): KeyHint[] {
  return PANEL_KEYS.flatMap(({ keys, hints }) => {
    const words = hints[spot];
    return words ? [{ keys, words }] : [];
  });
}

/** The rows that the footer of the inbox lists. Outside a question, the spot is null. */
export function inboxHints(spot: Spot | null): KeyHint[] {
  const own = INBOX_KEYS.map(({ keys, hint }): KeyHint => ({ keys, words: hint }));
  const typing = spot === 'words' || spot === 'note' || spot === 'field';
  const [move, ...rest] = typing ? [] : own;
  const here = spot ? hintsAt(spot).filter(({ words }) => !PANEL_ONLY.has(words)) : [];
  return move ? [move, ...here, ...rest] : here;
}

/** Whether no modifier is held except Shift, which some layouts need for digits and symbols. */
function isBare(press: Press): boolean {
  return !press.altKey && !press.ctrlKey && !press.metaKey;
}

function nothing(): null {
  return null;
}
