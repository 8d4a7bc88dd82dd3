/** Remembers which element outside a container had the focus, to return the focus to it. */
export class FocusBefore {
  #last: HTMLElement | null = null;

  note(event: FocusEvent, inside: Element | undefined): void {
    const { target } = event;
    if (target instanceof HTMLElement && !inside?.contains(target)) this.#last = target;
  }

  /** Returns the focus if no element has it: the user may have moved on since. */
  giveBack(): void {
    const { activeElement } = document;
    const nowhere = !activeElement || activeElement === document.body;
    if (nowhere && this.#last?.isConnected) this.#last.focus();
  }
}
