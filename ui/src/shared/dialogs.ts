import type { Attachment } from 'svelte/attachments';

import { isComposing } from './keys';

/** Open modal dialogs, the topmost last. */
const stack: HTMLDialogElement[] = [];

/** Shows a dialog as a modal while it is mounted. */
export const modal: Attachment<HTMLDialogElement> = (dialog) => {
  dialog.showModal();
  stack.push(dialog);
  const onkeydown = (event: KeyboardEvent) => leaveSearch(dialog, event);
  dialog.addEventListener('keydown', onkeydown);
  return () => {
    dialog.removeEventListener('keydown', onkeydown);
    stack.splice(stack.indexOf(dialog), 1);
  };
};

/** WebKitGTK keeps Esc from the dialog while a search field has the focus, even an empty one. */
function leaveSearch(dialog: HTMLDialogElement, event: KeyboardEvent): void {
  const { target } = event;
  if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return;
  if (!(target instanceof HTMLInputElement) || target.type !== 'search') return;
  event.preventDefault();
  if (target.value === '') return dialog.close();
  target.value = '';
  target.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Whether a dialog is open; an open dialog receives all keys. */
export function isDialogOpen(): boolean {
  return stack.some((dialog) => dialog.open);
}

export function closeDialogs(): void {
  stack.toReversed().forEach((dialog) => dialog.close());
}
