import { nameOfApproval } from '../../entities/approval/approvalWords';
import { spokenText } from '../../entities/request/questionNames';
import { isInbound, nameOfAsker, wordsOfOrigin } from '../../entities/session/origin';
import { wordsOfFace } from '../../entities/session/sessionWords';
import { shownTool } from '../../entities/tool/toolName';
import type { Session, SessionId } from '../../generated/wire';
import { wordsOfFailure } from '../../shared/errors/agentFailureWords';
import { plural, t } from '../../shared/messages';
import { noActivity } from '../../store/activity';
import { faceOf, missedOf, oldestPending } from '../../store/select';
import type { SessionGroup } from '../../store/parts/layout';
import type { StateGroup } from '../../store/sidebar';
import type { State } from '../../store/state';

/** The second line of a session's row: what is open, what the agent is doing, or why the session ended. */
export function lineOf(state: State, session: Session): string {
  const asked = oldestPending(state, session.id);
  if (asked) return 'questions' in asked ? spokenText(asked.questions[0]) : nameOfApproval(asked);
  const face = faceOf(state, session);
  const words = wordsOfFace(session, face);
  const missed = missedOf(state, session.id).length;
  if (missed > 0) return `${words} · ${plural('sessions.missed', missed)}`;
  const agent = `${words} · ${wordsOfOrigin(state.agentsKnown, session)}`;
  if (session.state.state === 'ended') {
    const { end } = session.state;
    if (end.end === 'failed') return `${words} · ${wordsOfFailure(end.why, state.agentsKnown)}`;
    return isInbound(session) ? agent : t(`sessions.ended.${end.end}`);
  }
  const { todo, tool, said } = state.activity[session.id] ?? noActivity;
  if (face === 'idle' || face === 'done') return said ?? agent;
  if (todo) return t('sessions.todo', todo);
  if (tool?.runs) return t('sessions.running', { what: tool.summary });
  return tool ? `${shownTool(tool.name)} ${tool.summary}` : agent;
}

/** The heading of a group; null for the user's own order. */
export function wordsOfGroup({ by, name }: SessionGroup): string | null {
  switch (by) {
    case 'state':
      return name === 'earlier' ? t('group.earlier') : t(`face.${name as Exclude<StateGroup, 'earlier'>}`);
    case 'folder':
      return name === '' ? t('group.no_folder') : name;
    case 'agent':
      return name;
    case 'own':
      return null;
  }
}

/** Two letters that stand for a session in the narrow sidebar. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  const [first = '', second] = words.map((word) => [...word]);
  return [first[0] ?? '·', (second ?? first.slice(1))[0] ?? ''].join('').toLowerCase();
}

/** The initials of sessions, told apart where they would be equal. A session keeps its initials when others move around it. */
export function distinctInitials(sessions: readonly Session[]): ReadonlyMap<SessionId, string> {
  const taken = new Set<string>();
  const found = new Map<SessionId, string>();
  for (const { id, name } of sessions.toSorted((a, b) => a.startedAt - b.startedAt)) {
    for (const initials of candidatesOf(name)) {
      if (taken.has(initials)) continue;
      taken.add(initials);
      found.set(id, initials);
      break;
    }
  }
  return found;
}

/** The initials, then the first letter with each later word, then with a number. */
function* candidatesOf(name: string): Generator<string> {
  const initials = initialsOf(name);
  yield initials;
  const [first = '·', ...words] = (name.match(/[\p{Letter}\p{Number}]+/gu) ?? []).map((word) => [...word]);
  const letter = (first[0] ?? '·').toLowerCase();
  for (const word of words) yield `${letter}${(word[0] ?? '').toLowerCase()}`;
  for (let n = 2; ; n += 1) yield `${letter}${n}`;
}

/** Who asks in a session, its state, and its folder, one a line. */
export function tooltipOf(state: State, session: Session): string {
  const facts = [lineOf(state, session), nameOfAsker(state.agentsKnown, session), session.folder];
  return facts.filter((fact) => fact !== '').join('\n');
}
