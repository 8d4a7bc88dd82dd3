import { nameOfAsker } from '../entities/session/origin';
import type { Session, SessionId } from '../generated/wire';
import { lastActive } from './activity';
import type { Handlers } from './handlers';
import { GROUPINGS, type Grouping, initialSidebar, type SessionGroup, type Sidebar } from './parts/layout';
import { remembered } from './remembered';
import { faceOf, isBlocked, oldestPending, sessionOf, sessionsInOrder, type WaitingParts } from './select';
import type { State } from './state';

export type SidebarAction =
  | { type: 'sidebar_grouped'; grouping: Grouping }
  | { type: 'session_pinned'; session: SessionId; pinned: boolean }
  | { type: 'groups_held'; held: boolean };

export const sidebarHandlers: Handlers<SidebarAction> = {
  sidebar_grouped: (state, { grouping }) => arrange(state, { ...state.sidebar, grouping }),
  session_pinned(state, { session, pinned }) {
    const others = state.sidebar.pinned.filter((id) => id !== session && sessionOf(state, id) !== null);
    return arrange(state, { ...state.sidebar, pinned: pinned ? [...others, session] : others });
  },
  groups_held: (state, { held }) => ({ ...state, heldGroups: held ? currentGroups(state) : null }),
};

/** Changes the layout at once, even under the pointer. */
function arrange(state: State, sidebar: Sidebar): State {
  const next = { ...state, sidebar };
  return state.heldGroups === null ? next : { ...next, heldGroups: currentGroups(next) };
}

/** The groups by state, in their order. */
const STATE_GROUPS = ['needs_you', 'failed', 'working', 'done', 'idle', 'earlier'] as const;
export type StateGroup = (typeof STATE_GROUPS)[number];

export function isPinned({ sidebar }: Pick<State, 'sidebar'>, session: SessionId): boolean {
  return sidebar.pinned.includes(session);
}

/** The parts of the state that the order of the sessions depends on. */
type OrderPart = 'sessions' | 'requests' | 'approvals' | 'finished' | 'lastAt' | 'sidebar' | 'agentsKnown';
type OrderParts = Pick<State, OrderPart>;

/** The groups that the sidebar shows, without empty ones. While they are held, no session changes its place. */
export const sessionGroups = remembered<State, OrderPart | 'heldGroups', readonly SessionGroup[]>(
  ['sessions', 'requests', 'approvals', 'finished', 'lastAt', 'sidebar', 'agentsKnown', 'heldGroups'],
  shownGroups,
);

function shownGroups(state: Pick<State, OrderPart | 'heldGroups'>): SessionGroup[] {
  // In the user's own order, sessions move only when the user moves them.
  if (state.heldGroups === null || state.sidebar.grouping === 'own') return currentGroups(state);
  const held = state.heldGroups.map((group) => ({ ...group, sessions: group.sessions.flatMap(({ id }) => sessionOf(state, id) ?? []) }));
  const listed = new Set(held.flatMap(({ sessions }) => sessions));
  // New sessions come last and belong to no group yet.
  const added = sessionsInOrder(state).filter((session) => !listed.has(session));
  return [...held, { by: 'own' as const, name: '', sessions: added }].filter(({ sessions }) => sessions.length > 0);
}

function currentGroups(state: OrderParts): SessionGroup[] {
  const { grouping } = state.sidebar;
  const groups = new Map<string, Session[]>(grouping === 'state' ? STATE_GROUPS.map((name) => [name, []]) : []);
  const ordered = sessionsInOrder(state);
  for (const session of grouping === 'own' ? ordered : ordered.toSorted((a, b) => lastActive(state, b) - lastActive(state, a))) {
    const name = groupOf(state, session);
    const known = groups.get(name);
    if (known) known.push(session);
    else groups.set(name, [session]);
  }
  return [...groups].flatMap(([name, members]) => {
    if (members.length === 0) return [];
    const sorted = name === 'needs_you' && grouping === 'state' ? oldestFirst(state, members) : members;
    return [{ by: grouping, name, sessions: pinnedFirst(state, sorted) }];
  });
}

/** The sessions in the order in which the sidebar shows them. */
export function listedSessions(state: State): Session[] {
  return sessionGroups(state).flatMap(({ sessions }) => sessions);
}

function groupOf(state: OrderParts, session: Session): string {
  switch (state.sidebar.grouping) {
    case 'state':
      return stateGroupOf(state, session);
    case 'folder':
      return session.folder;
    case 'agent':
      return nameOfAsker(state.agentsKnown, session);
    case 'own':
      return '';
  }
}

function stateGroupOf(state: OrderParts, session: Session): StateGroup {
  const face = faceOf(state, session);
  if (face === 'starting') return 'working';
  if (face === 'goes_on') return 'needs_you';
  return face === 'ended' ? 'earlier' : face;
}

/** Those whose agent waits come first. */
function oldestFirst(state: WaitingParts, sessions: readonly Session[]): Session[] {
  const since = ({ id }: Session) => oldestPending(state, id)?.askedAt ?? 0;
  const goesOn = ({ id }: Session) => Number(!isBlocked(state, id));
  return sessions.toSorted((a, b) => goesOn(a) - goesOn(b) || since(a) - since(b));
}

function pinnedFirst({ sidebar }: OrderParts, sessions: readonly Session[]): readonly Session[] {
  if (sidebar.pinned.length === 0) return sessions;
  const pins = new Set(sidebar.pinned);
  return [true, false].flatMap((pinned) => sessions.filter(({ id }) => pins.has(id) === pinned));
}

const KEY = 'askdesk.sidebar';

/** Loads the layout that was stored last. */
export function readSidebar(): Sidebar {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<keyof Sidebar, unknown>> | null;
    const grouping = GROUPINGS.find((one) => one === stored?.grouping) ?? initialSidebar.grouping;
    const pinned = Array.isArray(stored?.pinned) ? stored.pinned.filter((id) => typeof id === 'string') : [];
    return { grouping, pinned };
  } catch {
    return initialSidebar;
  }
}

export function storeSidebar({ sidebar }: State): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(sidebar));
  } catch {
    // The layout then lasts as long as the window.
  }
}
