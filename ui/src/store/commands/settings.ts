import type { Setting, SettingsRead } from '../../generated/wire';
import { type AppError, asAppError, type Bridge } from '../../platform/bridge';
import { NORMAL_SIZE, TEXT_SIZES } from '../../shared/textSizes';
import type { Store } from '../store.svelte';

export class SettingsCommands {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Returns the error if reading fails. */
  read(): Promise<AppError | null> {
    return this.#take(() => this.bridge.call('read_settings', {}));
  }

  /** Changes a setting; returns the error if that fails. */
  change(change: Setting): Promise<AppError | null> {
    return this.#take(() => this.bridge.call('change_setting', { change }));
  }

  /** Changes a setting from where there is no place beside it for an error. */
  async changeReported(change: Setting): Promise<void> {
    const error = await this.change(change);
    if (error) this.store.report(error);
  }

  /** Makes everything in the window larger or smaller by a step, or as it was at first. */
  async zoom(to: 'in' | 'out' | 'reset'): Promise<void> {
    const now = this.store.state.settings?.settings.textSize;
    if (now === undefined) return;
    const next = to === 'in' ? TEXT_SIZES.find((size) => size > now) : TEXT_SIZES.findLast((size) => size < now);
    const value = to === 'reset' ? NORMAL_SIZE : next;
    if (value !== undefined && value !== now) await this.changeReported({ setting: 'text_size', value });
  }

  async #take(read: () => Promise<SettingsRead>): Promise<AppError | null> {
    try {
      this.store.dispatch({ type: 'settings_read', settings: await read() });
      return null;
    } catch (thrown) {
      return asAppError(thrown);
    }
  }
}
