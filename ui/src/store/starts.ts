/** Starts on their way: the form is free as soon as one is sent, and gets back what was refused. */
import type { AppError } from '../platform/bridge';
import type { Handlers } from './handlers';
import { emptyStartDraft, type SentStart } from './parts/start';
import { replacePlace } from './place';
import type { State } from './state';

export type SentStartAction =
  | { type: 'start_sent'; id: string }
  | { type: 'start_done'; id: string }
  | { type: 'start_refused'; id: string; error: AppError }
  /** Goes back to the form, which changes places with it. */
  | { type: 'start_taken_back'; id: string };

export const sentStartHandlers: Handlers<SentStartAction> = {
  start_sent: (state, { id }) => ({
    // Without a session, the form is in view as the first screen; it stays once there is one.
    ...(state.navigation.place.session === null
      ? { ...state, navigation: replacePlace(state.navigation, { at: 'start', session: null }) }
      : state),
    start: emptyStartDraft,
    startError: null,
    sentStarts: [...state.sentStarts, { id, draft: state.start, isOnItsWay: true, error: null }],
  }),
  start_done: (state, { id }) => ({ ...state, sentStarts: without(state, id) }),
  start_refused(state, { id, error }) {
    const sentStarts = state.sentStarts.map((sent) => (sent.id === id ? { ...sent, isOnItsWay: false, error } : sent));
    const refused = { ...state, sentStarts };
    // What is written for the next session stays in its place.
    return isFresh(state) ? takenBack(refused, id) : refused;
  },
  start_taken_back: (state, { id }) => takenBack(state, id),
};

/** Whether nobody has changed the form since it was emptied. */
export function isFresh({ start, startError }: State): boolean {
  return start === emptyStartDraft && startError === null;
}

function without({ sentStarts }: State, id: string): readonly SentStart[] {
  return sentStarts.filter((sent) => sent.id !== id);
}

function takenBack(state: State, id: string): State {
  const sent = state.sentStarts.find((sent) => sent.id === id);
  if (!sent) return state;
  const left = without(state, id);
  const held = isFresh(state) ? [] : [{ id, draft: state.start, isOnItsWay: false, error: state.startError }];
  return { ...state, start: sent.draft, startError: sent.error, sentStarts: [...left, ...held] };
}
