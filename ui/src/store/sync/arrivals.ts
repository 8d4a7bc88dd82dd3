import type { RequestId } from '../../generated/wire';
import { arming } from '../../shared/arming';
import { allIn } from '../sessionIndex';
import type { State } from '../state';
import type { Store } from '../store.svelte';

/** Notes of each question when it has been there long enough for the user to have seen it. */
export class Arrivals {
  readonly #waiting = new Map<RequestId, () => void>();

  constructor(private readonly store: Store) {}

  readonly react = (before: State, after: State): void => {
    if (after.requests === before.requests) return;
    const open = new Set(
      allIn(after.requests)
        .filter(({ state }) => state.state === 'open')
        .map(({ id }) => id),
    );
    for (const [id, stop] of this.#waiting) {
      if (open.has(id)) continue;
      stop();
      this.#waiting.delete(id);
    }
    for (const id of open) if (!(id in after.settled) && !this.#waiting.has(id)) this.#wait(id);
  };

  stop(): void {
    for (const stop of this.#waiting.values()) stop();
    this.#waiting.clear();
  }

  #wait(request: RequestId): void {
    if (arming.delay === 0) {
      this.store.dispatch({ type: 'request_settled', request });
      return;
    }
    const settle = () => {
      this.#waiting.delete(request);
      this.store.dispatch({ type: 'request_settled', request });
    };
    this.#waiting.set(request, arming.after(arming.delay, settle));
  }
}
