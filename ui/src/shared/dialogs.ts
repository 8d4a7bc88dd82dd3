import type { Attachment } from 'svelte/attachments';

/** Open modal dialogs, the topmost last. */
const stack: HTMLDialogElement[] = [];

/** Shows a dialog as a modal while it is mounted. */
export const modal: Attachment<HTMLDialogElement> = (dialog) => {
  dialog.showModal();
  stack.push(dialog);
  return () => {
    stack.splice(stack.indexOf(dialog), 1);
  };
};

/** Whether a dialog is open; an open dialog receives all keys. */
export function isDialogOpen(): boolean {
  return stack.some((dialog) => dialog.open);
}

export function closeDialogs(): void {
  stack.toReversed().forEach((dialog) => dialog.close());
}
