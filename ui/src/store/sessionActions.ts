import { isInbound } from '../entities/session/origin';
import type { Session } from '../generated/wire';
import type { MenuItem } from '../shared/menu';
import { t } from '../shared/messages';
import { canFork } from './agents';
import type { Commands } from './page';
import { isPinned } from './sidebar';
import type { State } from './state';

/** The actions in a session's menus: of its row and of its header. */
export type SessionAction =
  'rename' | 'up' | 'down' | 'pin' | 'unpin' | 'mute' | 'unmute' | 'hide' | 'unhide' | 'resume' | 'fork' | 'end' | 'close';

/** The actions that happen in the list of sessions. */
type ListAction = 'rename' | 'up' | 'down';

export function needsList(action: SessionAction): action is ListAction {
  return action === 'rename' || action === 'up' || action === 'down';
}

/** The place of a session among those that it can be moved between. */
export interface MovePlace {
  index: number;
  count: number;
}

/** The actions that a session's menu currently offers; without a place, the session can't be moved. */
export function actionsOf(state: State, session: Session, place: MovePlace | null): (MenuItem & { id: SessionAction })[] {
  const pinned = isPinned(state, session.id);
  const ended = session.state.state === 'ended';
  const actions: (MenuItem & { id: SessionAction; offered: boolean })[] = [
    { id: 'resume', words: t('session_action.resume'), offered: session.resumable },
    { id: 'fork', words: t('session_action.fork'), offered: canFork(state, session) },
    { id: 'rename', words: t('session_action.rename'), keys: t('session_action.rename_keys'), offered: true },
    { id: 'up', words: t('session_action.up'), keys: t('session_action.up_keys'), offered: place !== null && place.index > 0 },
    {
      id: 'down',
      words: t('session_action.down'),
      keys: t('session_action.down_keys'),
      offered: place !== null && place.index < place.count - 1,
    },
    { id: 'pin', words: t('session_action.pin'), offered: !pinned },
    { id: 'unpin', words: t('session_action.unpin'), offered: pinned },
    { id: 'mute', words: t('session_action.mute'), offered: !session.attention.muted },
    { id: 'unmute', words: t('session_action.unmute'), offered: session.attention.muted },
    { id: 'hide', words: t('session_action.hide'), offered: !session.attention.private },
    { id: 'unhide', words: t('session_action.unhide'), offered: session.attention.private },
    { id: 'end', words: t('session_action.end'), danger: true, offered: !ended && !isInbound(session) },
    { id: 'close', words: t('session_action.close'), danger: true, offered: true },
  ];
  return actions.filter((action) => action.offered).map(({ offered: _, ...action }) => action);
}

/** Carries out an action that doesn't need the list. */
export function doAnywhere({ dispatch, send, sessions }: Commands, session: Session, action: Exclude<SessionAction, ListAction>): void {
  const { id, attention } = session;
  switch (action) {
    case 'pin':
    case 'unpin':
      dispatch({ type: 'session_pinned', session: id, pinned: action === 'pin' });
      break;
    case 'mute':
    case 'unmute':
      void send('set_session_notifications', { session: id, attention: { ...attention, muted: action === 'mute' } });
      break;
    case 'hide':
    case 'unhide':
      void send('set_session_notifications', { session: id, attention: { ...attention, private: action === 'hide' } });
      break;
    case 'resume':
      void send('resume_session', { session: id, endInBackground: false });
      break;
    case 'fork':
      void sessions.fork(id);
      break;
    case 'end':
      void sessions.end(id);
      break;
    case 'close':
      void sessions.close(id);
      break;
  }
}

/** The session that a step moves a session before; null means the end, undefined that no step is possible. */
export function beforeAfterStep(order: readonly Session[], session: Session, step: -1 | 1): string | null | undefined {
  const index = order.findIndex((other) => other.id === session.id);
  if (index < 0 || order[index + step] === undefined) return undefined;
  return (step < 0 ? order[index - 1] : order[index + 2])?.id ?? null;
}

/** Like {@link beforeAfterStep}, but for a drop into a gap; gaps are counted from the top. */
export function beforeAfterDrop(order: readonly Session[], session: string, gap: number): string | null | undefined {
  const from = order.findIndex((other) => other.id === session);
  if (from < 0 || gap === from || gap === from + 1) return undefined;
  return order[gap]?.id ?? null;
}
