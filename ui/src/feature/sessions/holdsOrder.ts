import type { Attachment } from 'svelte/attachments';

import type { Commands } from '../../store/page';

/** How long sessions stay in place after the pointer's last movement over them, in milliseconds. */
export const aiming = { lasts: 2_000 };

/** Keeps every session in its place while the pointer moves over their list, so that no click lands on another session. */
export function holdsOrder(dispatch: Commands['dispatch']): Attachment<HTMLElement> {
  return (list) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const release = () => {
      clearTimeout(timer);
      if (timer !== undefined) dispatch({ type: 'groups_held', held: false });
      timer = undefined;
    };
    const hold = () => {
      if (timer === undefined) dispatch({ type: 'groups_held', held: true });
      clearTimeout(timer);
      timer = setTimeout(release, aiming.lasts);
    };
    // The click of a touch comes after the finger has left.
    const left = ({ pointerType }: PointerEvent) => pointerType === 'touch' || release();
    const gone = new AbortController();
    list.addEventListener('pointermove', hold, { signal: gone.signal });
    list.addEventListener('pointerdown', hold, { signal: gone.signal });
    list.addEventListener('pointerleave', left, { signal: gone.signal });
    return () => {
      gone.abort();
      release();
    };
  };
}
