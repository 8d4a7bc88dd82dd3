import { focusFields } from '../feature/panel/focus';
import type { Focus } from '../store/commands/navigation';

/** Finds what gets the focus in the document. */
export const domFocus: Focus = {
  session(id) {
    const view = document.querySelector(`[data-session-view="${CSS.escape(id)}"]`);
    const field = view?.querySelector<HTMLElement>('[data-composer]:not(:disabled)');
    (field ?? view?.querySelector<HTMLElement>('[data-transcript]'))?.focus();
  },
  request(id) {
    const escaped = CSS.escape(id);
    const card = document.querySelector<HTMLElement>(`[data-card="${escaped}"], [data-missed="${escaped}"]`);
    focusFields(card);
    if (card && !card.contains(document.activeElement)) card.focus();
  },
  approval(id) {
    document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(id)}"]`)?.focus();
  },
  closeDialogs() {
    document.querySelectorAll<HTMLDialogElement>('dialog[open]').forEach((dialog) => dialog.close());
  },
};
