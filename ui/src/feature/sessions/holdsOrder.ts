import type { Attachment } from 'svelte/attachments';

import type { Commands } from '../../store/page';

/** In milliseconds: the click of a touch comes up to this long after the finger has left. */
const CLICK_FOLLOWS = 300;

/** Keeps every session in its place while the pointer is over their list, so that no click lands on another session. */
export function holdsOrder(dispatch: Commands['dispatch']): Attachment<HTMLElement> {
  return (list) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hold = (held: boolean) => {
      clearTimeout(timer);
      dispatch({ type: 'groups_held', held });
    };
    const left = ({ pointerType }: PointerEvent) => {
      if (pointerType === 'touch') timer = setTimeout(() => hold(false), CLICK_FOLLOWS);
      else hold(false);
    };
    const gone = new AbortController();
    list.addEventListener('pointerenter', () => hold(true), { signal: gone.signal });
    list.addEventListener('pointerleave', left, { signal: gone.signal });
    return () => {
      gone.abort();
      hold(false);
    };
  };
}
