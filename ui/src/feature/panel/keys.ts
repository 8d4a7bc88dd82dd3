import { actions } from '../../shared/actions.svelte';
import type { KeyAction, FormKeys, Spot } from '../../shared/focusTargets';
import type { Asks } from '../../shared/keyboard';
import { isCommand, isComposing, mac, shortcut, shortcutKey, type Press } from '../../shared/keys';
import type { MessageKey } from '../../shared/messages';
import { DIGITS } from './options';

type KeyName = MessageKey & `keys.${string}`;

/** Where the focus is, for the footer: it also describes elements that handle their keys themselves. */
export type HintSpot = Spot | 'menu' | 'filter' | 'filtering';

/** Where the focus is in the panel, and what the keys do there. */
export interface KeyPlace {
  spot: HintSpot;
  /** Null where keys answer no question. */
  form: FormKeys | null;
  asks: Asks;
}

/** A row of the key table: what its keys do, where they work, and where the footer lists them. */
export interface KeyRow {
  keys: readonly string[];
  does: KeyName;
  hints: Partial<Record<HintSpot, KeyName>>;
  /** What the keys do in an answer form, which alone handles them: the hint, another one, or null for nothing. */
  inForm?: (form: FormKeys, words: KeyName, spot: HintSpot) => KeyName | null;
  /** Where the panel handles the keys; empty if the window or the browser does. */
  works: readonly Spot[];
  action: (press: Press, spot: Spot) => KeyAction | null;
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
    hints: {
      radio: 'keys.hint.choose',
      checkbox: 'keys.hint.toggle',
      submit: 'keys.hint.choose',
      card: 'keys.hint.choose',
      control: 'keys.hint.choose',
    },
    inForm: ({ options, quick }, words) => {
      if (options === 0) return null;
      return quick ? 'keys.hint.answer' : words;
    },
    works: OUTSIDE_FIELDS,
    action: (press) => {
      const key = shortcutKey(press);
      return isBare(press) && /^[1-9]$/.test(key) ? { action: 'choose', place: Number(key) } : null;
    },
  },
  {
    keys: ['↑', '↓'],
    does: 'keys.move',
    hints: { radio: 'keys.hint.move', checkbox: 'keys.hint.move', filter: 'keys.hint.move', filtering: 'keys.hint.move' },
    inForm: (_, words) => words,
    // Within a radio group, the browser moves the focus itself.
    works: ['checkbox', 'card'],
    action: (press) => {
      if (!isBare(press) || press.shiftKey) return null;
      if (press.key === 'ArrowDown') return { action: 'move', step: 1 };
      return press.key === 'ArrowUp' ? { action: 'move', step: -1 } : null;
    },
  },
  { keys: ['Space'], does: 'keys.space', hints: { checkbox: 'keys.hint.toggle_focused' }, works: [], action: nothing },
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
    inForm: ({ submits }, words, spot) => {
      if (!submits) return words;
      return spot === 'radio' ? 'keys.hint.choose_submit' : 'keys.hint.submit';
    },
    works: [...OPTIONS, 'words', 'note', 'submit', 'card'],
    action: (press, spot) => {
      if (!isBare(press) || press.shiftKey || press.key !== 'Enter') return null;
      return { action: spot === 'submit' ? 'submit' : 'go_on' };
    },
  },
  {
    keys: ['Shift+Enter'],
    does: 'keys.new_line',
    hints: { words: 'keys.hint.new_line', note: 'keys.hint.new_line' },
    works: [],
    action: nothing,
  },
  {
    keys: [shortcut('Enter')],
    does: 'keys.submit',
    hints: {},
    works: EVERYWHERE,
    action: (press) => (isCommand(press) && press.key === 'Enter' ? { action: 'submit_from_anywhere' } : null),
  },
  {
    keys: ['Alt+←', 'Alt+→'],
    does: 'keys.turn',
    hints: { submit: 'keys.hint.turn' },
    inForm: ({ several }, words) => (several ? words : null),
    works: WHERE_ARROWS_TURN,
    action: (press) => {
      if (!press.altKey || press.ctrlKey || press.metaKey || press.shiftKey) return null;
      if (press.key === 'ArrowRight') return { action: 'turn', step: 1 };
      return press.key === 'ArrowLeft' ? { action: 'turn', step: -1 } : null;
    },
  },
  {
    keys: ['n'],
    does: 'keys.note',
    hints: { radio: 'keys.hint.note', checkbox: 'keys.hint.note' },
    inForm: (_, words) => words,
    works: [...OPTIONS, 'control', 'card'],
    action: (press) => (isBare(press) && shortcutKey(press) === 'n' ? { action: 'note' } : null),
  },
  {
    keys: ['u'],
    does: 'keys.undo',
    hints: {},
    works: OUTSIDE_FIELDS,
    action: (press) => (isBare(press) && shortcutKey(press) === 'u' ? { action: 'undo' } : null),
  },
  {
    keys: ['/'],
    does: 'keys.chat',
    hints: { submit: 'keys.hint.chat', card: 'keys.hint.chat', control: 'keys.hint.chat' },
    works: OUTSIDE_FIELDS,
    action: (press) => (isBare(press) && shortcutKey(press) === '/' ? { action: 'chat' } : null),
  },
  {
    keys: ['Esc'],
    does: 'keys.leave',
    hints: {
      words: 'keys.hint.leave',
      note: 'keys.hint.leave',
      field: 'keys.hint.leave',
      filter: 'keys.hint.leave',
      filtering: 'keys.hint.clear_filter',
      card: 'keys.hint.fold',
    },
    works: EVERYWHERE,
    action: (press) => (press.key === 'Escape' ? { action: 'leave' } : null),
  },
  {
    keys: ['?'],
    does: 'keys.help',
    // The footer has a button for this.
    hints: {},
    works: OUTSIDE_FIELDS,
    action: (press) => (isBare(press) && shortcutKey(press) === '?' ? { action: 'help' } : null),
  },
];

