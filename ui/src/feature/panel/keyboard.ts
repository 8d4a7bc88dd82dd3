import type { Attachment } from 'svelte/attachments';

import type { CardId, KeyAction, FocusTargets } from '../../shared/focusTargets';
import type { Commands } from '../../store/page';
import { keyActionOf, type HintSpot, type KeyPlace } from './keys';

interface Around {
  commands: Commands;
  targets: FocusTargets;
}

/** Passes keys pressed anywhere on a card to its answer form. */
export function answerKeys(around: Around, id: CardId): Attachment<HTMLElement> {
  return (card) => {
    const onkeydown = (event: KeyboardEvent) => {
      if (!around.targets.form(id)) return;
      press(event, id, around, () => {
        // Esc on the card itself is left to the surrounding element.
        if (event.target === card || !isField(event.target)) return false;
        card.focus();
        return true;
      });
    };
    card.addEventListener('keydown', onkeydown);
    return () => card.removeEventListener('keydown', onkeydown);
  };
}

/** Handles a key pressed in the panel outside its cards, on behalf of the visible card. */
export function pressAround(event: KeyboardEvent, { shown, fold, ...around }: Around & { shown: CardId | null; fold: () => void }): void {
  const { target } = event;
  const at = target instanceof Element ? around.targets.cardAround(target) : null;
  press(event, at ?? shown, around, () => {
    if (at && isField(target)) around.targets.card(at)?.focus();
    else fold();
    return true;
  });
}

/** Describes an element of the panel; keys outside of the cards work for the visible card. */
export function placeOf(element: Element, targets: FocusTargets, shown: CardId | null): KeyPlace {
  const id = targets.cardAround(element) ?? shown;
  const form = id === null ? null : targets.form(id);
  return { spot: hintSpotOf(element, targets), form: form?.keys() ?? null, asks: targets.asksOf(id) };
}

function hintSpotOf(element: Element, targets: FocusTargets): HintSpot {
  if (element.closest('[role=menu]')) return 'menu';
  if (element instanceof HTMLInputElement && element.type === 'search') return element.value === '' ? 'filter' : 'filtering';
  return targets.spotOf(element);
}

function press(event: KeyboardEvent, id: CardId | null, { commands, targets }: Around, leave: () => boolean): void {
  const { target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return;
  const card = id === null ? null : targets.card(id);
  const route = targets.route(event, id);
  if (route !== 'as_is') {
    // What is typed into a field is no key of what is around it.
    event.stopPropagation();
    if (route === 'ignored') event.preventDefault();
    return;
  }
  const spot = targets.spotOf(target === document.body && card ? card : target);
  const action = keyActionOf(event, spot);
  if (!action || !carryOut(action, target)) return;
  event.preventDefault();
  event.stopPropagation();

  function carryOut(action: KeyAction, target: Element): boolean {
    switch (action.action) {
      case 'leave':
        return leave();
      case 'help':
        commands.dispatch({ type: 'overlay_opened', overlay: { overlay: 'keys' } });
        return true;
      case 'chat':
        return targets.focusComposer();
      default:
        // Permission cards have no answer form, so they ignore the keys that answer.
        return (id !== null && targets.form(id)?.carryOut(action, { spot, target })) || false;
    }
  }
}

export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
