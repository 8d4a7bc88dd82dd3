import { cutText } from '../shared/text';
import type { LineComment } from './parts/changes';

/** How much of a line is quoted, in graphemes. */
const QUOTED = 200;

/** The message that tells the agent about comments. Agents are told everything in English. */
export function commentMessage(comments: readonly LineComment[]): string {
  const told = comments.map(({ path, side, line, quote, text }) => {
    const version = side === 'before' ? ' before your change' : '';
    const quoted = cutText(quote, QUOTED);
    return `${path}, line ${line}${version}:\n> ${quoted}\n${text}`;
  });
  const title = comments.length === 1 ? 'A comment on your changes.' : `${comments.length} comments on your changes.`;
  return [title, ...told].join('\n\n');
}
