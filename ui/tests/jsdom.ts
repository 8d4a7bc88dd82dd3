/*
 * The virtual list keeps the timers that it finds when it is loaded, and goes on with a scroll for 150 ms. These lead to the
 * fake timers of a test, so that it decides when a scroll is over.
 */
for (const name of ['setTimeout', 'clearTimeout'] as const) {
  const real = globalThis[name] as (...input: unknown[]) => unknown;
  // Fake timers pass on what isn't theirs.
  let passedOn = false;
  const leading = (...input: unknown[]) => {
    const fake = globalThis[name] as unknown;
    if (passedOn || fake === leading) return real(...input);
    passedOn = true;
    try {
      return (fake as typeof real)(...input);
    } finally {
      passedOn = false;
    }
  };
  globalThis[name] = leading as never;
}

// APIs that the page uses and jsdom lacks.
HTMLCanvasElement.prototype.getContext = (() => null) as never;
Element.prototype.scrollBy = () => undefined;
Element.prototype.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
/** Where the focus was before each dialog was opened. */
const focusBefore = new WeakMap<HTMLDialogElement, Element | null>();
HTMLDialogElement.prototype.showModal = function showModal() {
  focusBefore.set(this, document.activeElement);
  this.open = true;
  [...this.querySelectorAll<HTMLElement>('*')].find((element) => element.autofocus)?.focus();
};
HTMLDialogElement.prototype.close = function close() {
  if (!this.open) return;
  this.open = false;
  const before = focusBefore.get(this);
  if (before instanceof HTMLElement) before.focus();
  this.dispatchEvent(new Event('close'));
};
/** The media queries that match; tests of a narrow window add theirs. */
export const matchingMedia = new Set<string>();
window.matchMedia = (query) =>
  Object.assign(new EventTarget(), { matches: matchingMedia.has(query), media: query, onchange: null }) as MediaQueryList;
/** The `display` that jsdom's own stylesheet gives to elements with the same name and attributes. */
const displays = new Map<string, string>();
const jsdomStyle = window.getComputedStyle.bind(window);

function displayOf(element: Element): string {
  const attributes = ['hidden', 'open', 'type'].map((name) => [name, element.getAttribute(name)] as const);
  const key = [element.localName, ...attributes].join(' ');
  const known = displays.get(key);
  if (known !== undefined) return known;
  const alike = document.createElementNS(element.namespaceURI, element.localName);
  for (const [name, value] of attributes) if (value !== null) alike.setAttribute(name, value);
  const { display } = jsdomStyle(alike);
  displays.set(key, display);
  return display;
}

/** The visibility, which an element inherits. */
function visibilityOf(element: Element | null): string {
  return element ? (element as HTMLElement).style.visibility || visibilityOf(element.parentElement) : 'visible';
}

/*
 * No stylesheet of the page is loaded. jsdom would match an element against each rule of its own one at every call, which
 * took half of the time of all tests.
 */
window.getComputedStyle = (element) => {
  const own = (element as HTMLElement).style;
  const values: Record<string, string> = { display: own.display || displayOf(element), visibility: visibilityOf(element) };
  const value = (name: string) => values[name] ?? own.getPropertyValue(name);
  return new Proxy(own, {
    get: (target, name) => (name === 'getPropertyValue' ? value : (values[name as string] ?? (Reflect.get(target, name) as unknown))),
  });
};
/** jsdom would look at the whole document for the labels of each control whose name is asked for. */
for (const control of [HTMLButtonElement, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement]) {
  Object.defineProperty(control.prototype, 'labels', {
    get(this: HTMLElement) {
      const around = this.closest('label');
      const labels = this.id === '' && !around ? [] : [...this.ownerDocument.getElementsByTagName('label')];
      return labels.filter((label) => (label.htmlFor === '' ? label === around && label.control === this : label.htmlFor === this.id));
    },
  });
}
globalThis.CSS ??= {} as typeof CSS;
CSS.escape ??= (text: string) => text.replace(/["\\]/g, '\\$&');

HTMLElement.prototype.showPopover = function showPopover() {
  this.style.setProperty('display', 'block');
};
HTMLElement.prototype.hidePopover = function hidePopover() {
  this.style.removeProperty('display');
};

/** Gives every element a size, and scroll containers room for all their content. Reports all at once, as a browser does. */
class SomeResizeObserver implements ResizeObserver {
  readonly #callback: ResizeObserverCallback;
  readonly #seen = new Set<Element>();
  readonly #unreported = new Set<Element>();

  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }

  observe(target: Element): void {
    this.#seen.add(target);
    this.#unreported.add(target);
    if (this.#unreported.size === 1) queueMicrotask(() => this.#report());
  }

  #report(): void {
    const targets = [...this.#unreported].filter((target) => this.#seen.has(target));
    this.#unreported.clear();
    const entries = targets.map((target) => {
      const height = target.matches('section, [role=tree], [role=grid]') ? 100_000 : 40;
      return { target, contentRect: { width: 800, height } as DOMRectReadOnly } as ResizeObserverEntry;
    });
    if (entries.length > 0) this.#callback(entries, this);
  }

  unobserve(target: Element): void {
    this.#seen.delete(target);
  }

  disconnect(): void {
    this.#seen.clear();
  }
}
globalThis.ResizeObserver = SomeResizeObserver;
Object.defineProperty(HTMLElement.prototype, 'offsetParent', {
  get(this: HTMLElement) {
    return this.parentNode;
  },
});

/** Svelte's warnings since the last test. */
export const warned: unknown[] = [];
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (String(words[0]).includes('[svelte]')) warned.push(words[0]);
  warn(...words);
};
