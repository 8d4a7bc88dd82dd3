import type { Entry, EntryBody, Session, SessionId, TodoItem } from '../generated/wire';
import { cutText } from '../shared/text';
import { visibly } from '../shared/visible';
import type { Activity } from './parts/noticed';
import { withoutKey } from './records';
import type { State } from './state';

export const noActivity: Activity = { todo: null, tool: null, said: null, stopped: false };

/** The maximum length of a text, in graphemes. */
const SHOWN = 200;
/** How much of a message is searched for its first line, in characters. */
const SEARCHED = 2000;

/** Notes what an entry tells about its session. */
export function noteEntry(known: State, session: SessionId, { n, at, body }: Entry): State {
  const state = body.kind === 'user' || body.kind === 'turn_ended' ? active(known, session, at) : known;
  const before = state.activity[session] ?? noActivity;
  const after = follow(before, body);
  const next = after === before ? state : { ...state, activity: { ...state.activity, [session]: after } };
  if (body.kind === 'user') return unfinished(next, session);
  if (body.kind !== 'turn_ended') return next;
  // A turn that failed or was stopped has ended, but nothing is done.
  if (body.error !== null || before.stopped) return unfinished(next, session);
  return { ...next, finished: { ...next.finished, [session]: n } };
}

/** When something last happened in a session: it started, the user wrote, a turn ended, or it ended. */
export function lastActive({ lastAt }: Pick<State, 'lastAt'>, { id, startedAt, state }: Session): number {
  return Math.max(startedAt, lastAt[id] ?? 0, state.state === 'ended' ? state.at : 0);
}

function active(state: State, session: SessionId, at: number): State {
  return at <= (state.lastAt[session] ?? 0) ? state : { ...state, lastAt: { ...state.lastAt, [session]: at } };
}

/** A session that works again is no longer done. */
export function noteTurn(state: State, before: Session | null, { id, state: now }: Session): State {
  const begins = now.state === 'working' && before?.state.state !== 'working';
  return begins || now.state === 'ended' ? unfinished(state, id) : state;
}

function unfinished(state: State, session: SessionId): State {
  return session in state.finished ? { ...state, finished: withoutKey(state.finished, session) } : state;
}

function follow(before: Activity, body: EntryBody): Activity {
  switch (body.kind) {
    case 'user':
      return { ...before, tool: null, said: null, stopped: false };
    case 'agent': {
      const said = firstLine(body.text);
      return said === '' || said === before.said ? before : { ...before, said };
    }
    case 'plan':
      return { ...before, todo: current(body.items) };
    case 'tool': {
      const { detail, toolUse: id, status } = body;
      if (detail.detail === 'todos') return { ...before, todo: current(detail.items) };
      if (status === 'done' || status === 'failed' || status === 'denied' || status === 'refused' || status === 'no_result')
        return before.tool?.id === id ? { ...before, tool: null } : before;
      const [name, summary] = [body.name, body.summary].map(oneLine) as [string, string];
      return { ...before, tool: { id, name, summary, runs: body.toolKind === 'execute' } };
    }
    case 'turn_ended':
      return { ...before, tool: null, todo: null, stopped: false };
    case 'notice':
      return body.notice.notice === 'interrupted' ? { ...before, stopped: true } : before;
    default:
      return before;
  }
}

function current(items: readonly TodoItem[]): Activity['todo'] {
  const index = items.findIndex(({ status }) => status === 'in_progress');
  const item = items[index];
  return item ? { text: oneLine(item.text), n: index + 1, count: items.length } : null;
}

/** The first line of a Markdown text, without its marks. */
function firstLine(text: string): string {
  const lines = text.slice(0, SEARCHED).split('\n');
  const first = lines.find((line) => /[\p{Letter}\p{Number}]/u.test(line)) ?? '';
  return oneLine(first.replace(/^[\s#>*+-]+|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, ''));
}

function oneLine(text: string): string {
  return visibly(cutText(text.trim().split('\n', 1)[0] ?? '', SHOWN));
}