/** Keys that work in the inbox outside text fields; its list handles them. */
export const INBOX_KEYS: readonly (Pick<KeyRow, 'keys' | 'does'> & { hint: KeyName })[] = [
  { keys: ['J', 'K'], does: 'keys.inbox_move', hint: 'keys.hint.inbox_move' },
  { keys: ['O'], does: 'keys.inbox_open', hint: 'keys.hint.inbox_open' },
];

/** Keys that work in the changes of a session outside text fields; their view handles them. */
export const CHANGES_KEYS: readonly (Pick<KeyRow, 'keys' | 'does'> & { hint: KeyName })[] = [
  { keys: ['J', 'K'], does: 'keys.changes_move', hint: 'keys.hint.changes_move' },
  { keys: ['C'], does: 'keys.changes_comment', hint: 'keys.hint.changes_comment' },
  { keys: ['V'], does: 'keys.changes_viewed', hint: 'keys.hint.changes_viewed' },
  { keys: ['E'], does: 'keys.changes_open', hint: 'keys.hint.changes_open' },
  { keys: ['Esc'], does: 'keys.changes_back', hint: 'keys.hint.changes_back' },
];

/** Fields and menus, where a letter is typed or chooses. */
const OWN_KEYS: ReadonlySet<HintSpot> = new Set<HintSpot>(['words', 'note', 'field', 'filter', 'filtering', 'menu']);

/** Hints of keys that do something in the panel only. */
const PANEL_ONLY: ReadonlySet<KeyName> = new Set<KeyName>(['keys.hint.chat', 'keys.hint.fold']);

