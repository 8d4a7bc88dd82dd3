import { isInbound } from '../entities/session/origin';
import type { Attachment, Entry, Session, StartWorktree } from '../generated/wire';
import { agentOf } from './agents';
import type { StartChoice } from './commands/start';
import { transcriptOf } from './select';
import type { State } from './state';

/** The user's part of a turn. */
export interface SentMessage {
  text: string;
  attachments: Attachment[];
}

/** What began the turn that ended with an entry: the messages since the turn before; null if they aren't loaded, or there are none. */
export function messageOfTurn(entries: readonly Entry[], ended: number): SentMessage | null {
  const before = entries.slice(
    0,
    entries.findIndex(({ n }) => n === ended),
  );
  const begin = before.findLastIndex(({ body }) => body.kind === 'turn_ended') + 1;
  const said = before.slice(begin).flatMap(({ body }) => (body.kind === 'user' ? [body] : []));
  const text = said.map((body) => body.text).join('\n\n');
  const attachments = said.flatMap((body) => body.attachments);
  return text.trim() === '' && attachments.length === 0 ? null : { text, attachments };
}

/** Whether a failed turn can be sent again: nothing has happened since, and its agent takes a message. */
export function canSendAgain({ state, resumable }: Session, ended: number, count: number): boolean {
  return ended >= count && (state.state === 'idle' || (state.state === 'ended' && resumable));
}

/** How a session is started again that failed before it could be resumed, or was ended before its agent did anything; null if that isn't possible. */
export function startAgain(state: State, session: Session): StartChoice | null {
  const agent = agentOf(state, session);
  const { entries, status, more } = transcriptOf(state, session.id);
  const unheard = entries.every(({ body }) => body.kind === 'user' || body.kind === 'notice');
  const failed = session.state.state === 'ended' && (session.state.end.end === 'failed' || unheard);
  if (!agent || !failed || session.resumable || isInbound(session) || status !== 'read' || more) return null;
  const said = entries.flatMap(({ body }) => (body.kind === 'user' ? [body.text] : []));
  const found = state.agents?.agents.find((one) => one.agent === agent.id);
  const own = session.namedBy === undefined || session.namedBy === 'user';
  const { folder, worktree } = placeOf(session);
  return {
    agent: agent.id,
    folder: agent.capabilities.folder ? folder : null,
    prompt: said[0] ?? null,
    name: own ? session.name : null,
    // Secrets aren't kept; they come from the settings, as does everything else that is added to a start.
    options: { ...session.options, extras: found?.extras ?? { arguments: [], environment: {} } },
    worktree,
    continues: null,
  };
}

/** The same folder; a worktree that was made for the session is used again. */
function placeOf({ folder, worktree }: Session): { folder: string; worktree: StartWorktree | null } {
  if (!worktree) return { folder, worktree: null };
  const { repository, path, branch, base } = worktree;
  const below = folder.startsWith(path) ? folder.slice(path.length) : '';
  return { folder: `${repository}${below}`, worktree: { base, branch, path, setup: '', made: true } };
}
