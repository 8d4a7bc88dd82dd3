import type { Bridge, Input } from '../../platform/bridge';
import type { Store } from '../store.svelte';

type AboutUpdate = 'read_update' | 'check_for_update' | 'install_update' | 'cancel_update' | 'set_update_aside';

/** Follows the updates of the app, and asks for their steps. */
export class UpdateState {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Starts following; returns a function that stops it. */
  open(): () => void {
    const read = () => void this.ask('read_update', {});
    const listening = this.bridge.onUpdate(read);
    listening.then(read, (thrown: unknown) => this.store.report(thrown));
    return () => void listening.then((stop) => stop()).catch(() => undefined);
  }

  /** Asks for what is known about updates, or for a step of one. */
  async ask<C extends AboutUpdate>(command: C, input: Input<C>): Promise<void> {
    try {
      this.store.dispatch({ type: 'update_read', update: await this.bridge.call(command, input) });
    } catch (thrown) {
      this.store.report(thrown);
    }
  }
}
