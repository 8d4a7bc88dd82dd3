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
  /** Set until the deferred view shows the current state; whether a question began it. */
  #deferral: { readonly asked: boolean } | null = null;
  readonly #effects: Effect[] = [];
  /** The state for everything beside the panel: a question that comes or goes is painted a frame before anything else changes. */
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

  /**
   * Defers a reported change of a request until the panel is painted, and once more if a question follows. The user's own
   * actions show everywhere immediately.
   */
  #updateDeferred(before: State, { type }: Action): void {
    const now = this.#current;
    const asked = now.announced !== before.announced;
    const changed = asked || now.requests !== before.requests || now.approvals !== before.approvals;
    const defers = REPORTS.has(type) && !document.hidden && before.link.generation > 0;
    if (defers && this.#deferral) {
      if (asked && !this.#deferral.asked) this.#defer(asked);
    } else if (defers && changed) this.#defer(asked);
    else this.#catchUp();
  }

  #defer(asked: boolean): void {
    const deferral = { asked };
    this.#deferral = deferral;
    const end = () => {
      if (this.#deferral === deferral) this.#catchUp();
    };
    requestAnimationFrame(() => requestAnimationFrame(end));
  }

  #catchUp(): void {
    this.#deferral = null;
    this.#deferredState = this.#current;
  }
}

/** What the app reports, by itself or in reply to an answer, and what follows from it. */
const REPORTS: ReadonlySet<Action['type']> = new Set(['frames_received', 'request_ended', 'submit_done', 'request_settled']);
