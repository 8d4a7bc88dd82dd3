const CONTROLS = ['a', 'button', 'input', 'label', 'select', 'summary', 'textarea', '[tabindex]:not([tabindex="-1"])'].join();

/** Gives a press of the frame around a field to the field, as if it had been pressed itself; other controls inside keep theirs. */
export function pressField(event: MouseEvent, field: HTMLElement | undefined): void {
  const { target, currentTarget, button } = event;
  if (button !== 0 || !field || !(target instanceof Element) || !(currentTarget instanceof Element)) return;
  const control = target.closest(CONTROLS);
  if (control && control !== currentTarget && currentTarget.contains(control)) return;
  // Otherwise, the press would take the focus away again.
  event.preventDefault();
  field.focus();
}
