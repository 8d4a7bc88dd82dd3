import type { RequestId, Session, SessionId } from '../../generated/wire';

/** What the sidebar groups the sessions by; `own` is the user's own order, without groups. */
export const GROUPINGS = ['state', 'folder', 'agent', 'own'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The layout of the sidebar, which outlives the window. */
export interface Sidebar {
  grouping: Grouping;
  /** These come first in their group. */
  pinned: readonly SessionId[];
}

export const initialSidebar: Sidebar = { grouping: 'state', pinned: [] };

/** A heading of the sidebar with its sessions; only the user's own order has none. */
export interface SessionGroup {
  by: Grouping;
  /** A {@link StateGroup}, a folder, or the name of an agent. */
  name: string;
  sessions: readonly Session[];
}

/** In pixels: from the narrowest usable card to the widest panel that leaves a readable transcript. */
export const PANEL_WIDTH = { min: 304, preferred: 400, max: 720 } as const;

/** What kind of item it is, and its id. */
export type ItemKey = `${'question' | 'approval' | 'sent'} ${string}` | 'late';

/** How the user has arranged the window. */
export interface Layout {
  sidebar: Sidebar;
  /** The groups of the sidebar as they were when the pointer came over it, or a menu or a name of a session was opened; null otherwise. */
  heldGroups: readonly SessionGroup[] | null;
  /** The item that the user picked for the sheet of a session. */
  picked: Readonly<Record<SessionId, ItemKey>>;
  missedOpen: Readonly<Record<RequestId, boolean>>;
  /** Whether the user has folded the side to a strip. It outlives the window. */
  sideFolded: boolean;
  /** In pixels. */
  panelWidth: number;
}

export const initialLayout: Layout = {
  sidebar: initialSidebar,
  heldGroups: null,
  picked: {},
  missedOpen: {},
  sideFolded: false,
  panelWidth: PANEL_WIDTH.preferred,
};

const FOLDED_KEY = 'askdesk.side-folded';

export function readSideFolded(): boolean {
  return localStorage.getItem(FOLDED_KEY) === 'yes';
}

export function storeSideFolded({ sideFolded }: Layout): void {
  try {
    localStorage.setItem(FOLDED_KEY, sideFolded ? 'yes' : 'no');
  } catch {
    // The choice then lasts as long as the window.
  }
}
