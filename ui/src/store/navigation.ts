import type { Session, SessionId } from '../generated/wire';
import type { Handlers } from './handlers';
import { emptyExcerpt } from './parts/history';
import type { Overlay } from './parts/navigation';
import { type Direction, goTo, type Navigation, type Place, replacePlace, step, type View } from './place';
import { anySession, sessionOf } from './select';
import type { State } from './state';

/** Actions that change the place or the overlay. */
export type NavigationAction =
  | { type: 'session_selected'; session: SessionId }
  | { type: 'start_opened' }
  | { type: 'start_closed' }
  | { type: 'inbox_opened'; at: number }
  | { type: 'history_opened' }
  | { type: 'excerpt_opened'; session: Session; n: number | null }
  | { type: 'excerpt_closed' }
  | { type: 'stepped'; direction: Direction; at: number }
  | { type: 'overlay_opened'; overlay: Overlay }
  | { type: 'overlay_closed'; overlay: Overlay['overlay'] };

export const navigationHandlers: Handlers<NavigationAction> = {
  session_selected: (state, { session }) => goToSession(state, session),
  // Whoever asks for the form stays in it, also once the session that it has sent is there.
  start_opened: (state) => open({ ...state, startAsked: state.startAsked + 1 }, { at: 'start' }),
  start_closed: (state) => open(state, { at: 'session' }),
  inbox_opened: (state, { at }) => openInbox(open(state, { at: 'inbox' }), { kind: 'all', since: at }),
  history_opened: (state) => open(state, { at: 'history' }),
  excerpt_closed: (state) => open(state, { at: 'history' }),
  excerpt_opened(state, { session, n }) {
    const opened = open(state, { at: 'past_session', past: session.id, entry: n });
    return { ...opened, history: { ...opened.history, excerpt: { ...emptyExcerpt, session, n } } };
  },
  stepped(state, { direction, at }) {
    const next = enter(
      state,
      step(state.navigation, direction, (place) => exists(state, place)),
    );
    return next.navigation.place.at === 'inbox' ? openInbox(next, { since: at }) : next;
  },
  overlay_opened: (state, { overlay }) => ({ ...state, overlay }),
  overlay_closed: (state, action) => closeOverlay(state, ({ overlay }) => overlay === action.overlay),
};

/** Goes to a session at the user's request. */
export function goToSession(state: State, session: SessionId): State {
  return enter(state, goTo(state.navigation, { at: 'session', session }));
}

/** Shows the changes of a session at the user's request. */
export function goToChanges(state: State, session: SessionId): State {
  return enter(state, goTo(state.navigation, { at: 'changes', session }));
}

/** The session that was in view before the current one; null if there was none. */
export function lastSession(state: State): SessionId | null {
  const { place, back } = state.navigation;
  const others = back.filter(({ session }) => session !== place.session && sessionOf(state, session) !== null);
  return others.at(-1)?.session ?? null;
}

/** Changes the session in view, or the one to return to, without a request of the user. */
export function replaceSession(state: State, session: SessionId | null): State {
  const { navigation } = state;
  // The changes of another session are nothing that the user asked for.
  const view: View = navigation.place.at === 'changes' ? { at: 'session' } : navigation.place;
  return { ...state, navigation: replacePlace(navigation, { ...view, session }) };
}

/** Closes the overlay if it matches. */
export function closeOverlay(state: State, is: (overlay: Overlay) => boolean): State {
  return state.overlay && is(state.overlay) ? { ...state, overlay: null } : state;
}

/** Removes every place of a deleted session from the history. */
export function forgetPlaces(state: State, deleted: SessionId): State {
  const { place, back, forward } = state.navigation;
  const kept = (places: readonly Place[]) =>
    places.filter((one) => !leadsTo(one, deleted)).map((one) => (one.session === deleted ? { ...one, session: null } : one));
  const navigation = { place, back: kept(back), forward: kept(forward) };
  if (place.at !== 'past_session' || place.past !== deleted) return { ...state, navigation };
  return enter(state, replacePlace(navigation, { at: 'history', session: place.session }));
}

function open(state: State, view: View): State {
  const { session } = state.navigation.place;
  return enter(state, goTo(state.navigation, { ...view, session }));
}

/** Shows a place. If its session no longer exists, the one in view stays. */
function enter(state: State, navigation: Navigation): State {
  const { place } = navigation;
  const session = sessionOf(state, place.session) ? place.session : state.navigation.place.session;
  return {
    ...state,
    navigation: replacePlace(navigation, { ...place, session }),
    history: { ...state.history, excerpt: excerptAt(state, place) },
    // Whoever goes elsewhere starts again with the oldest question.
    lastWaiting: null,
  };
}

function excerptAt({ history, ...state }: State, place: Place): State['history']['excerpt'] {
  if (place.at !== 'past_session') return null;
  const known = history.excerpt;
  if (known?.session.id === place.past && known.n === place.entry) return known;
  const session = anySession({ history, ...state }, place.past);
  return session && { ...emptyExcerpt, session, n: place.entry };
}

function openInbox(state: State, change: Partial<State['inbox']>): State {
  return { ...state, inbox: { ...state.inbox, ...change } };
}

function exists(state: State, place: Place): boolean {
  if (place.at === 'session' || place.at === 'changes') return sessionOf(state, place.session) !== null;
  return place.at !== 'past_session' || anySession(state, place.past) !== null;
}

function leadsTo(place: Place, session: SessionId): boolean {
  if (place.at === 'past_session') return place.past === session;
  return (place.at === 'session' || place.at === 'changes') && place.session === session;
}
