import type { DatabaseRecovered, StorageNotice } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import type { Store } from '../store.svelte';

/** Deals with storage problems that were found at the start. */
export class StorageCommands {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Takes over what can be read of a database that was set aside; null if nothing can be read. */
  recover(kept: string): Promise<DatabaseRecovered | null> {
    return this.#reported(() => this.bridge.call('recover_database', { kept }));
  }

  /** Notes that the user has dealt with a problem. */
  async settle(notice: StorageNotice): Promise<void> {
    await this.#reported(() => this.bridge.call('settle_storage', { notice }));
  }

  async #reported<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (thrown) {
      this.store.report(thrown);
      return null;
    }
  }
}
