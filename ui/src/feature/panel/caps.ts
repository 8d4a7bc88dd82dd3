import type { Attachment } from 'svelte/attachments';

import type { FocusTargets } from '../../shared/focusTargets';
import { keyActionOf } from './keys';

/** The keys that have caps on a card, with their codes. */
const CAPS = [
  ['1', 'Digit1'],
  ['Enter', 'Enter'],
  ['u', 'KeyU'],
] as const;

/** Keeps in `data-caps` which keys act on a card's form where the focus is: only their caps are shown. */
export function showCaps(targets: FocusTargets): Attachment<HTMLElement> {
  return (form) => {
    const look = (at: EventTarget | null) => {
      const spot = at instanceof Element && reaches(at) ? targets.spotOf(at) : null;
      const held = { keyCode: 0, isComposing: false, repeat: false, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
      const acting = spot === null ? [] : CAPS.filter(([key, code]) => keyActionOf({ key, code, ...held }, spot));
      form.dataset['caps'] = acting.map(([key]) => key).join(' ');
    };
    /** From beside the cards of the panel, keys go to the card in view. */
    const reaches = (at: Element) => {
      const card = form.closest('[data-card], [data-missed]');
      const around = at.closest('[data-card], [data-missed]');
      return around ? around === card : (at.closest('aside')?.contains(form) ?? false);
    };
    const came = ({ target }: FocusEvent) => look(target);
    const left = ({ relatedTarget }: FocusEvent) => look(relatedTarget);
    look(document.activeElement);
    document.addEventListener('focusin', came);
    document.addEventListener('focusout', left);
    return () => {
      document.removeEventListener('focusin', came);
      document.removeEventListener('focusout', left);
    };
  };
}
