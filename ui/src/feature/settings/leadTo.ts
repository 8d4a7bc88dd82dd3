const CONTROLS = ['button:not(:disabled)', 'input:not(:disabled)', 'select:not(:disabled)'].join();

/** Moves the focus to a setting, to the first control of another part, which it unfolds, or else to the current category. */
export function leadTo(dialog: HTMLElement, at: string): void {
  const names = [`[id="setting-${at}"]`, `[aria-labelledby="setting-${at}-name"]`, `[data-part="${at}"]`];
  const place = dialog.querySelector<HTMLElement>(names.join()) ?? dialog.querySelector<HTMLElement>('[data-category][aria-current]');
  const control = place?.matches(CONTROLS) ? place : place?.querySelector<HTMLElement>(CONTROLS);
  control?.focus();
  if (control?.ariaExpanded === 'false') control.click();
  place?.scrollIntoView?.({ block: 'nearest' });
}
