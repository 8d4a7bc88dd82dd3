import type { Approval, ToolDetail } from '../../generated/wire';
import { readDiff } from '../../shared/diff';
import { t } from '../../shared/messages';
import { cutText } from '../../shared/text';
import { visibly } from '../../shared/visible';
import { warningOf } from './remark';

/** Whether a permission request can be read in full in a list of many requests; if not, why. */
export type ReadableHere =
  | { here: 'readable' }
  | { here: 'warned' | 'plan' | 'unknown_tool' | 'cut' | 'hidden_characters' }
  | { here: 'too_long'; of: 'changed_lines' | 'lines' | 'characters'; count: number };

/** The most lines that a request may have, with what the agent says about it. */
export const LINES_HERE = 4;
/** A longer line counts as several. In columns; a wide character takes two. */
export const COLUMNS_HERE = 80;

const TAB = 8;

/** The most graphemes of a helper's name. */
const ASKER_SHOWN = 60;

/** The suffixes of texts that the app has cut. */
const CUT = /… \[cut at \d+ KiB\]\s*$/;

/** Characters that change how a text looks without being seen, and that `visibly` removes. */
const REMOVED = /[\u001b\r]/;

/**
 * What stays unclear after `visibly`: joiners and selectors, blanks that only look like a space, marks that cover the
 * character below them, and letters from right to left, which reorder their surroundings.
 */
const UNCLEAR = new RegExp(
  [
    /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u,
    /(?! )\p{Zs}/u,
    /\p{M}{3}/u,
    /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'u',
);

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f000}-\u{3ffff}]/u;

/** What a request would do: its name, shown as a title, and its content, line by line. */
interface Argument {
  title: string;
  lines: readonly string[];
  changed: number | null;
}

const judged = new WeakMap<Approval, ReadableHere>();

/**
 * Decides whether the whole request can be read in a list, where it may then be decided: the agent doesn't warn, the tool is
 * known, nothing is cut off, it has at most four lines, and every character of it can be seen.
 */
export function readableHere(approval: Approval): ReadableHere {
  let known = judged.get(approval);
  if (!known) {
    known = judge(approval);
    judged.set(approval, known);
  }
  return known;
}

/** The helper of the agent that asks; null if the agent itself asks. */
export function askerOf({ askedBy }: Approval): string | null {
  return askedBy ? t('question.asked_by', { name: visibly(cutText(askedBy, ASKER_SHOWN)) }) : null;
}

/** What the agent's model says about a request, apart from what it would do. */
export function saidAbout({ subject, description }: Approval): string[] {
  const own = subject.detail === 'command' ? subject.description : null;
  const path = 'path' in subject ? subject.path : null;
  // An agent describes the change of a file by the file's name, which says nothing more.
  const isNews = (text: string | null) => text !== null && text.trim() !== '' && !path?.endsWith(text.trim());
  const said = [own, description].filter(isNews) as string[];
  // The agent's description often arrives in both places.
  return said.filter((text, index) => !said.some((other, at) => at < index && other.includes(text)));
}

const sameness = new WeakMap<Approval, string | null>();

/** What makes requests of a session the same to decide; null if they can't be read in a list. */
export function sameHere(approval: Approval): string | null {
  let known = sameness.get(approval);
  if (known === undefined) {
    const { session, helper, askedBy, title, remark, subject, options, takesMessage } = approval;
    const readable = readableHere(approval).here === 'readable';
    known = readable ? JSON.stringify([session, helper, askedBy, title, remark, subject, options, takesMessage]) : null;
    sameness.set(approval, known);
  }
  return known;
}

function judge(approval: Approval): ReadableHere {
  const { subject, title } = approval;
  if (warningOf(approval)) return { here: 'warned' };
  if (subject.detail === 'plan') return { here: 'plan' };
  const argument = argumentOf(subject);
  if (!argument) return { here: 'unknown_tool' };
  const said = [...saidAbout(approval), ...(approval.remark?.words ? [approval.remark.words] : [])];
  const exact = [title, argument.title, ...argument.lines];
  const all = [...exact, ...said];
  // A text without its end must not be decided by its beginning, however short that is.
  if (isCut(approval)) return { here: 'cut' };
  const lines = [...argument.lines, ...said.flatMap(linesOf)];
  const { changed } = argument;
  if (lines.length > LINES_HERE) {
    if (changed !== null && changed > LINES_HERE) return { here: 'too_long', of: 'changed_lines', count: changed };
    return { here: 'too_long', of: 'lines', count: lines.length };
  }
  const overlong = [title, argument.title].some((text) => rowsOf(text) > 1);
  if (overlong || lines.reduce((count, line) => count + rowsOf(line), 0) > LINES_HERE) {
    return { here: 'too_long', of: 'characters', count: all.reduce((count, text) => count + text.length, 0) };
  }
  const unclear = exact.some((text) => REMOVED.test(text) || UNCLEAR.test(visibly(text)));
  return unclear || said.some((text) => REMOVED.test(text)) ? { here: 'hidden_characters' } : { here: 'readable' };
}

/** Null for a tool whose input is only known as text, and for a request that says nothing. */
function argumentOf(subject: ToolDetail): Argument | null {
  switch (subject.detail) {
    case 'command':
      return ofText(subject.command);
    case 'network':
      return ofText(subject.target);
    case 'write':
      return isBlank(subject.path) ? null : { title: subject.path, lines: linesOf(subject.content), changed: null };
    case 'edit': {
      if (isBlank(subject.path) || subject.diff.trim() === '') return null;
      const lines = readDiff(subject.diff);
      const changed = lines.filter(({ kind }) => kind === 'added' || kind === 'removed').length;
      return { title: subject.path, lines: lines.filter((line) => !isBarePlace(line.text)).map(({ text }) => text), changed };
    }
    default:
      return null;
  }
}

function ofText(text: string): Argument | null {
  return isBlank(text) ? null : { title: '', lines: linesOf(text), changed: null };
}

/** A place line of a diff holds no more than its line numbers, unless the agent's other parameters follow them. */
function isBarePlace(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@$/.test(text);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Whether the app has stored only the beginning of a request. */
export function isCut(approval: Approval): boolean {
  return wholeTexts(approval).some((text) => CUT.test(text));
}

function wholeTexts({ subject, title, description }: Approval): string[] {
  const todos = subject.detail === 'todos' ? subject.items.map(({ text }) => text) : [];
  const texts = [...todos, ...Object.values(subject).filter((value): value is string => typeof value === 'string')];
  return [title, ...(description === null ? [] : [description]), ...texts];
}

/** The lines of a text; the line break at its end starts no further one. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** How many rows a line takes. */
function rowsOf(line: string): number {
  // Every character takes at least a column, so the rest of a very long line needs no look.
  const shown = visibly(line.slice(0, LINES_HERE * COLUMNS_HERE + 1));
  let columns = 0;
  for (const letter of shown) columns += letter === '\t' ? TAB - (columns % TAB) : WIDE.test(letter) ? 2 : 1;
  return Math.max(1, Math.ceil(columns / COLUMNS_HERE));
}
