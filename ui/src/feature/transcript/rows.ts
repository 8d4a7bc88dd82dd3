import { goesOn } from '../../entities/request/requestStatus';
import { type Changes, changesOf } from '../../entities/tool/changes';
import { shownTool } from '../../entities/tool/toolName';
import type { Entry, EntryBody, Request, RequestId, ToolKind, ToolStatus } from '../../generated/wire';
import { plural, t } from '../../shared/messages';
import { visibly } from '../../shared/visible';

export type ToolEntry = Entry & { body: Extract<EntryBody, { kind: 'tool' }> };

/** A row of the transcript: a single entry, or a run of tool calls on one line, of the agent itself or of its subagents. */
export interface Row {
  /** The first and the last entry number. */
  n: number;
  last: number;
  entry: Entry;
  /** The calls of a run; empty for a single entry. */
  run: readonly ToolEntry[];
  /** How long the run took, as far as the next entry shows it. */
  millis: number | null;
}

/** Arranges entries in rows: consecutive tool calls that are done share one, and so do all consecutive ones of subagents. */
export function rowsOf(entries: readonly Entry[]): Row[] {
  const rows: Row[] = [];
  let run: ToolEntry[] = [];
  const close = (next: Entry | null) => {
    const [first, last] = [run[0], run.at(-1)];
    if (first && last) {
      const single = first === last && !ofSubagent(first);
      const millis = next && next.body.kind !== 'user' ? next.at - first.at : null;
      rows.push({ n: first.n, last: last.n, entry: first, run: single ? [] : run, millis });
    }
    run = [];
  };
  for (const entry of entries) {
    if (folds(entry)) {
      const before = run.at(-1);
      if (before && ofSubagent(before) !== ofSubagent(entry)) close(entry);
      run.push(entry);
    } else {
      close(entry);
      const before = rows.at(-1);
      if (before?.entry.body.kind === 'turn_ended' && isEmptyTurn(entry)) before.last = entry.n;
      else rows.push({ n: entry.n, last: entry.n, entry, run: [], millis: null });
    }
  }
  close(null);
  return rows;
}

/** Whether a turn ended in which the agent did nothing, such as one that only told it that a subagent had ended. */
function isEmptyTurn({ body }: Entry): boolean {
  return body.kind === 'turn_ended' && body.error === null && body.inputTokens === 0 && body.outputTokens === 0;
}

/** The agent's next words after each question that it didn't wait for, if the answer hadn't come by then. */
export function wentOnIn(entries: readonly Entry[], requestOf: (id: RequestId) => Request | null): ReadonlySet<number> {
  const found = new Set<number>();
  let asked: Request[] = [];
  for (const { n, at, body } of entries) {
    const request = body.kind === 'request' ? requestOf(body.request) : null;
    if (request && goesOn(request)) asked.push(request);
    if (body.kind !== 'agent') continue;
    if (asked.some(({ state }) => state.state === 'open' || at <= state.at)) found.add(n);
    asked = [];
  }
  return found;
}

/** Whether a call may be folded: any of a subagent; of the agent itself never one that runs, waits, or failed, and no list, plan, or picture to be read at a glance. */
function folds(entry: Entry): entry is ToolEntry {
  const { body } = entry;
  if (body.kind === 'tool' && body.subagent !== undefined) return true;
  if (body.kind !== 'tool' || body.status !== 'done' || body.images !== undefined) return false;
  return body.detail.detail !== 'todos' && body.detail.detail !== 'plan';
}

function ofSubagent({ body }: ToolEntry): boolean {
  return body.subagent !== undefined;
}

/** The rows that are one line each, and stand close together. */
const LINES: ReadonlySet<EntryBody['kind']> = new Set([
  'thinking',
  'tool',
  'request',
  'copied_question',
  'approval',
  'notice',
  'turn_ended',
]);

export function isLine(row: Row | undefined): boolean {
  return row !== undefined && LINES.has(row.entry.body.kind);
}

/** The index of the row of an entry; -1 if it isn't listed. */
export function rowIndexOf(rows: readonly Row[], n: number): number {
  return rows.findIndex((row) => row.n <= n && n <= row.last);
}

type ToolAction = Exclude<ToolKind, 'think'>;

const toolActionWords: Record<ToolAction, (count: number) => string> = {
  read: (count) => plural('run.read', count),
  edit: (count) => plural('run.edit', count),
  execute: (count) => plural('run.execute', count),
  search: (count) => plural('run.search', count),
  fetch: (count) => plural('run.fetch', count),
  other: (count) => plural('run.other', count),
};

/** What a run did: `Read 6 files, ran 2 commands`, or of subagents how many steps. A file counts once. */
export function wordsOfRun(run: readonly ToolEntry[]): string {
  const steps = new Map<string, number>();
  for (const { body } of run) if (body.subagent !== undefined) steps.set(body.subagent, (steps.get(body.subagent) ?? 0) + 1);
  if (steps.size > 0) {
    return [...steps]
      .map(([title, count]) => t('run.subagent', { title: visibly(title), steps: plural('run.steps', count) }))
      .reduce((before, next) => t('run.and', { before, next }));
  }
  const counted = new Map<ToolAction, Set<string>>();
  for (const { n, body } of run) {
    const action = body.toolKind === 'think' ? 'other' : body.toolKind;
    const seen = counted.get(action) ?? new Set();
    counted.set(action, seen.add(action === 'read' || action === 'edit' ? body.summary : String(n)));
  }
  const words = [...counted]
    .map(([action, { size }]) => toolActionWords[action](size))
    .reduce((before, next) => t('run.and', { before, next }));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The step that a subagent works at; null if it works at none. */
export function stepOfRun(run: readonly ToolEntry[]): string | null {
  const body = run.at(-1)?.body;
  if (body?.subagent === undefined || FINAL.has(body.status)) return null;
  return visibly(`${shownTool(body.name)} ${body.summary}`);
}

const FINAL: ReadonlySet<ToolStatus> = new Set(['done', 'failed', 'denied', 'refused', 'no_result']);

/** The changed lines of a run; null if it changed nothing. */
export function changesOfRun(run: readonly ToolEntry[]): Changes | null {
  const all = run.map(({ body }) => changesOf(body.detail)).filter((changes) => changes !== null);
  if (all.length === 0) return null;
  return { added: all.reduce((sum, { added }) => sum + added, 0), removed: all.reduce((sum, { removed }) => sum + removed, 0) };
}
