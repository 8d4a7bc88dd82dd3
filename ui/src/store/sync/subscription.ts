import type { PageStart } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import type { Store } from '../store.svelte';
import type { Timers } from '../timers';

/** The delay before subscribing again after a failure. */
const RESUBSCRIBE_MS = 1000;

/** Keeps the state in sync with the app's stream of frames. */
export class Subscription {
  /** Frames of an older subscription are ignored. */
  #current = 0;
  #unsubscribe: (() => Promise<void>) | null = null;
  #noteBegun: (start: PageStart | null) => void = () => undefined;
  /** Resolves with what the page starts with; null if it has to ask for everything. */
  readonly begun = new Promise<PageStart | null>((resolve) => (this.#noteBegun = resolve));

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly timers: Timers,
  ) {
    store.onChange((before, after) => {
      if (after.link.status === 'stale' && before.link.status !== 'stale') void this.#subscribe();
    });
  }

  /** Subscribes; returns a function that unsubscribes. */
  open(): () => void {
    void this.#begin();
    return () => {
      this.#current += 1;
      void this.#unsubscribe?.().catch(() => undefined);
    };
  }

  /** Takes what the app sent before the page asked; the app's stream follows it. */
  async #begin(): Promise<void> {
    const start = await this.bridge.takeStart().catch(() => null);
    if (start) this.store.dispatch({ type: 'page_started', start });
    this.#noteBegun(start);
    await this.#subscribe();
  }

  async #subscribe(): Promise<void> {
    this.#current += 1;
    const mine = this.#current;
    const previous = this.#unsubscribe;
    this.#unsubscribe = null;
    void previous?.().catch(() => undefined);
    try {
      const unsubscribe = await this.bridge.subscribe((frames) => {
        if (mine === this.#current) this.store.dispatch({ type: 'frames_received', frames });
      });
      if (mine === this.#current) this.#unsubscribe = unsubscribe;
      else void unsubscribe().catch(() => undefined);
    } catch (thrown) {
      if (mine !== this.#current) return;
      this.store.report(thrown);
      this.timers.later(RESUBSCRIBE_MS, () => void this.#subscribe());
    }
  }
}
