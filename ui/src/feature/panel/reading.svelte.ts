import type { Attachment } from 'svelte/attachments';

import { nothingRead, readMore, type Stretch, unreadOf } from '../../entities/approval/readSoFar';
import { onMove } from './arming.svelte';

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

/** Follows which parts of a text were on screen. */
export class Reading {
  #soFar = $state.raw(nothingRead);
  #below = $state(0);
  #folded = $state(0);
  #line = $state(1);
  #text: HTMLElement | undefined;

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

  /** Scrolls to the first line that was not on screen yet, or unfolds what is folded. */
  showRest(): void {
    const text = this.#text;
    const gap = this.#gaps[0];
    if (!text) return;
    if (gap) {
      const around = text.closest('.scroll-area');
      const { top } = text.getBoundingClientRect();
      if (around) around.scrollTop += top + gap.from - around.getBoundingClientRect().top - this.#line;
    } else text.querySelector<HTMLElement>('[data-folded] button')?.click();
    text.focus({ preventScroll: true });
  }

  attach: Attachment<HTMLElement> = (text) => {
    this.#text = text;
    const measure = () => this.#measure();
    const resized = new ResizeObserver(measure);
    for (let element: Element | null = text; element; element = element.parentElement) resized.observe(element);
    if (text.nextElementSibling) resized.observe(text.nextElementSibling);
    const unwatch = onMove(text, measure);
    document.addEventListener('scroll', measure, { capture: true, passive: true });
    document.addEventListener('visibilitychange', measure);
    return () => {
      resized.disconnect();
      unwatch();
      document.removeEventListener('scroll', measure, true);
      document.removeEventListener('visibilitychange', measure);
      this.#text = undefined;
    };
  };

  #measure(): void {
    const text = this.#text;
    if (!text || this.paused() || document.visibilityState === 'hidden') return;
    const { width, height, now, line } = sight.of(text);
    this.#line = line;
    this.#below = Math.max(0, height - now.to);
    this.#folded = [...text.querySelectorAll<HTMLElement>('[data-folded]')].reduce(
      (sum, { dataset }) => sum + Number(dataset['folded']),
      0,
    );
    this.#soFar = readMore(this.#soFar, width, height, now);
  }

  #rows(height: number): number {
    return height > 1 ? Math.ceil(height / this.#line) : 0;
  }
}

/** What of a text can be seen: not what a scroll container hides, and not what is below the buttons after it. */
function onScreen(text: HTMLElement): Sight {
  const { top, bottom, width, height } = text.getBoundingClientRect();
  let from = 0;
  let to = Math.min(window.innerHeight, text.nextElementSibling?.getBoundingClientRect().top ?? Infinity);
  for (let around = text.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue;
    const box = around.getBoundingClientRect();
    from = Math.max(from, box.top);
    to = Math.min(to, box.bottom);
  }
  const now = { from: Math.max(from, top) - top, to: Math.min(to, bottom) - top };
  return { width, height, now, line: parseFloat(getComputedStyle(text).lineHeight) || 20 };
}
