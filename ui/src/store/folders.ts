import { isInbound } from '../entities/session/origin';
import type { Session } from '../generated/wire';
import { worksInFolder } from './agents';
import { homeOf } from './select';
import type { State } from './state';

/** The folder that a new session starts in: what the form holds, the folder used last, or the home folder. */
export function startFolder(state: State): string {
  return state.start.folder ?? lastFolder(state) ?? homeOf(state) ?? '';
}

/** A worktree belongs to its session; the next one starts in its repository. */
function lastFolder(state: State): string | null {
  const last = state.sessions
    .filter((session) => worksInFolder(state, session) && !isInbound(session))
    .reduce<Session | null>((newest, session) => (newest && newest.startedAt >= session.startedAt ? newest : session), null);
  return last && (last.worktree?.repository ?? last.folder);
}
