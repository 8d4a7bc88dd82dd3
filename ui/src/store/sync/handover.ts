import type { Place } from '../place';
import type { Inbox } from '../parts/navigation';
import type { State } from '../state';

/** Set once a handover was applied, so that a reloaded page doesn't apply it again. */
const TAKEN_KEY = 'askdesk.left-taken';

/** State that only the page knows; the app sends everything else again. */
const fields = [
  'unread',
  'finished',
  'activity',
  'lastAt',
  'start',
  'startError',
  'sentStarts',
  'picked',
  'missedOpen',
  'messages',
  'attached',
  'refusals',
  'queueEdits',
  'failures',
  'unfolded',
  'panelWidth',
  'lastWaiting',
] as const satisfies readonly (keyof State)[];

/** What a page hands over to the next one when its window closes and the app keeps running. */
export type Handover = Pick<State, (typeof fields)[number]> & { place: Place; inbox: Inbox };

export function handoverOf(state: State): Handover {
  const own = Object.fromEntries(fields.map((field) => [field, state[field]])) as Pick<State, (typeof fields)[number]>;
  const { at, session } = state.navigation.place;
  // The next page doesn't have the data of the History view.
  const place: Place = { at: at === 'start' || at === 'inbox' ? at : 'session', session };
  // Whether one on its way has become a session, the next page doesn't learn.
  const sentStarts = state.sentStarts.map((sent) => ({ ...sent, isOnItsWay: false }));
  return { ...own, sentStarts, place, inbox: state.inbox };
}

/** Restores the state of the previous page. */
export function resumeFrom(state: State, handover: Handover | null): State {
  if (handover === null || sessionStorage.getItem(TAKEN_KEY) !== null) return state;
  sessionStorage.setItem(TAKEN_KEY, '');
  const { place, ...rest } = handover;
  const navigation = { ...state.navigation, place: { ...place, session: null } };
  return { ...state, ...rest, navigation, remembered: place.session };
}
