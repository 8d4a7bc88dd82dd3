import type { Inbox, State } from './state';

/** What the page before this one has taken from what it was given; a page that is read anew takes nothing again. */
const TAKEN_KEY = 'askdesk.left-taken';

/** What stands in the page alone. All else the app tells anew. */
const fields = [
  'startOpen',
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
export type Left = Pick<State, (typeof fields)[number]> & { session: State['selected']; inbox: Inbox };

export function leftOf(state: State): Left {
  const own = Object.fromEntries(fields.map((field) => [field, state[field]])) as Pick<State, (typeof fields)[number]>;
  return { ...own, session: state.selected, inbox: state.inbox };
}

/** Begins where the page before stopped. */
export function goOnFrom(state: State, left: Left | null): State {
  if (left === null || sessionStorage.getItem(TAKEN_KEY) !== null) return state;
  sessionStorage.setItem(TAKEN_KEY, '');
  const { session, ...rest } = left;
  return { ...state, ...rest, remembered: session };
}
