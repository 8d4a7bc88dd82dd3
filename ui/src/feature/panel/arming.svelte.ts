import type { Attachment } from 'svelte/attachments';

import { arming } from '../../shared/arming';
import type { KeyAction } from '../../shared/focusTargets';

/** How long a move counts as the effect of the user's own input in the card, in milliseconds: of a press, and of typing, which makes a card grow. */
const EFFECT = { press: 200, typing: 1000 } as const;

/** The keys that change or send an answer. */
const ANSWERING: ReadonlySet<KeyAction['action']> = new Set(['choose', 'move', 'go_on', 'submit', 'submit_from_anywhere', 'turn', 'note']);

/** The keys that confirm a choice, and without one choose what has the focus. */
const CONFIRMING: ReadonlySet<KeyAction['action']> = new Set(['go_on', 'submit', 'submit_from_anywhere']);
/** How long they do nothing after a choice that came too early, in milliseconds: they would confirm another one. */
const WITHOUT_CHOICE = 3000;

/** Whether a card acts on keys and clicks. */
export class Arming {
  armed = $state(arming.delay === 0);
  #stopWaiting: (() => void) | undefined;
  /** Set while a move counts as the effect of the user's own input. */
  #endOwn: (() => void) | undefined;
  #parts: readonly unknown[] | null = null;
  #shown: string | null = null;
  #place: string | null = null;
  /** Whether the delay runs because the card arrived or changed, so that even what was opened before may be about something else. */
  #changed = false;
  /** The field of the card that the user has typed in since it came: what follows there is meant for it. */
  #typedIn: EventTarget | null = null;
  /** Set while a choice that came too early may be thought to be taken. */
  #endMissed: (() => void) | undefined;
  /** Whether the current press began while the card was not armed. */
  #tooEarly = false;
  /** Whether a click or a key press started here: the second half of a double click on what was here before doesn't count. */
  #begun = false;

  /** Tells what the card shows, without the user's own input. Streamed text elsewhere calls it often, mostly with the same parts. */
  shows(...parts: readonly unknown[]): void {
    const before = this.#parts;
    if (before?.length === parts.length && before.every((part, index) => part === parts[index])) return;
    this.#parts = parts;
    const content = JSON.stringify(parts);
    if (content === this.#shown) return;
    this.#shown = content;
    this.#restart();
    this.#changed = !this.armed;
  }

  /** Begins the delay anew: the card takes the keys over from another one. */
  wait(): void {
    this.#typedIn = null;
    this.#endOwn?.();
    this.#endOwn = undefined;
    this.#restart();
  }

  /** Tells where the card is. */
  isAt(place: string): void {
    const moved = this.#place !== null && place !== this.#place;
    this.#place = place;
    if (moved && !this.#endOwn) this.#restart();
  }

  /** Notes the user's own input in the card: what moves because of it was expected. */
  noteInput(kind: keyof typeof EFFECT = 'press'): void {
    this.#endOwn?.();
    this.#endOwn = arming.after(EFFECT[kind], () => (this.#endOwn = undefined));
  }

  /** Notes that a key or a button goes down. */
  begin(): void {
    this.#tooEarly = !this.armed;
    this.noteInput();
  }

  /** Notes that the press has ended; its click has been dispatched by now. */
  end(): void {
    this.#tooEarly = false;
  }

  /** Whether a key may act. */
  takes({ action }: KeyAction, target?: EventTarget): boolean {
    this.begin();
    this.#begun = true;
    if (!ANSWERING.has(action)) return true;
    const isOwn = target !== undefined && target === this.#typedIn && !this.#changed;
    if (CONFIRMING.has(action)) return (this.armed || isOwn) && !this.#endMissed;
    const taken = this.armed || isOwn;
    this.#noteChoice(taken);
    return taken;
  }

  /** A click that began too early, or elsewhere, does nothing. A menu was opened by the user, so it acts at once. */
  takesClick({ detail, target }: Pick<MouseEvent, 'detail' | 'target'>): boolean {
    if (target instanceof Element && (actsAtOnce(target) || (target.closest('[role=menu]') && !this.#changed))) return true;
    const secondHalf = detail > 1 && !this.#begun;
    if (detail <= 1) this.#begun = true;
    return this.armed && !this.#tooEarly && !secondHalf;
  }

  /** Blocks what comes too early in a card, and watches whether the card moves. */
  attach: Attachment<HTMLElement> = (card) => {
    const onclick = (event: MouseEvent) => {
      if (this.takesClick(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const begin = () => this.begin();
    const end = () => void setTimeout(() => this.end());
    const input = ({ target }: Event) => {
      this.noteInput('typing');
      // A key that was meant for another card can begin a text.
      const taken = this.armed || target === this.#typedIn;
      this.#noteChoice(taken);
      if (taken) this.#typedIn = target;
    };
    card.addEventListener('click', onclick, true);
    card.addEventListener('pointerdown', begin, true);
    card.addEventListener('keydown', begin, true);
    card.addEventListener('input', input, true);
    for (const type of ENDS) document.addEventListener(type, end, true);
    const unwatch = onMove(card, () => this.isAt(placeOf(card)));
    return () => {
      unwatch();
      card.removeEventListener('click', onclick, true);
      card.removeEventListener('pointerdown', begin, true);
      card.removeEventListener('keydown', begin, true);
      card.removeEventListener('input', input, true);
      for (const type of ENDS) document.removeEventListener(type, end, true);
      this.#stopWaiting?.();
      this.#endOwn?.();
      this.#endMissed?.();
    };
  };

  /** Notes whether a choice, or a typed text, came late enough to be confirmed by the next key. */
  #noteChoice(taken: boolean): void {
    this.#endMissed?.();
    this.#endMissed = taken ? undefined : arming.after(WITHOUT_CHOICE, () => (this.#endMissed = undefined));
  }

  #restart(): void {
    this.#stopWaiting?.();
    this.armed = arming.delay === 0;
    if (this.armed) return;
    this.#stopWaiting = arming.after(arming.delay, () => {
      this.armed = true;
      this.#changed = false;
    });
  }
}

const ENDS = ['pointerup', 'pointercancel', 'keyup'] as const;

/** Text fields always take input, and Undo works at once. */
function actsAtOnce(target: Element): boolean {
  return target.closest('textarea, input:not([type=radio], [type=checkbox]), [data-at-once]') !== null;
}

/** The place of an element, apart from how far its surroundings are scrolled. */
function placeOf(element: HTMLElement): string {
  let { left, top } = element.getBoundingClientRect();
  for (let around = element.parentElement; around; around = around.parentElement) {
    left += around.scrollLeft;
    top += around.scrollTop;
  }
  return `${Math.round(left)} ${Math.round(top)} ${element.offsetWidth}`;
}

/**
 * Calls back whenever the element may have moved: it moves if what is around it comes, goes or changes its size. Begins once the
 * element is painted, so as not to delay that.
 */
export function onMove(element: HTMLElement, moved: () => void): () => void {
  let stop: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(() => (stop = watch(element, moved)))));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    stop?.();
  };
}

function watch(element: HTMLElement, moved: () => void): () => void {
  const resized = new ResizeObserver(moved);
  const observe = (parent: Element) => {
    for (const child of parent.children) resized.observe(child);
  };
  const changed = new MutationObserver((changes) => {
    for (const { target } of changes) observe(target as Element);
  });
  for (let around = element.parentElement; around; around = around.parentElement) {
    observe(around);
    changed.observe(around, { childList: true });
    if (around === document.body) break;
  }
  return () => {
    resized.disconnect();
    changed.disconnect();
  };
}
