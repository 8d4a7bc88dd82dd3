import { tick } from 'svelte';

import type { Request } from '../../generated/wire';
import type { Desk } from '../../store/desk.svelte';
import { unanswered } from '../../store/drafts';
import { nextWaiting, walkedFrom } from '../../store/inbox';
import { isMissed } from '../../store/late';
import { draftOf } from '../../store/select';
import type { WhatIsWanted } from '../../store/wanted';

const FIELDS = 'fieldset input, fieldset textarea';

/** Puts the focus on a card's question: on what is chosen, else on its first field. */
export function focusFields(card: Element | null): void {
  const chosen = card?.querySelector<HTMLElement>('fieldset input:checked');
  const target = chosen ?? card?.querySelector<HTMLElement>(FIELDS);
  (target ?? card?.querySelector<HTMLElement>('[data-submit]'))?.focus();
}

/** Selects a request's session and opens the panel on it because the person asked for it, and goes there. */
export async function showCard(desk: Desk, request: Request): Promise<void> {
  desk.dispatch({ type: 'session_selected', session: request.session });
  desk.dispatch({ type: 'request_picked', session: request.session, request: request.id });
  if (isMissed(request)) desk.dispatch({ type: 'missed_folded', request: request.id, open: true });
  await tick();
  const id = CSS.escape(request.id);
  const card = document.querySelector(`[data-card="${id}"], [data-missed="${id}"]`);
  focusFields(card);
  if (card && !card.contains(document.activeElement)) (card as HTMLElement).focus();
}

/** As `showCard`, at the request's first question without an answer. */
export async function showUnanswered(desk: Desk, request: Request): Promise<void> {
  const [first] = unanswered(request, draftOf(desk.state, request.id));
  // Where all are answered, the person is left where they were.
  if (first && request.state.state === 'open') {
    desk.dispatch({ type: 'question_shown', request: request.id, index: request.questions.indexOf(first) });
  }
  await showCard(desk, request);
}

/** Shows what the person asked for from outside of the window; what lies over it goes, and no permission gets the focus. */
export async function bringUp(desk: Desk, what: WhatIsWanted): Promise<void> {
  document.querySelectorAll<HTMLDialogElement>('dialog[open]').forEach((dialog) => dialog.close());
  if ('request' in what) return showUnanswered(desk, what.request);
  if ('session' in what) return desk.dispatch({ type: 'session_selected', session: what.session.id });
  desk.dispatch({ type: 'session_selected', session: what.approval.session });
  desk.dispatch({ type: 'panel_collapsed', collapsed: false });
}

/** Goes to the next question that waits in any session, because the person asked for it. */
export async function walkOn(desk: Desk): Promise<void> {
  const card = document.activeElement?.closest<HTMLElement>('[data-card]');
  const next = nextWaiting(desk.state, walkedFrom(desk.state, card?.dataset['card'] ?? null));
  if (!next) return;
  desk.dispatch({ type: 'walked_on', request: next });
  await showUnanswered(desk, next);
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
