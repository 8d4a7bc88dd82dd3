import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

import { nothingRead, readMore, type Stretch, unreadOf } from '../../entities/approval/readSoFar';
import { onMove } from './arming.svelte';
import { isField } from './keyboard';

interface Sight {
  width: number;
  height: number;
  /** What of the text is on screen. */
  now: Stretch;
  /** The height of a line. */
  line: number;
}

/** Measures the page; tests of what happens without a layout bring their own. */
export const sight = { of: onScreen };

const SCROLLING_KEYS: ReadonlySet<string> = new Set(['End', 'Home', 'PageDown', 'PageUp']);

/** Follows which parts of a text were on screen, or passed by the user's own scrolling. */
export class Reading {
  #soFar = $state.raw(nothingRead);
  #below = $state(0);
  #folded = $state(0);
  #line = $state(1);
  #text: HTMLElement | undefined;
  /** Whether the user's last input scrolls: a focus or a card that comes or goes can scroll too, and passes nothing. */
  #scrolls = false;

  readonly #gaps = $derived(unreadOf(this.#soFar));
  readonly whole = $derived(this.#gaps.length === 0 && this.#folded === 0);
  /** How many lines were not on screen yet. */
  readonly unread = $derived(Math.max(1, this.#rows(this.#gaps.reduce((sum, { from, to }) => sum + to - from, 0)) + this.#folded));
  /** How many lines are hidden below now. */
  readonly below = $derived(this.#rows(this.#below) + this.#folded);

  /** @param paused Whether something else is shown in place of the text. */
  constructor(private readonly paused: () => boolean) {}

  begin(): void {
    this.#soFar = nothingRead;
    this.#measure();
  }

  /** Unfolds all of the text and passes all of it, from its beginning to its end. */
  async showAll(): Promise<void> {
    const text = this.#text;
    if (!text) return;
    for (const button of text.querySelectorAll<HTMLElement>('[data-folded] button')) button.click();
    await tick();
    this.#measure();
    this.#scrollBy(-this.#soFar.now.from);
    this.#scrollBy(this.#below);
    text.focus({ preventScroll: true });
  }

  attach: Attachment<HTMLElement> = (text) => {
    this.#text = text;
    const measure = () => this.#measure();
    const resized = new ResizeObserver(measure);
    for (let element: Element | null = text; element; element = element.parentElement) resized.observe(element);
    const unwatch = onMove(text, measure);
    const scrolled = ({ target }: Event) => this.#measure(this.#scrolls && target instanceof Node && target.contains(text));
    const input = (event: Event) => (this.#scrolls = isScrolling(event, text));
    const card = text.closest('[data-card]');
    const turn = (event: Event) => event instanceof KeyboardEvent && this.#turn(event);
    card?.addEventListener('keydown', turn);
    document.addEventListener('scroll', scrolled, { capture: true, passive: true });
    for (const type of INPUTS) document.addEventListener(type, input, { capture: true, passive: true });
    document.addEventListener('visibilitychange', measure);
    return () => {
      resized.disconnect();
      unwatch();
      card?.removeEventListener('keydown', turn);
      document.removeEventListener('scroll', scrolled, true);
      for (const type of INPUTS) document.removeEventListener(type, input, true);
      document.removeEventListener('visibilitychange', measure);
      this.#text = undefined;
    };
  };

  /** Turns by what can be seen of the text: a page of the browser's would pass lines that only the buttons cover. */
  #turn(event: KeyboardEvent): void {
    const { from, to } = this.#soFar.now;
    // The buttons are beside what scrolls, and the keys work there too.
    const toEnd = event.key === 'End' && this.#below > 0;
    if (!isField(event.target) && toEnd) {
      event.preventDefault();
      return this.#scrollBy(this.#below);
    }
    const page = Math.max(to - from - this.#line, this.#line);
    const down = event.key === 'PageDown' && this.#below > 0;
    const up = event.key === 'PageUp' && from > 0;
    if (isField(event.target) || to <= from || !(down || up)) return;
    event.preventDefault();
    this.#scrollBy(down ? page : -page);
  }

  #scrollBy(pixels: number): void {
    const around = this.#text?.closest('.scroll-area');
    if (around) around.scrollTop += pixels;
    this.#measure(true);
  }

  #measure(scrolled = false): void {
    const text = this.#text;
    if (!text || this.paused() || document.visibilityState === 'hidden') return;
    const { width, height, now, line } = sight.of(text);
    this.#line = line;
    this.#below = Math.max(0, height - now.to);
    this.#folded = [...text.querySelectorAll<HTMLElement>('[data-folded]')].reduce(
      (sum, { dataset }) => sum + Number(dataset['folded']),
      0,
    );
    this.#soFar = readMore(this.#soFar, width, height, now, scrolled);
  }

  #rows(height: number): number {
    return height > 1 ? Math.ceil(height / this.#line) : 0;
  }
}

const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Whether an input scrolls by itself; a press does on a scroll bar, which belongs to what it scrolls. */
function isScrolling(event: Event, text: HTMLElement): boolean {
  if (event instanceof KeyboardEvent) return SCROLLING_KEYS.has(event.key);
  return event.type !== 'pointerdown' || event.target === text.closest('.scroll-area');
}

/** What of a text can be seen: not what a scroll container hides. */
function onScreen(text: HTMLElement): Sight {
  const { top, bottom, width, height } = text.getBoundingClientRect();
  let from = 0;
  let to = window.innerHeight;
  for (let around = text.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue;
    const box = around.getBoundingClientRect();
    from = Math.max(from, box.top);
    to = Math.min(to, box.bottom);
  }
  const now = { from: Math.max(from, top) - top, to: Math.min(to, bottom) - top };
  return { width, height, now, line: parseFloat(getComputedStyle(text).lineHeight) || 20 };
}
