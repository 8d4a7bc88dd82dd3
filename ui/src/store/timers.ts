/** A group of timers that are canceled together. */
export class Timers {
  readonly #running = new Set<ReturnType<typeof setTimeout>>();

  /** Runs something after a delay; returns a function that cancels it. */
  later(millis: number, act: () => void): () => void {
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      act();
    }, millis);
    this.#running.add(timer);
    return () => {
      clearTimeout(timer);
      this.#running.delete(timer);
    };
  }

  cancelAll(): void {
    this.#running.forEach(clearTimeout);
    this.#running.clear();
  }
}
