import type { Place } from './place';
import type { Inbox, State } from './state';

/** What the page before this one has taken from what it was given; a page that is read anew takes nothing again. */
const TAKEN_KEY = 'askdesk.left-taken';

/** What stands in the page alone. All else the app tells anew. */
const fields = [
  'unread',
  'start',
  'picked',
  'missedOpen',
  'messages',
  'attached',
  'refusals',
  'queueEdits',
  'failures',
  'unfolded',
  'panelCollapsed',
  'panelWidth',
  'walked',
] as const satisfies readonly (keyof State)[];

/** What a page leaves to the next one when its window closes and the app goes on. */
export type Left = Pick<State, (typeof fields)[number]> & { place: Place; inbox: Inbox };

export function leftOf(state: State): Left {
  const own = Object.fromEntries(fields.map((field) => [field, state[field]])) as Pick<State, (typeof fields)[number]>;
  const { at, session } = state.navigation.place;
  // What the past showed is not known to the next page.
  const place: Place = { at: at === 'start' || at === 'inbox' ? at : 'session', session };
  return { ...own, place, inbox: state.inbox };
}

/** Begins where the page before stopped. */
export function goOnFrom(state: State, left: Left | null): State {
  if (left === null || sessionStorage.getItem(TAKEN_KEY) !== null) return state;
  sessionStorage.setItem(TAKEN_KEY, '');
  const { place, ...rest } = left;
  const navigation = { ...state.navigation, place: { ...place, session: null } };
  return { ...state, ...rest, navigation, remembered: place.session };
}
