import '@testing-library/jest-dom/vitest';

import { afterEach } from 'vitest';

// What jsdom does not bring and the window relies on.
HTMLCanvasElement.prototype.getContext = (() => null) as never;
Element.prototype.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
HTMLDialogElement.prototype.showModal = function showModal() {
  this.open = true;
};
HTMLDialogElement.prototype.close = function close() {
  this.open = false;
  this.dispatchEvent(new Event('close'));
};
globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text: string) => text.replace(/["\\]/g, '\\$&');

afterEach(() => sessionStorage.clear());
