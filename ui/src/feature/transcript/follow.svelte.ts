/** The distance from the end that still counts as following it. */
const NEAR_PX = 40;
/** How long after user input a scroll still counts as caused by the user. */
const BY_HAND_MS = 400;

const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home']);

/**
 * Keeps the end of a growing text in view until the user scrolls away. Only user input stops following, because new
 * measurements of the content also scroll.
 */
export class Follower {
  following = $state(true);
  /** Whether more entries exist below the listed ones: the end of the list isn't the end of the transcript then. */
  open = false;
  #scroller: HTMLElement | null = null;
  #top = 0;
  #height = 0;
  #byHandUntil = 0;
  #heldUntil = 0;

  /** Follows the end whenever the content's size changes; returns a function that stops it. */
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

  /** Leaves the end, for a place further up. */
  leaveEnd(): void {
    this.following = false;
  }

  toEnd(): void {
    this.following = true;
    this.settle();
  }

  settle(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    if (performance.now() < this.#heldUntil) this.following = isNear(scroller) && !this.open;
    else if (this.following) scroller.scrollTo({ top: scroller.scrollHeight });
    else return;
    this.#note(scroller);
  }

  noteScroll(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const upwards = scroller.scrollTop < this.#top && scroller.scrollHeight === this.#height;
    if (isNear(scroller)) this.following = !this.open;
    else if (upwards || performance.now() < this.#byHandUntil) this.following = false;
    this.#note(scroller);
  }

  noteWheel(event: WheelEvent): void {
    if (event.deltaY < 0) this.#noteHand();
  }

  noteKey(event: KeyboardEvent): void {
    if (UPWARDS.has(event.key)) this.#noteHand();
  }

  /** A press on the scroller itself, rather than its content, is a press on the scrollbar. */
  notePointer(event: PointerEvent): void {
    if (event.target === event.currentTarget) this.#noteHand();
  }

  noteTouch(): void {
    this.#noteHand();
  }

  /** What the user unfolds grows downwards from where they pressed; the end is followed again once they go there. */
  noteClick(): void {
    this.#heldUntil = performance.now() + BY_HAND_MS;
  }

  #noteHand(): void {
    this.#byHandUntil = performance.now() + BY_HAND_MS;
  }

  #note({ scrollTop, scrollHeight }: HTMLElement): void {
    this.#top = scrollTop;
    this.#height = scrollHeight;
  }
}

function isNear({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_PX;
}
