import type { SessionId } from '../../generated/wire';

/** In pixels: the distance after which a press becomes a drag. */
const BEGINS = 6;
/** In pixels: how close to the list's edge a drag starts scrolling, and how far each step scrolls. */
const SCROLLS = { near: 28, step: 12 } as const;

/** The drag of a row within the list. */
export class RowDrag {
  dragged: SessionId | null = $state(null);
  /** The gap where the row would be dropped, counted from the top. */
  gap: number | null = $state(null);
  #pressed: { session: SessionId; x: number; y: number; pointer: number } | null = null;
  readonly #list: () => HTMLElement | undefined;
  readonly #gapAt: (y: number) => number;
  readonly #drop: (session: SessionId, gap: number) => void;

  constructor(list: () => HTMLElement | undefined, gapAt: (y: number) => number, drop: (session: SessionId, gap: number) => void) {
    this.#list = list;
    this.#gapAt = gapAt;
    this.#drop = drop;
  }

  press(event: PointerEvent, session: SessionId): void {
    // Touch scrolls the list instead.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    this.#pressed = { session, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  }

  move(event: PointerEvent): void {
    const list = this.#list();
    const pressed = this.#pressed;
    if (!pressed || !list || event.pointerId !== pressed.pointer) return;
    if (this.dragged === null) {
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < BEGINS) return;
      this.dragged = pressed.session;
      // From here on, the list captures the pointer, so releasing it selects no row.
      list.setPointerCapture(event.pointerId);
    }
    this.gap = this.#gapAt(event.clientY);
    scrollNearEdge(list, event);
  }

  release(): void {
    const { dragged, gap } = this;
    this.cancel();
    if (dragged !== null && gap !== null) this.#drop(dragged, gap);
  }

  cancel(): void {
    this.#pressed = null;
    this.dragged = null;
    this.gap = null;
  }
}

function scrollNearEdge(list: HTMLElement, event: PointerEvent): void {
  const { top, bottom } = list.getBoundingClientRect();
  const { near, step } = SCROLLS;
  if (event.clientY < top + near) list.scrollBy(0, -step);
  else if (event.clientY > bottom - near) list.scrollBy(0, step);
}
