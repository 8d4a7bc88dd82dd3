import '@testing-library/jest-dom/vitest';

import { beforeEach } from 'vitest';

// What jsdom does not bring and the window relies on.
HTMLCanvasElement.prototype.getContext = (() => null) as never;
Element.prototype.scrollTo = () => undefined;
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text: string) => text.replace(/["\\]/g, '\\$&');

HTMLElement.prototype.showPopover = function showPopover() {
  this.style.setProperty('display', 'block');
};
HTMLElement.prototype.hidePopover = function hidePopover() {
  this.style.removeProperty('display');
};

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
