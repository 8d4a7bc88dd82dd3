import type { State } from './state';

/** One handler for each action type of a union; it returns the next state. */
export type Handlers<A extends { type: string }> = { readonly [K in A['type']]: (state: State, action: Extract<A, { type: K }>) => State };
