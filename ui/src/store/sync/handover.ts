import type { Place } from '../place';
import type { Inbox, State } from '../state';

/** Set once a handover was taken: a page that is reloaded does not take it again. */
const TAKEN_KEY = 'askdesk.left-taken';

/** What only the page knows; the app sends all else again. */
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
  'lastWaiting',
] as const satisfies readonly (keyof State)[];

/** What a page hands to the next one when its window closes and the app stays. */
export type Handover = Pick<State, (typeof fields)[number]> & { place: Place; inbox: Inbox };

export function handoverOf(state: State): Handover {
  const own = Object.fromEntries(fields.map((field) => [field, state[field]])) as Pick<State, (typeof fields)[number]>;
  const { at, session } = state.navigation.place;
  // What the past showed is not known to the next page.
  const place: Place = { at: at === 'start' || at === 'inbox' ? at : 'session', session };
  return { ...own, place, inbox: state.inbox };
}

/** Starts where the page before stopped. */
export function resumeFrom(state: State, handover: Handover | null): State {
  if (handover === null || sessionStorage.getItem(TAKEN_KEY) !== null) return state;
  sessionStorage.setItem(TAKEN_KEY, '');
  const { place, ...rest } = handover;
  const navigation = { ...state.navigation, place: { ...place, session: null } };
  return { ...state, ...rest, navigation, remembered: place.session };
}