/** Keys that work everywhere; the window component handles them, not the panel. */
export const WINDOW_KEYS: readonly Pick<KeyRow, 'keys' | 'does'>[] = [
  { keys: [actions.next_waiting.keys], does: 'keys.next_waiting' },
  { keys: [shortcut('K')], does: 'keys.find' },
  { keys: [actions.find.keys], does: 'keys.find_said' },
  { keys: [actions.new_session.keys], does: 'keys.new_session' },
  { keys: [`${shortcut('1')}–9`], does: 'keys.tab' },
  { keys: [actions.next_mode.keys], does: 'keys.next_mode' },
  { keys: ['Alt+←', 'Alt+→'], does: 'keys.back_forward' },
  { keys: ['F6', 'Shift+F6'], does: 'keys.panes' },
  { keys: [actions.side.keys], does: 'keys.side' },
  { keys: [actions.settings.keys], does: 'keys.settings' },
  { keys: [actions.zoom_in.keys, actions.zoom_out.keys, actions.zoom_reset.keys], does: 'keys.zoom' },
  { keys: [actions.quit.keys], does: 'keys.quit' },
];

/** What a key press does at a spot; null if the field, the browser, or an input method handles the key. */
export function keyActionOf(press: Press, spot: Spot): KeyAction | null {
  if (isComposing(press)) return null;
  for (const row of PANEL_KEYS) {
    const action = row.works.includes(spot) ? row.action(press, spot) : null;
    if (action) return press.repeat && action.action !== 'move' ? { action: 'nothing' } : action;
  }
  return null;
}

export interface Hint {
  keys: readonly string[];
  words: KeyName;
}

/** The keys that the footer of the changes lists. */
export const changesHints: readonly Hint[] = CHANGES_KEYS.map(({ keys, hint }) => ({ keys, words: hint }));

/** The keys that the footer of the inbox lists. Outside a question, the place is null. */
export function inboxHints(at: KeyPlace | null): readonly Hint[] {
  const spot = at?.spot ?? null;
  const own = INBOX_KEYS.map(({ keys, hint }): Hint => ({ keys, words: hint }));
  const [move, ...rest] = spot !== null && OWN_KEYS.has(spot) ? [] : own;
  const here = at ? hintsAt(at.spot, at.form, at.asks).filter(({ words }) => !PANEL_ONLY.has(words)) : [];
  return move ? [move, ...here, ...rest] : here;
}

const MENU_HINTS: readonly Hint[] = [
  { keys: ['↑', '↓'], words: 'keys.hint.move' },
  { keys: ['Enter'], words: 'keys.hint.choose' },
  { keys: ['Esc'], words: 'keys.hint.close_menu' },
];

/** The keys that the footer of the side lists while the focus is elsewhere. */
export const sideHints = (waits: boolean): readonly Hint[] => [
  ...(waits ? [{ keys: ['F6'], words: 'keys.hint.to_question' } as const] : []),
  { keys: [actions.next_waiting.keys], words: 'keys.hint.next_request' },
  ...(waits ? [] : [{ keys: [actions.side.keys], words: 'keys.hint.fold_side' } as const]),
];

/** The keys that the footer lists at a spot, with their short labels. Without a form, no key answers anything. */
export function hintsAt(spot: HintSpot, form: FormKeys | null, asks: Asks): readonly Hint[] {
  if (spot === 'menu') return MENU_HINTS;
  return PANEL_KEYS.flatMap(({ keys, hints, inForm, does }) => {
    const about = hints[spot];
    if (!about || isUnavailable(does, spot, asks)) return [];
    if (!inForm) return [{ keys, words: about }];
    const words = form && inForm(form, about, spot);
    return words ? [{ keys: does === 'keys.choose' ? [digitsOf(form)] : keys, words }] : [];
  });
}

/** Whether a card takes a key as text, or ignores it, because of what it asks for. */
function isUnavailable(does: KeyName, spot: HintSpot, asks: Asks): boolean {
  if (does === 'keys.chat' && spot === 'card') return asks === 'words' || asks === 'decision';
  return (
    (spot === 'card' || spot === 'control' || spot === 'submit') && asks === 'words' && (does === 'keys.chat' || does === 'keys.choose')
  );
}

function digitsOf({ options }: FormKeys): string {
  return options === 1 ? '1' : `1–${Math.min(options, DIGITS)}`;
}

/** Whether no modifier is held except Shift, which some layouts need for digits and symbols. */
function isBare(press: Press): boolean {
  return !press.altKey && !press.ctrlKey && !press.metaKey;
}

function nothing(): null {
  return null;
}
