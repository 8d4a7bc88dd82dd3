import { mac } from '../shared/keys';
import type { Direction } from '../store/place';

/**
 * The direction of Alt and an arrow key. In the panel they switch questions; in a Mac text field they move by words.
 */
export function directionOfKey(event: KeyboardEvent): Direction | null {
  const { key, target } = event;
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  if (target instanceof Element && target.closest(mac ? 'aside, input, textarea' : 'aside')) return null;
  if (key === 'ArrowLeft') return 'back';
  return key === 'ArrowRight' ? 'forward' : null;
}

/** The direction of a mouse's side buttons. */
export function directionOfButton(button: number): Direction | null {
  if (button === 3) return 'back';
  return button === 4 ? 'forward' : null;
}
