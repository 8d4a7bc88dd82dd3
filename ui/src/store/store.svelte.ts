import { untrack } from 'svelte';

import { asAppError } from '../platform/bridge';
import { type Action, reduce } from './reducer';
import type { State } from './state';

/** The state as one part of the window draws it. */
export interface View {
  readonly state: State;
}

/** What follows from a change of the state. */
export type Effect = (before: State, after: State) => void;

/** Holds the state and carries actions to the reducer. */
export class Store implements View {
  #state: State;
  #deferredState: State;
  #catchUpPending = false;
  readonly #effects: Effect[] = [];
  /** What stands beside the panel draws this: a new question is painted a frame before anything else moves. */
  readonly deferred: View;

  constructor(initial: State) {
    this.#state = $state.raw(initial);
    this.#deferredState = $state.raw(initial);
    const deferredState = () => this.#deferredState;
    this.deferred = {
      get state() {
        return deferredState();
      },
    };
  }

  get state(): State {
    return this.#state;
  }

  /** Runs an effect after each action, in the order they were added. */
  onChange(effect: Effect): void {
    this.#effects.push(effect);
  }

  readonly dispatch = (action: Action): void => {
    // An effect that acts must not run again because of what its action changed.
    const before = untrack(() => this.#state);
    this.#state = reduce(before, action);
    untrack(() => {
      this.#updateDeferred(before, action);
      for (const effect of this.#effects) effect(before, this.#state);
    });
  };

  /** Shows an error at the top of the window. */
  readonly report = (thrown: unknown): void => {
    this.dispatch({ type: 'failed', error: asAppError(thrown) });
  };

  /** Only what an agent sent may wait, and no longer than a frame: what the person does shows everywhere at once. */
  #updateDeferred(before: State, { type }: Action): void {
    const sent = type === 'frames_received';
    if (sent && this.#catchUpPending) return;
    const asked = before.link.generation > 0 && this.#state.announced !== before.announced;
    this.#catchUpPending = sent && asked && !document.hidden;
    if (!this.#catchUpPending) this.#deferredState = this.#state;
    else requestAnimationFrame(() => requestAnimationFrame(() => this.#catchUp()));
  }

  #catchUp(): void {
    this.#catchUpPending = false;
    this.#deferredState = this.#state;
  }
}
