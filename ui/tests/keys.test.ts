import { describe, expect, test } from 'vitest';

import { keyActionOf, type HintSpot, hintsAt, PANEL_KEYS, WINDOW_KEYS } from '../src/feature/panel/keys';
import type { KeyAction, FormKeys, Spot } from '../src/shared/focusTargets';
import type { Press } from '../src/shared/keys';

/** Parses a key press such as `Ctrl+Alt+x`. */
function pressed(written: string, changes: Partial<Press> = {}): Press {
  const parts = written.split('+');
  const key = parts.at(-1) ?? '';
  const held = (name: string) => parts.slice(0, -1).includes(name);
  return {
    key,
    code: '',
    keyCode: 0,
    isComposing: false,
    repeat: false,
    ctrlKey: held('Ctrl'),
    altKey: held('Alt'),
    shiftKey: held('Shift'),
    metaKey: held('Meta'),
    ...changes,
  };
}

/** An action as text, such as `choose 3` or `turn -1`. */
function short(action: KeyAction | null): string {
  if (!action) return '-';
  if ('place' in action) return `${action.action} ${action.place}`;
  return 'step' in action ? `${action.action} ${action.step}` : action.action;
}

const SPOTS: Spot[] = ['radio', 'checkbox', 'words', 'note', 'field', 'submit', 'control', 'card'];

/** What each key does at each spot; `-` leaves it to the field, the browser, or the window. */
const TABLE: Record<string, string> = {
  // key            radio               checkbox            words               note                field               submit              control             card
  '1': 'choose 1          | choose 1          | -                 | -                 | -                 | choose 1          | choose 1          | choose 1',
  '9': 'choose 9          | choose 9          | -                 | -                 | -                 | choose 9          | choose 9          | choose 9',
  'Shift+3':
    'choose 3          | choose 3          | -                 | -                 | -                 | choose 3          | choose 3          | choose 3',
  '0': '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  'Ctrl+1':
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  'Alt+1':
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  ArrowDown:
    '-                 | move 1            | -                 | -                 | -                 | -                 | -                 | move 1',
  ArrowUp:
    '-                 | move -1           | -                 | -                 | -                 | -                 | -                 | move -1',
  ' ': '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  Enter:
    'go_on             | go_on             | go_on             | go_on             | -                 | submit            | -                 | go_on',
  'Shift+Enter':
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  'Alt+Enter':
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  'Ctrl+Enter':
    'submit_from_anywhere | submit_from_anywhere | submit_from_anywhere | submit_from_anywhere | submit_from_anywhere | submit_from_anywhere | submit_from_anywhere | submit_from_anywhere',
  'Alt+ArrowRight':
    'turn 1          | turn 1            | turn 1            | turn 1            | turn 1            | turn 1            | turn 1            | turn 1',
  'Alt+ArrowLeft':
    'turn -1         | turn -1           | turn -1           | turn -1           | turn -1           | turn -1           | turn -1           | turn -1',
  ArrowRight:
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  n: 'note              | note              | -                 | -                 | -                 | -                 | note              | note',
  'Ctrl+n':
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  u: 'undo              | undo              | -                 | -                 | -                 | undo              | undo              | undo',
  '/': 'chat              | chat              | -                 | -                 | -                 | chat              | chat              | chat',
  Escape:
    'leave             | leave             | leave             | leave             | leave             | leave             | leave             | leave',
  'Shift+?':
    'help              | help              | -                 | -                 | -                 | help              | help              | help',
  j: '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  Tab: '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
  Backspace:
    '-                 | -                 | -                 | -                 | -                 | -                 | -                 | -',
};

const form: FormKeys = { options: 9, several: true, submits: false, quick: false };

describe('the table of keys', () => {
  test.each(Object.entries(TABLE))('%s', (key, row) => {
    const expected = row.split('|').map((action) => action.trim());
    expect(SPOTS.map((spot) => short(keyActionOf(pressed(key), spot)))).toEqual(expected);
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
