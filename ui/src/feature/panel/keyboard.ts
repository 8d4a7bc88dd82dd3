import type { RequestId } from '../../generated/wire';
import type { Commands } from '../../store/page';
import { deedOf, spotOf, type Deed, type Spot } from './keys';

const CARD = '[data-card], [data-missed]';

/** What a form does at a key; says whether the key had a meaning there. */
export type CarryOut = (deed: Deed, at: { spot: Spot; target: Element }) => boolean;

const forms = new WeakMap<Element, CarryOut>();

/** Lets a form of answers take the keys that are pressed anywhere on its card, wherever that card stands. */
export function takesKeys(form: HTMLElement, { commands, carryOut }: { commands: Commands; carryOut: CarryOut }) {
  const card = form.closest<HTMLElement>(CARD) ?? form;
  const onkeydown = (event: KeyboardEvent) =>
    press(event, card, commands, () => {
      // From the card itself Esc leads on to what is around it.
      if (event.target === card) return false;
      if (!isField(event.target)) return false;
      card.focus();
      return true;
    });
  forms.set(form, carryOut);
  card.addEventListener('keydown', onkeydown);
  return {
    destroy: () => {
      card.removeEventListener('keydown', onkeydown);
      forms.delete(form);
    },
  };
}

/** Carries out a key that was pressed in the panel, but on none of its questions, for the one that is shown. */
export function pressAround(
  event: KeyboardEvent,
  { commands, panel, shown, fold }: { commands: Commands; panel: Element; shown: RequestId | null; fold: () => void },
): void {
  const { target } = event;
  const at = target instanceof Element ? target.closest<HTMLElement>(CARD) : null;
  const card = at ?? (shown ? panel.querySelector<HTMLElement>(`[data-card="${CSS.escape(shown)}"]`) : null);
  press(event, card, commands, () => {
    if (at && isField(target)) at.focus();
    else fold();
    return true;
  });
}

function press(event: KeyboardEvent, card: Element | null, commands: Commands, leave: () => boolean): void {
  const { target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return;
  const spot = target === document.body && card ? spotOf(card) : spotOf(target);
  const deed = deedOf(event, spot);
  if (!deed || !carryOut(deed)) return;
  event.preventDefault();
  event.stopPropagation();

  function carryOut(deed: Deed): boolean {
    switch (deed.deed) {
      case 'leave':
        return leave();
      case 'help':
        commands.dispatch({ type: 'overlay_opened', overlay: { overlay: 'keys' } });
        return true;
      case 'chat':
        return goToComposer();
      default: {
        // A card that asks for a permission holds no answers, and so takes none of the keys that answer.
        const form = card?.querySelector('[data-answers]');
        return (form && forms.get(form)?.(deed, { spot, target: target as Element })) ?? false;
      }
    }
  }
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}

function goToComposer(): boolean {
  const composer = document.querySelector<HTMLElement>('[data-composer]:not(:disabled)');
  composer?.focus();
  return composer !== null;
}
