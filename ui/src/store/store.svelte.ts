import { untrack } from 'svelte';

import { asAppError } from '../platform/bridge';
import { type Action, reduce } from './reducer';
import type { State } from './state';

/** The state that one part of the window renders. */
export interface View {
  readonly state: State;
}

/** Runs after a state change. */
export type Effect = (before: State, after: State) => void;

/** Holds the state and passes actions to the reducer. */
export class Store implements View {
  /** What actions change. A component that is being removed still reads the former `#state`. */
  #current: State;
  #state: State;
  #deferredState: State;
  #catchUpPending = false;
  readonly #effects: Effect[] = [];
  /** The state for everything beside the panel: a new question is painted a frame before anything else changes. */
  readonly deferred: View;

  constructor(initial: State) {
    this.#current = initial;
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

  /** Registers an effect to run after each action, in registration order. */
  onChange(effect: Effect): void {
    this.#effects.push(effect);
  }

  readonly dispatch = (action: Action): void => {
    const before = this.#current;
    this.#current = reduce(before, action);
    this.#state = this.#current;
    // Untracked, because a Svelte effect that dispatches must not rerun because of its own action.
    untrack(() => {
      this.#updateDeferred(before, action);
      for (const effect of this.#effects) effect(before, this.#current);
    });
  };

  /** Shows an error at the top of the window. */
  readonly report = (thrown: unknown): void => {
    this.dispatch({ type: 'failed', error: asAppError(thrown) });
  };

  /** Defers only frames from the app, for at most a frame: the user's own actions show everywhere immediately. */
  #updateDeferred(before: State, { type }: Action): void {
    const sent = type === 'frames_received';
    if (sent && this.#catchUpPending) return;
    const asked = before.link.generation > 0 && this.#current.announced !== before.announced;
    this.#catchUpPending = sent && asked && !document.hidden;
    if (!this.#catchUpPending) this.#deferredState = this.#current;
    else requestAnimationFrame(() => requestAnimationFrame(() => this.#catchUp()));
  }

  #catchUp(): void {
    this.#catchUpPending = false;
    this.#deferredState = this.#current;
  }
}
