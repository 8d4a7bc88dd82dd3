import { on } from 'svelte/events';

/** How long the click of a touch may come after the finger has left, in milliseconds. */
const CLICK = 1_000;

/** Follows whether the pointer is over some elements, where nothing may move then: no click may land on anything else than what was there. */
export class PointerOver {
  over = $state(false);
  #leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(elements: () => readonly (Element | undefined)[]) {
    const come = ({ target }: PointerEvent) => {
      clearTimeout(this.#leaving);
      this.over = target instanceof Node && elements().some((element) => element?.contains(target));
    };
    const leave = (after: number) => {
      clearTimeout(this.#leaving);
      this.#leaving = setTimeout(() => (this.over = false), after);
    };
    $effect(() => {
      const offs = [
        on(window, 'pointermove', come),
        on(window, 'pointerdown', come),
        on(window, 'blur', () => leave(0)),
        on(document.documentElement, 'pointerleave', ({ pointerType }) => leave(pointerType === 'touch' ? CLICK : 0)),
      ];
      return () => {
        offs.forEach((off) => off());
        clearTimeout(this.#leaving);
      };
    });
  }
}
