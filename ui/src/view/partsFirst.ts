import type { Frame } from '../generated/wire';

/**
 * Holds frames back, from the first one with a session, until the parts that show a session are loaded. Otherwise a command
 * would move the focus to a card or a field that isn't there yet.
 *
 * @param load Returns a promise while the parts are loading.
 */
export function partsFirst(load: () => unknown, receive: (frames: Frame[]) => void): (frames: Frame[]) => void {
  let held: Frame[] | null = null;
  return (frames) => {
    if (held) {
      held.push(...frames);
      return;
    }
    const parts = frames.some(holdsSession) ? load() : null;
    if (!(parts instanceof Promise)) {
      receive(frames);
      return;
    }
    held = [...frames];
    const letGo = () => {
      const all = held ?? [];
      held = null;
      receive(all);
    };
    parts.then(letGo, letGo);
  };
}

function holdsSession(frame: Frame): boolean {
  return frame.frame === 'snapshot' ? frame.sessions.length > 0 : frame.changes.some(({ change }) => change === 'session');
}
