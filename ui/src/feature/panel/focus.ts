/** Remembers where the focus was outside an element, to give it back. */
export class FocusBefore {
  #last: HTMLElement | null = null;

  note(event: FocusEvent, inside: Element | undefined): void {
    const { target } = event;
    if (target instanceof HTMLElement && !inside?.contains(target)) this.#last = target;
  }

  /** Gives the focus back if it stands nowhere: the person may have gone elsewhere by now. */
  giveBack(): void {
    const { activeElement } = document;
    const nowhere = !activeElement || activeElement === document.body;
    if (nowhere && this.#last?.isConnected) this.#last.focus();
  }
}
