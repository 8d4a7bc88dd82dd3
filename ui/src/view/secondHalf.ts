/**
 * Keeps the second half of a double click from what the first half brought: a button that came in place of another one, or one that
 * means something else by now. A button that is still the same takes fast clicks.
 */
export function dropSecondHalves(): () => void {
  let began: { button: Element | null; means: string } = { button: null, means: '' };

  function onclick(event: MouseEvent) {
    const button = event.target instanceof Element ? event.target.closest('button, a, summary') : null;
    const means = button ? `${button.ariaLabel ?? ''} ${button.textContent}` : '';
    if (event.detail <= 1) began = { button, means };
    else if (button && (button !== began.button || means !== began.means)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  window.addEventListener('click', onclick, true);
  return () => window.removeEventListener('click', onclick, true);
}
