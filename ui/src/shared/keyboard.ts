import { isTyped, shortcutKey, type Press } from './keys';

/** A place in which the user answers one request after another. */
export type Place = 'panel' | 'inbox';

/** The element with the focus, as far as keys are concerned. */
export type Focus =
  | 'field'
  /** An option of a question. */
  | 'choice'
  /** The option Other while it is chosen: what follows are its words. */
  | 'other'
  | 'control'
  /** A card or a place itself, which takes no text. */
  | 'frame'
  | 'nothing';

/** What the card that keys go to asks for: an option, own words, a decision by button, or nothing. */
export type Asks = 'choice' | 'words' | 'decision' | 'nothing';

/** An event that may concern the keyboard. */
export type Happening =
  /** The user pressed the pointer, or moved the focus by a key or a command: into a place, or elsewhere. */
  | { what: 'went'; to: Place | null }
  /** A request that the user answered, skipped, or decided has ended. */
  | { what: 'ended' }
  /** The user sent a message, started a session, or chose a folder. */
  | { what: 'wrote' }
  /** A request, a text, or anything else came from outside. */
  | { what: 'arrived' };

/** The user's place after something happened. Only the user changes it. */
export function placeAfter(place: Place | null, happening: Happening): Place | null {
  return happening.what === 'went' ? happening.to : place;
}

/** Where the focus goes after something happened. */
export type Goal = 'next_card' | 'place' | 'message' | 'stay';

/** `waits` says whether another request waits in the place. A focus that the user has moved meanwhile stays. */
export function goalAfter(happening: Happening, now: { place: Place | null; focus: Focus; waits: boolean }): Goal {
  if (happening.what === 'wrote') return now.place !== null || now.focus === 'field' ? 'stay' : 'message';
  if (happening.what !== 'ended' || now.place === null) return 'stay';
  if (now.focus !== 'nothing' && now.focus !== 'frame') return 'stay';
  return now.waits ? 'next_card' : 'place';
}

/** What happens to a key. */
export type Route =
  /** Whatever has the focus handles it, by the table of keys or by itself. */
  | 'as_is'
  /** Its character is typed into the field of the question. */
  | 'question_field'
  | 'message_field'
  | 'ignored';

/** Keeps text out of choices, and answers out of the chat. `armed` says whether the card has been there long enough. */
export function routeOf(press: Press, now: { place: Place | null; focus: Focus; asks: Asks; armed: boolean }): Route {
  if (now.focus === 'field' || !isTyped(press)) return 'as_is';
  const onFrame = now.focus === 'frame' || now.focus === 'nothing';
  // A space also scrolls, ticks and presses.
  if (press.key === ' ' && !(onFrame && now.asks === 'words')) return 'as_is';
  if (now.focus === 'other') return 'question_field';
  if (now.place === null && now.focus === 'nothing') return 'message_field';
  if (now.focus === 'choice') return 'as_is';
  if (now.asks === 'words') {
    if (now.focus === 'control') return TURNS_AWAY.has(shortcutKey(press)) ? 'ignored' : 'as_is';
    return now.armed ? 'question_field' : 'ignored';
  }
  return onFrame && now.asks === 'decision' && shortcutKey(press) === '/' ? 'ignored' : 'as_is';
}

/** The keys that lead away from a field, or choose something beside it. */
const TURNS_AWAY: ReadonlySet<string> = new Set(['/', 'n', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
