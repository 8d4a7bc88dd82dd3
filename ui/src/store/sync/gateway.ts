import type { Bridge } from '../../platform/bridge';
import type { Store } from '../store.svelte';

/** Follows whether other programs can ask. */
export class GatewayState {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Starts following; returns a function that stops it. */
  open(): () => void {
    const listening = this.bridge.onGateway(() => void this.#read());
    listening.then(
      () => this.#read(),
      (thrown: unknown) => this.store.report(thrown),
    );
    return () => void listening.then((stop) => stop()).catch(() => undefined);
  }

  /** Tries at once to open a gateway that can't open. */
  readonly retry = async (): Promise<void> => {
    try {
      await this.bridge.retryGateway();
    } catch (thrown) {
      this.store.report(thrown);
    }
    await this.#read();
  };

  async #read(): Promise<void> {
    try {
      this.store.dispatch({ type: 'gateway_read', failure: await this.bridge.gatewayFailure() });
    } catch (thrown) {
      this.store.report(thrown);
    }
  }
}
