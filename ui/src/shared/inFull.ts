import { getContext, setContext } from 'svelte';

const IN_FULL = Symbol();

/** How many lines are shown at first where a text is to be read in full; more would slow the page down. */
export const LINES_IN_FULL = 2000;

/** Lets nothing within the component be folded that the page can show at once. */
export function showInFull(): void {
  setContext(IN_FULL, true);
}

export function isInFull(): boolean {
  return getContext(IN_FULL) === true;
}
