import type { RequestId } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import { sessionInView } from '../select';
import type { Store } from '../store.svelte';

/** Tells the app what stands on the screen. */
export class WindowCommands {
  #lastView = '';
  readonly #painted = new Set<string>();

  constructor(private readonly bridge: Bridge, private readonly store: Store) {}

  /** Reports which session is in view; what nobody can look at counts as none. */
  readonly noteView = (): void => {
    const session = sessionInView(this.store.state)?.id ?? null;
    const view = { session, focused: document.hasFocus() };
    const said = JSON.stringify(view);
    if (said === this.#lastView) return;
    this.#lastView = said;
    void this.bridge.call('note_view', view).catch(() => undefined);
  };

  /** Reports once that a request is painted, or the window itself: in the first task after the frame that drew it. */
  notePainted(request: RequestId | null): void {
    const key = request ?? '';
    if (this.#painted.has(key)) return;
    this.#painted.add(key);
    // The first task after the frame; a message channel goes by way of another process and comes frames later.
    requestAnimationFrame(() =>
      setTimeout(() => {
        const at = Math.round(performance.timeOrigin + performance.now());
        void this.bridge.call('note_painted', { request, at }).catch(() => undefined);
      }),
    );
  }

  /** Reports that the person has answered what a deep link led to, and did nothing else since. */
  async answeredThere(request: RequestId): Promise<void> {
    // Where the app hears nothing of it, the focus stays here.
    await this.bridge.answeredThere(request).catch(() => undefined);
  }

  /** Opens a link the person has agreed to. */
  async openLink(url: string): Promise<void> {
    try {
      await this.bridge.openLink(url);
    } catch (thrown) {
      this.store.report(thrown);
    }
  }
}
