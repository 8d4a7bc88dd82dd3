import type { StartCommands } from '../commands/start';
import { sessionInView, transcriptOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import type { Timers } from '../timers';

/** How long the window stays unmounted for what its first picture shows. */
const PREPARE_MS = 300;

/** Collects what the window's first picture shows, so that nothing in it is filled in later. */
export class Preparation {
  constructor(
    private readonly store: Store,
    private readonly timers: Timers,
    private readonly start: StartCommands,
    /** Settles once stored drafts were loaded or failed to load. */
    private readonly draftsRead: Promise<void>,
  ) {}

  /** Resolves once everything is there, including the scripts that `load` loads for a state, or after {@link PREPARE_MS}. */
  readonly finish = async (load: (state: State) => Promise<unknown>): Promise<void> => {
    const late = new Promise<void>((resolve) => this.timers.later(PREPARE_MS, resolve));
    await Promise.race([late, Promise.all([this.draftsRead, this.#until(isComplete), this.#loadAll(load)])]);
  };

  async #loadAll(load: (state: State) => Promise<unknown>): Promise<void> {
    await this.#until(isConnected);
    const { state } = this.store;
    // A part that can't be loaded is missing later, too.
    await Promise.all([load(state).catch(() => undefined), needsAgents(state) ? this.start.findAgents() : null]);
  }

  #until(isSo: (state: State) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.store.onChange((_, after) => isSo(after) && resolve());
      if (isSo(this.store.state)) resolve();
    });
  }
}

function isConnected({ link }: State): boolean {
  return link.generation > 0;
}

function isComplete(state: State): boolean {
  if (!isConnected(state) || state.settings === null || needsAgents(state)) return false;
  const session = sessionInView(state);
  return session === null || transcriptOf(state, session.id).status === 'read';
}

/** Whether the form that starts a session is in view, and nothing is known about agents. */
function needsAgents(state: State): boolean {
  const { at } = state.navigation.place;
  return (at === 'start' || (at === 'session' && sessionInView(state) === null)) && state.agents === null;
}
