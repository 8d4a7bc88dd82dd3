import type { FocusTargets } from '../shared/focusTargets';

const FOCUSABLE = [
  'a[href]',
  'button:not(:disabled)',
  'input:not(:disabled)',
  'select',
  'textarea:not(:disabled)',
  '[tabindex="0"]',
].join();

/** Where the focus goes when F6 enters a pane, best first. */
const FIRST = ['[aria-current="page"]', '[data-composer]:not(:disabled)', 'button:not(:disabled)', FOCUSABLE];

/**
 * Moves the focus to the next pane of the window (sidebar, session, panel), or to the one before; after the last comes the first.
 * Where a request waits, what takes its answer has the focus.
 */
export function focusPane(window: HTMLElement, from: Element | null, step: 1 | -1, targets: FocusTargets): void {
  const panes = [...window.children].filter(
    (pane) => pane.matches('nav, main, aside') && isShown(pane) && pane.querySelector(FOCUSABLE) !== null,
  );
  // The head of the session belongs to the pane below it.
  const within = from?.closest('header')?.parentElement === window ? panes.find((pane) => pane.matches('main')) : from;
  const at = panes.findIndex((pane) => pane.contains(within ?? null));
  const start = at < 0 && step < 0 ? 0 : at;
  const next = panes[(start + step + panes.length) % panes.length];
  if (!next) return;
  const place = targets.placeIn(next);
  if (place !== null && targets.enter(place)) return;
  const target = FIRST.map((selector) => next.querySelector<HTMLElement>(selector)).find((found) => found !== null);
  target?.focus();
}

/** A narrow window hides an empty panel. */
function isShown(pane: Element): boolean {
  return getComputedStyle(pane).display !== 'none';
}
