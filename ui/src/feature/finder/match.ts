import type { Session } from '../../generated/wire';

/** How well a word matches a text, lower is better; null if it doesn't match. */
function fit(text: string, word: string): number | null {
  const at = text.indexOf(word);
  if (at === 0) return 0;
  if (at > 0) return /[\s/\\_.-]/.test(text[at - 1] ?? '') ? 1 : 2;
  let from = 0;
  for (const letter of word) {
    from = text.indexOf(letter, from) + 1;
    if (from === 0) return null;
  }
  return 4;
}

/** The user chose the name, so name matches rank before folder matches. */
const FOLDER = 5;

function rank({ name, folder }: Session, words: readonly string[]): number | null {
  const [named, placed] = [name.toLowerCase(), folder.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const byFolder = fit(placed, word);
    const best = fit(named, word) ?? (byFolder === null ? null : byFolder + FOLDER);
    if (best === null) return null;
    sum += best;
  }
  return sum;
}

/** The sessions whose name or folder contains every searched word, best match first. */
export function matching(sessions: readonly Session[], asked: string): Session[] {
  const words = asked.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return sessions
    .flatMap((session) => {
      const ranked = rank(session, words);
      return ranked === null ? [] : [{ session, ranked }];
    })
    .sort((a, b) => a.ranked - b.ranked)
    .map(({ session }) => session);
}
