import type { Attachment } from 'svelte/attachments';

/** The modal dialogs on the page, the topmost last. */
const stack: HTMLDialogElement[] = [];

/** Shows a dialog above everything else for as long as it is on the page. */
export const modal: Attachment<HTMLDialogElement> = (dialog) => {
  dialog.showModal();
  stack.push(dialog);
  return () => {
    stack.splice(stack.indexOf(dialog), 1);
  };
};

/** Whether a dialog is open: it keeps the keys to itself. */
export function isDialogOpen(): boolean {
  return stack.some((dialog) => dialog.open);
}

export function closeDialogs(): void {
  stack.toReversed().forEach((dialog) => dialog.close());
}
