/** Colours of a terminal: they change how text looks, never what it says, so leaving them out hides nothing. */
const COLOURS = /\u001b\[[\d;:]*m/g;

/**
 * What cannot be seen or what turns the order of other letters around: control characters, marks and
 * overrides of direction, spaces without width, fillers, and tags.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** A joiner is part of many scripts and of put-together emoji: it stays where it joins such. */
const JOINED = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$|(?![\u0000-\u024f])[\p{Letter}\p{Mark}]$/u;

/** Text whose every character can be seen and stands where it is written; line ends and tabs stay. */
export function visibly(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n/g, '\n') : text;
  const plain = lines.includes('\u001b') ? lines.replace(COLOURS, '') : lines;
  return plain.replace(UNSEEN, (letter, at: number) => {
    const code = letter.codePointAt(0) ?? 0;
    const joins = code === 0x200c || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0e);
    if (joins && JOINED.test(plain.slice(Math.max(0, at - 2), at))) return letter;
    // The pictures of the control characters stand in the same order.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
