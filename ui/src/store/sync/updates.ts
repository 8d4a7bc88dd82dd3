import type { SetAsideUntil, UpdateRead } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import type { Store } from '../store.svelte';

/** Follows the updates of the app, and asks for their steps. */
export class UpdateState {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Starts following; returns a function that stops it. */
  open(): () => void {
    const listening = this.bridge.onUpdate(() => void this.read());
    listening.then(
      () => this.read(),
      (thrown: unknown) => this.store.report(thrown),
    );
    return () => void listening.then((stop) => stop()).catch(() => undefined);
  }

  read = (): Promise<void> => this.#take(() => this.bridge.call('read_update', {}));

  /** Looks for a newer version now. */
  check = (): Promise<void> => this.#take(() => this.bridge.call('check_for_update', {}));

  /** Takes the next step for a version that the user has seen. */
  install(version: string): Promise<void> {
    return this.#take(() => this.bridge.call('install_update', { version }));
  }

  /** Ends the download. */
  cancel = (): Promise<void> => this.#take(() => this.bridge.call('cancel_update', {}));

  setAside(version: string, until: SetAsideUntil): Promise<void> {
    return this.#take(() => this.bridge.call('set_update_aside', { version, until }));
  }

  async #take(call: () => Promise<UpdateRead>): Promise<void> {
    try {
      this.store.dispatch({ type: 'update_read', update: await call() });
    } catch (thrown) {
      this.store.report(thrown);
    }
  }
}
