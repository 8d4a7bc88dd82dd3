import type { SessionFace } from '../../entities/session/sessionWords';

/** The groups, in the order of the palette. */
export const groups = ['needs_you', 'sessions', 'actions', 'settings'] as const;
export type Group = (typeof groups)[number];

/** Something that the palette finds by its name, and shows or does. */
export interface Entry {
  /** Unique among all entries. */
  id: string;
  group: Group;
  icon: string;
  name: string;
  /** What it belongs to, beside the name. */
  about?: string;
  /** Other texts that find it, such as its English name. */
  aliases?: readonly string[];
  /** What only a screen reader is told, such as the state that the icon shows. */
  state?: string;
  keys?: string;
  face?: SessionFace;
  /** Whether it is only found by what is typed. */
  typed?: boolean;
  /** Whether Enter chooses it while nothing is typed; otherwise that is the first entry. */
  preselected?: boolean;
  run: () => void;
}
