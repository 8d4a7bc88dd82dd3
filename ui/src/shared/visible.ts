import { t } from './messages';

/** Terminal color codes. They change how text looks, never what it says, so removing them hides nothing. */
const COLORS = /\u001b\[[\d;:]*m/g;

/**
 * Characters that are invisible or reorder other text: control characters, directional marks and overrides,
 * zero-width spaces, fillers, and tags.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Joiners are part of many scripts and emoji sequences: one that joins such characters is kept. */
const JOINED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$|(?![\u0000-\u024f])[\p{Letter}\p{Mark}]$/u;

/** Marks of one character beyond the sixteenth. No script needs more, and thousands keep the page busy for seconds. */
const TOO_MANY_MARKS = /([\p{Mark}\u200c\u200d]{16})([\p{Mark}\u200c\u200d]+)/gu;

/** Makes every character visible and keeps the written order; line breaks and tabs stay. */
export function visibly(written: string): string {
  const text = withFewMarks(written);
  const lines = text.includes('\r') ? text.replace(/\r\n/g, '\n') : text;
  const plain = lines.includes('\u001b') ? lines.replace(COLORS, '') : lines;
  return plain.replace(UNSEEN, (letter, at: number) => {
    const code = letter.codePointAt(0) ?? 0;
    const joins = code === 0x200c || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0e);
    if (joins && JOINED.test(plain.slice(Math.max(0, at - 2), at))) return letter;
    // Unicode's control pictures are in the same order as the control characters.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Cuts the combining marks of each character, and says how many were cut. */
function withFewMarks(text: string): string {
  // Each mark is a character of its own, so a short text has few.
  if (text.length <= 16) return text;
  return text.replace(TOO_MANY_MARKS, (_, kept: string, cut: string) => kept + t('text.marks_cut', { count: String([...cut].length) }));
}
