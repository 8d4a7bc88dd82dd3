import { tick } from 'svelte';

/** How many frames to wait for an element that a list renders on demand. */
const FRAMES = 20;

/** Whether the user has moved the focus elsewhere; the list may have removed the focused element. */
export function hasLeft(from: Element | null): boolean {
  const { activeElement, body } = document;
  return activeElement !== from && activeElement !== null && activeElement !== body;
}

/** Focuses an element as soon as its list shows it, unless the user has moved the focus elsewhere by then. */
export async function focusShown(find: () => HTMLElement | null | undefined, from = document.activeElement): Promise<void> {
  for (let frame = 0; frame < FRAMES; frame += 1) {
    const element = find();
    element?.focus();
    if (element && document.activeElement === element) return;
    await (frame === 0 ? tick() : new Promise(requestAnimationFrame));
    if (hasLeft(from)) return;
  }
}
