import type { SessionId } from '../generated/wire';

/** What the middle column shows. `session` is the session in view, or the one to return to. */
export type Place = { session: SessionId | null } & View;

export type View =
  | { at: 'session' | 'changes' | 'start' | 'inbox' | 'history' }
  /** A part of a past transcript, opened at an entry or at its end. */
  | { at: 'past_session'; past: SessionId; entry: number | null };

/** The current place, and the history for going back and forward. */
export interface Navigation {
  readonly place: Place;
  /** Most recent last. */
  readonly back: readonly Place[];
  /** Nearest last. */
  readonly forward: readonly Place[];
}

export type Direction = 'back' | 'forward';

/** The maximum number of remembered places in each direction. */
export const MOST_PLACES = 50;

export const initialNavigation: Navigation = { place: { at: 'session', session: null }, back: [], forward: [] };

/** Goes to a place at the user's request. */
export function goTo(navigation: Navigation, place: Place): Navigation {
  if (isSame(navigation.place, place)) return navigation;
  return { place, back: push(navigation.back, navigation.place), forward: [] };
}

/** Changes the place without a history entry, for example because the previous place no longer exists. */
export function replacePlace(navigation: Navigation, place: Place): Navigation {
  return { ...navigation, place };
}

/** Goes back or forward to the nearest place that still exists; stays if there is none. */
export function step(navigation: Navigation, direction: Direction, exists: (place: Place) => boolean): Navigation {
  const ahead = navigation[direction];
  const index = ahead.findLastIndex((place) => exists(place) && !isSame(place, navigation.place));
  const place = ahead[index];
  if (!place) return navigation;
  const opposite = direction === 'back' ? 'forward' : 'back';
  return { ...navigation, place, [direction]: ahead.slice(0, index), [opposite]: push(navigation[opposite], navigation.place) };
}

function push(places: readonly Place[], place: Place): readonly Place[] {
  return [...places, place].slice(-MOST_PLACES);
}

function isSame(a: Place, b: Place): boolean {
  if (a.session !== b.session || a.at !== b.at) return false;
  return a.at !== 'past_session' || b.at !== 'past_session' || (a.past === b.past && a.entry === b.entry);
}
