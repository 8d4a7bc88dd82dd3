import { foldedFrom } from '../../shared/fold';
import { type Match, phraseOf } from './find';

const ALL = 'found';
const HERE = 'found-here';

/**
 * Marks what is looked for in the text of a feed, the match that is shown more strongly, and returns that one's range if it is
 * drawn. The document itself stays as it is.
 */
export function markWords(feed: HTMLElement, asked: string, shown: Match | null): Range | null {
  const phrase = phraseOf(asked);
  if (!('highlights' in CSS) || !phrase) return null;
  const [all, inEntry]: [Range[], Range[]] = [[], []];
  const texts = document.createTreeWalker(feed, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const ranges = rangesOf(node, phrase);
    if (ranges.length === 0) continue;
    const n = node.parentElement?.closest('[data-entry]')?.getAttribute('data-entry');
    (shown !== null && n === String(shown.n) ? inEntry : all).push(...ranges);
  }
  // What is drawn can have fewer matches than the text it is made of.
  const [here] = shown === null ? [] : inEntry.splice(Math.min(shown.at, inEntry.length - 1), 1);
  fill(ALL, [...all, ...inEntry]);
  fill(HERE, here ? [here] : []);
  return here ?? null;
}

export function noMarks(): void {
  if (!('highlights' in CSS)) return;
  fill(ALL, []);
  fill(HERE, []);
}

/** Takes each old range out of the same highlight: WebKit draws the text of one that is replaced as a whole not anew. */
function fill(name: string, ranges: readonly Range[]): void {
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  for (const range of [...highlight]) highlight.delete(range);
  for (const range of ranges) highlight.add(range);
  CSS.highlights.set(name, highlight);
}

function rangesOf(node: Node, phrase: RegExp): Range[] {
  const { text, from } = foldedFrom(node.nodeValue ?? '');
  return [...text.matchAll(phrase)].flatMap(({ 0: words, index }) => {
    const [first, last] = [from[index], from[index + words.length - 1]];
    if (!first || !last) return [];
    const range = document.createRange();
    range.setStart(node, first.start);
    range.setEnd(node, last.end);
    return [range];
  });
}
