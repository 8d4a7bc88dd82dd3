import type { Action } from 'svelte/action';

import type { RequestId } from '../generated/wire';
import type { Desk } from '../store/desk.svelte';

/** Says that a request came on the screen, once, as soon as its element has been painted. */
export const painted: Action<HTMLElement, { desk: Desk; request: RequestId }> = (_, { desk, request }) => {
  desk.notePainted(request);
};
