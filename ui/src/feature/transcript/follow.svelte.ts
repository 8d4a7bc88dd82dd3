/** How near to the end still counts as following it. */
const NEAR_PX = 40;
/** How long after a hand has moved what scrolls still counts as its doing. */
const BY_HAND_MS = 400;

const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home']);

/**
 * Keeps the end of a growing text in view until the person scrolls away from it. Only a hand leaves
 * the end: what is measured anew moves the text too.
 */
export class Follower {
  following = $state(true);
  /** Whether there is more below than what is listed: then its end is not the end. */
  open = false;
  #scroller: HTMLElement | null = null;
  #top = 0;
  #height = 0;
  #byHandUntil = 0;

  /** Follows while what is inside changes its size; gives the way to stop. */
  watch(scroller: HTMLElement, content: HTMLElement): () => void {
    this.#scroller = scroller;
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(scroller);
    observer.observe(content);
    this.settle();
    return () => {
      observer.disconnect();
      this.#scroller = null;
    };
  }

  toEnd(): void {
    this.following = true;
    this.settle();
  }

  settle(): void {
    const scroller = this.#scroller;
    if (!scroller || !this.following) return;
    scroller.scrollTo({ top: scroller.scrollHeight });
    this.#note(scroller);
  }

  noteScroll(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const upwards = scrollTop < this.#top && scrollHeight === this.#height;
    if (scrollHeight - scrollTop - clientHeight < NEAR_PX) this.following = !this.open;
    else if (upwards || performance.now() < this.#byHandUntil) this.following = false;
    this.#note(scroller);
  }

  noteWheel(event: WheelEvent): void {
    if (event.deltaY < 0) this.#noteHand();
  }

  noteKey(event: KeyboardEvent): void {
    if (UPWARDS.has(event.key)) this.#noteHand();
  }

  /** A press on what scrolls itself, and on nothing in it, is a press on its bar. */
  notePointer(event: PointerEvent): void {
    if (event.target === event.currentTarget) this.#noteHand();
  }

  noteTouch(): void {
    this.#noteHand();
  }

  #noteHand(): void {
    this.#byHandUntil = performance.now() + BY_HAND_MS;
  }

  #note({ scrollTop, scrollHeight }: HTMLElement): void {
    this.#top = scrollTop;
    this.#height = scrollHeight;
  }
}
