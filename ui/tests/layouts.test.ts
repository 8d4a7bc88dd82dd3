import { describe, expect, test } from 'vitest';

import { keyActionOf } from '../src/feature/panel/keys';
import { commandOf } from '../src/shared/actions.svelte';
import { isWithAlt, type Press, shortcutKey } from '../src/shared/keys';
import { pressed } from './pressed';

/** What a key types without and with Shift on a layout, by its place on a US keyboard. */
type Layout = Record<string, readonly [plain: string, shifted: string]>;

/** A layout, written as `KeyK=kK …`. */
const layout = (written: string): Layout =>
  Object.fromEntries(written.split(' ').map((key) => [key.slice(0, -3), [key.at(-2) ?? '', key.at(-1) ?? '']]));

const LAYOUTS: Record<string, Layout> = {
  us: layout('KeyK=kK KeyJ=jJ KeyN=nN KeyQ=qQ Comma=,< Slash=/? Digit2=2@ Equal==+ Minus=-_ Digit0=0)'),
  de: layout('KeyK=kK KeyJ=jJ KeyN=nN KeyQ=qQ Comma=,; Digit7=7/ Minus=ß? Slash=-_ BracketRight=+* Digit2=2" Digit0=0='),
  fr: layout('KeyK=kK KeyJ=jJ KeyN=nN KeyA=qQ KeyM=,? Period=:/ Digit2=é2 Digit6=-6 Equal==+ Digit0=à0'),
  ru: layout('KeyK=лЛ KeyJ=оО KeyN=тТ KeyQ=йЙ Comma=бБ Slash=., Digit2=2" Equal==+ Minus=-_ Digit0=0)'),
  gr: layout('KeyK=κΚ KeyJ=ξΞ KeyN=νΝ KeyQ=;: Comma=,< Slash=/? Digit2=2@ Equal==+ Minus=-_ Digit0=0)'),
  il: layout('KeyK=לK KeyJ=חJ KeyN=מN KeyQ=/Q Comma=ת> Quote=," Slash=.? Digit2=2@ Equal==+ Minus=-_ Digit0=0('),
};

function press(layout: string, code: string, held: Partial<Press> = {}): Press {
  const [plain, shifted] = LAYOUTS[layout]?.[code] ?? ['', ''];
  const key = held.shiftKey ? shifted : plain;
  return pressed('', { key, code, ...held });
}

/** What Ctrl and a key do, in a word. */
function does(layout: string, code: string, held: Partial<Press> = {}): string | null {
  const command = commandOf(press(layout, code, { ctrlKey: true, ...held }));
  if (command?.does === 'session') return `session ${command.place}`;
  return command?.does === 'action' ? command.action : (command?.does ?? null);
}

const SHIFT = { shiftKey: true };

describe('case_118_shortcuts_go_by_character_and_else_by_place', () => {
  test.each(Object.keys(LAYOUTS))('%s', (layout) => {
    const at = (character: string): [code: string, held: Partial<Press>] | null => {
      const keys = Object.entries(LAYOUTS[layout] ?? {});
      const plain = keys.find(([, [typed]]) => typed === character);
      const shifted = keys.find(([, [, typed]]) => typed === character);
      return plain ? [plain[0], {}] : shifted ? [shifted[0], SHIFT] : null;
    };
    expect(does(layout, 'KeyK')).toBe('palette');
    expect(does(layout, 'KeyJ')).toBe('next_waiting');
    expect(does(layout, 'KeyN')).toBe('new_session');
    expect(does(layout, ...(at('q') ?? ['KeyQ', {}]))).toBe('quit');
    expect(does(layout, ...(at(',') ?? ['Comma', {}]))).toBe('settings');
    for (const [character, action] of [
      ['+', 'zoom_in'],
      ['-', 'zoom_out'],
      ['0', 'zoom_reset'],
      ['2', 'session 2'],
    ] as const) {
      const place = at(character);
      expect(place).not.toBeNull();
      if (place) expect(does(layout, ...place)).toBe(action);
    }
    expect(does(layout, 'Digit2')).toBe('session 2');
    expect(does(layout, 'Digit0')).toBe('zoom_reset');
    expect(shortcutKey(press(layout, 'Digit2'))).toBe('2');
    expect(shortcutKey(press(layout, 'KeyN'))).toBe('n');
    for (const character of ['/', '?']) {
      const [code, held] = at(character) ?? ['Slash', character === '?' ? SHIFT : {}];
      expect(shortcutKey(press(layout, code, held))).toBe(character);
    }
  });

  test.each<[string, string, string, boolean?]>([
    ['Л', 'KeyK', 'k', true],
    ['"', 'Digit2', '"', true],
    ['ü', 'BracketLeft', 'ü'],
    ['-', 'Slash', '-'],
    ['Escape', 'Escape', 'Escape'],
  ])('“%s” on %s is %s', (key, code, expected, shiftKey = false) => {
    expect(shortcutKey({ key, code, shiftKey })).toBe(expected);
  });

  test('they answer and undo in a card', () => {
    expect(keyActionOf(pressed('г', { code: 'KeyU' }), 'radio')).toEqual({ action: 'undo' });
    expect(keyActionOf(press('fr', 'Digit2'), 'card')).toEqual({ action: 'choose', place: 2 });
  });

  test('a key that types a Latin letter never counts as the letter in its place', () => {
    expect(does('fr', 'KeyA', {})).toBe('quit');
    expect(commandOf({ ...press('us', 'KeyK', { ctrlKey: true }), key: 't' })).toBeNull();
    expect(commandOf({ ...press('us', 'KeyV', { ctrlKey: true }), key: 'k' })).toEqual({ does: 'palette' });
  });

  test('a letter with Alt goes by character and else by place too, and never is what AltGr types', () => {
    const alt = { altKey: true };
    expect(isWithAlt('m', { ...press('us', 'KeyM', alt), key: 'm' })).toBe(true);
    expect(isWithAlt('m', { ...press('fr', 'Semicolon', alt), key: 'm' })).toBe(true);
    expect(isWithAlt('m', press('fr', 'KeyM', alt))).toBe(false);
    expect(isWithAlt('m', { ...press('ru', 'KeyM', alt), key: 'ь' })).toBe(true);
    for (const held of [{ ...alt, ctrlKey: true }, { ...alt, ...SHIFT }, { ...alt, metaKey: true }, { ...alt, isComposing: true }, {}]) {
      expect(isWithAlt('m', { ...press('us', 'KeyM', held), key: 'm' })).toBe(false);
    }
  });

  test('a shortcut needs its modifier alone, and no letter with Shift is one', () => {
    for (const held of [{ altKey: true }, { metaKey: true }, SHIFT, { isComposing: true }, { ctrlKey: false }]) {
      expect(does('us', 'KeyK', held)).toBeNull();
      expect(does('ru', 'KeyK', held)).toBeNull();
    }
  });
});
