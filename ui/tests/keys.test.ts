import { describe, expect, test } from 'vitest';

import { keyActionOf, type HintSpot, hintsAt, PANEL_KEYS, WINDOW_KEYS } from '../src/feature/panel/keys';
import type { KeyAction, FormKeys, Spot } from '../src/shared/focusTargets';
import { pressed } from './pressed';

/** An action as text, such as `choose 3` or `turn -1`. */
function short(action: KeyAction | null): string {
  if (!action) return '-';
  if ('place' in action) return `${action.action} ${action.place}`;
  return 'step' in action ? `${action.action} ${action.step}` : action.action;
}

/** What a key does at the spots, by their first letters (`d` is `field`, `l` is `control`); elsewhere it is left to the field, the browser, or the window. */
const AT = { r: 'radio', c: 'checkbox', w: 'words', n: 'note', d: 'field', s: 'submit', l: 'control', f: 'card' } as const;

const SPOTS: Spot[] = Object.values(AT);

const TABLE: Record<string, Record<string, string>> = {
  '1': { rcslf: 'choose 1' },
  '9': { rcslf: 'choose 9' },
  'Shift+3': { rcslf: 'choose 3' },
  ArrowDown: { cf: 'move 1' },
  ArrowUp: { cf: 'move -1' },
  Enter: { rcwnf: 'go_on', s: 'submit' },
  'Ctrl+Enter': { rcwndslf: 'submit_from_anywhere' },
  'Alt+ArrowRight': { rcwndslf: 'turn 1' },
  'Alt+ArrowLeft': { rcwndslf: 'turn -1' },
  n: { rclf: 'note' },
  u: { rcslf: 'undo' },
  '/': { rcslf: 'chat' },
  Escape: { rcwndslf: 'leave' },
  'Shift+?': { rcslf: 'help' },
  ...Object.fromEntries(
    ['0', 'Ctrl+1', 'Alt+1', ' ', 'Shift+Enter', 'Alt+Enter', 'ArrowRight', 'Ctrl+n', 'j', 'Tab', 'Backspace'].map((key) => [key, {}]),
  ),
};

const form: FormKeys = { options: 9, several: true, submits: false, quick: false };

describe('the table of keys', () => {
  test.each(Object.entries(TABLE))('%s', (key, row) => {
    for (const [letter, spot] of Object.entries(AT)) {
      const [, does = '-'] = Object.entries(row).find(([spots]) => spots.includes(letter)) ?? [];
      expect(short(keyActionOf(pressed(key), spot)), spot).toBe(does);
    }
  });

  test('case_15_no_key_means_anything_while_an_input_method_composes', () => {
    for (const key of Object.keys(TABLE)) {
      for (const spot of SPOTS) {
        expect(keyActionOf(pressed(key, { isComposing: true }), spot)).toBeNull();
        // Some input methods only report this code.
        expect(keyActionOf(pressed(key, { keyCode: 229 }), spot)).toBeNull();
      }
    }
  });

  test('a key that is held down acts once, except for moving', () => {
    for (const key of Object.keys(TABLE)) {
      for (const spot of SPOTS) {
        const first = short(keyActionOf(pressed(key), spot));
        const held = short(keyActionOf(pressed(key, { repeat: true }), spot));
        expect(held).toBe(first === '-' || first.startsWith('move') ? first : 'nothing');
      }
    }
  });

  test('the footer names each key once, and only where it works', () => {
    for (const spot of SPOTS) {
      const words = hintsAt(spot, form, 'choice').map((hint) => hint.words);
      expect(new Set(words).size).toBe(words.length);
      for (const row of PANEL_KEYS) {
        if (!(spot in row.hints) || row.works.length === 0) continue;
        // The browser moves within a radio group.
        expect([...row.works, ...(row.does === 'keys.move' ? ['radio'] : [])]).toContain(spot);
      }
    }
    expect(hintsAt('words', form, 'choice').flatMap(({ keys }) => keys)).toEqual(['Enter', 'Shift+Enter', 'Esc']);
  });

  test('the footer names only keys that do something in the form, and what they do there', () => {
    const told = (spot: HintSpot, changes: Partial<FormKeys> | null) =>
      hintsAt(spot, changes && { ...form, ...changes }, 'choice').map(({ keys, words }) => `${keys} ${words.replace('keys.hint.', '')}`);
    expect(told('card', {})).toEqual(['1–9 choose', '/ chat', 'Esc fold']);
    expect(told('card', { options: 4 })[0]).toBe('1–4 choose');
    expect(told('card', { options: 1 })[0]).toBe('1 choose');
    expect(told('card', { options: 0 })).toEqual(['/ chat', 'Esc fold']);
    expect(told('control', { options: 40, quick: true })).toEqual(['1–9 answer', '/ chat']);
    expect(told('radio', { submits: true })[2]).toBe('Enter choose_submit');
    expect(told('words', { submits: true })[0]).toBe('Enter submit');
    expect(told('submit', { several: false })).toEqual(['1–9 choose', 'Enter submit', '/ chat']);
    for (const spot of SPOTS) {
      const answering = told(spot, null).filter((hint) => !/ (chat|fold|leave|new_line|toggle_focused)$/.test(hint));
      expect(answering).toEqual([]);
    }
  });

  test('every row has a distinct text, and one is for the next waiting question', () => {
    const told = [...PANEL_KEYS, ...WINDOW_KEYS].map(({ does }) => does);
    expect(new Set(told).size).toBe(told.length);
    expect(WINDOW_KEYS.find(({ does }) => does === 'keys.next_waiting')?.keys).toEqual(['Ctrl+J']);
  });
});
