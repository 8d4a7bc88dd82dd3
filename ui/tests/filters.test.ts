import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fold, foldedFrom } from '../src/shared/fold';
import { contains, matching, partsFound } from '../src/shared/match';

const NFC = 'Caf\u00e9 cr\u00e8me';
const NFD = 'Cafe\u0301 cre\u0300me';

describe('case_119_filters_ignore_case_accents_and_normal_form', () => {
  test.each([
    ['an accent', NFC, 'cafe', 'Caf\u00e9'],
    ['an accent in the other normal form', NFD, 'caf\u00e9', 'Cafe\u0301'],
    ['an accent that is asked for in the other normal form', NFC, 'CAFE\u0301', 'Caf\u00e9'],
    ['a sharp s', 'Stra\u00dfe', 'strasse', 'Stra\u00dfe'],
    ['half a sharp s', 'Stra\u00dfe', 'stras', 'Stra\u00df'],
    ['a sharp s that is asked for', 'STRASSE', 'stra\u00dfe', 'STRASSE'],
    ['a capital sharp s', 'STRA\u1e9eE', 'strasse', 'STRA\u1e9eE'],
    ['wide letters', 'die \uff21\uff22\uff23 Liste', 'abc', '\uff21\uff22\uff23'],
    ['wide letters that are asked for', 'ABC', '\uff42\uff43', 'BC'],
    ['a dotless i', 'K\u0131sa', 'kisa', 'K\u0131sa'],
    ['a dotted I', '\u0130stanbul', 'istanbul', '\u0130stanbul'],
    ['a final sigma', '\u039f\u03b4\u03cc\u03c2', '\u03bf\u03b4\u03bf\u03c3', '\u039f\u03b4\u03cc\u03c2'],
    ['a ligature', 'con\ufb01g', 'fig', '\ufb01g'],
    ['a Chinese word', '\u8bf7\u4fee\u6539\u6570\u636e\u5e93\u8fde\u63a5', '\u6570\u636e\u5e93', '\u6570\u636e\u5e93'],
    ['a Japanese word', '\u30c6\u30b9\u30c8\u3092\u5b9f\u884c\u3059\u308b', '\u5b9f\u884c', '\u5b9f\u884c'],
    ['half-width kana', '\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9', '\uff83\uff9e\uff70\uff80', '\u30c7\u30fc\u30bf'],
    [
      'a Thai word',
      '\u0e41\u0e01\u0e49\u0e44\u0e02\u0e10\u0e32\u0e19\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25',
      '\u0e10\u0e32\u0e19',
      '\u0e10\u0e32\u0e19',
    ],
    ['a Hangul word', '\ub370\uc774\ud130\ubca0\uc774\uc2a4\ub97c', '\ubca0\uc774\uc2a4', '\ubca0\uc774\uc2a4'],
    ['a syllable that is being typed', '\ub300\ud55c\ubbfc\uad6d', '\ub300\ud558', '\ub300\ud55c'],
    ['letters beyond the first plane', '\u{1d400}\u{1d401} \u{1f600}', 'ab', '\u{1d400}\u{1d401}'],
  ])('%s', (_, text, asked, found) => {
    expect(contains(text, asked)).toBe(true);
    expect(matching([{ name: text }], asked)).toHaveLength(1);
    const parts = partsFound(text, asked);
    expect(parts.filter((part) => part.found).map((part) => part.text)).toEqual([found]);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });

  test.each([
    ['another Thai vowel', '\u0e17\u0e35', '\u0e17\u0e34'],
    ['another Devanagari vowel', '\u0915\u093f', '\u0915\u0940'],
    ['another letter', 'Caf\u00e9', 'cafo'],
  ])('%s is another text', (_, text, asked) => {
    expect(contains(text, asked)).toBe(false);
  });

  test('every unit of a folded text knows where it comes from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { text: folded, from } = foldedFrom(text);
        expect(folded).toBe(fold(text));
        expect(from).toHaveLength(folded.length);
        expect(fold(text.normalize('NFD'))).toBe(fold(text.normalize('NFC')));
        for (const { start, end } of from) expect(start < end && end <= text.length).toBe(true);
      }),
    );
  });
});
