import { untrack } from 'svelte';

import { asAppError } from '../platform/bridge';
import { type Action, reduce } from './reducer';
import type { State } from './state';

/** The state that the window renders. */
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
  readonly #effects: Effect[] = [];

  constructor(initial: State) {
    this.#current = initial;
    this.#state = $state.raw(initial);
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
      for (const effect of this.#effects) effect(before, this.#current);
    });
  };

  /** Shows an error at the top of the window. */
  readonly report = (thrown: unknown): void => {
    this.dispatch({ type: 'failed', error: asAppError(thrown) });
  };
}
