const FIELDS = 'fieldset input, fieldset textarea';

/** Puts the focus on a card's question: on what is chosen, else on its first field. */
export function focusFields(card: Element | null): void {
  const chosen = card?.querySelector<HTMLElement>('fieldset input:checked');
  const target = chosen ?? card?.querySelector<HTMLElement>(FIELDS);
  (target ?? card?.querySelector<HTMLElement>('[data-submit]'))?.focus();
}

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
