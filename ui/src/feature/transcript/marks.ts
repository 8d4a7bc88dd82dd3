import { fold, foldedFrom } from '../../shared/fold';

const ALL = 'found';
const HERE = 'found-here';

/** Marks words in the text of a feed, those of one entry more strongly. The document itself stays as it is. */
export function markWords(feed: HTMLElement, asked: string, entry: number | null): void {
  if (!('highlights' in CSS)) return;
  const words = asked
    .split(/\s+/)
    .map(fold)
    .filter((word) => word !== '');
  const [all, here]: [Range[], Range[]] = [[], []];
  const texts = document.createTreeWalker(feed, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const ranges = rangesOf(node, words);
    if (ranges.length === 0) continue;
    const n = node.parentElement?.closest('[data-entry]')?.getAttribute('data-entry');
    (n === String(entry) ? here : all).push(...ranges);
  }
  fill(ALL, all);
  fill(HERE, here);
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

function rangesOf(node: Node, words: readonly string[]): Range[] {
  const { text, from } = foldedFrom(node.nodeValue ?? '');
  const ranges: Range[] = [];
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const [first, last] = [from[at], from[at + word.length - 1]];
      if (!first || !last) continue;
      const range = document.createRange();
      range.setStart(node, first.start);
      range.setEnd(node, last.end);
      ranges.push(range);
    }
  }
  return ranges;
}
