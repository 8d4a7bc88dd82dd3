import type { RequestId } from '../../generated/wire';
import { type Bridge, notCopied } from '../../platform/bridge';
import { sessionInView } from '../select';
import type { Store } from '../store.svelte';

/** Reports the window's visible state to the app. */
export class WindowCommands {
  #lastView = '';
  readonly #painted = new Set<string>();

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Reports which session is in view; none if the window can't be seen. */
  readonly noteView = (): void => {
    // Nothing is in view before the first frames.
    if (this.store.state.link.generation === 0) return;
    const session = sessionInView(this.store.state)?.id ?? null;
    const view = { session, focused: document.hasFocus() };
    const said = JSON.stringify(view);
    if (said === this.#lastView) return;
    this.#lastView = said;
    void this.bridge.call('note_view', view).catch(() => undefined);
  };

  /** Reports once that a request, or the window itself, is painted: in the first task after the frame that drew it. */
  notePainted(request: RequestId | null): void {
    const key = request ?? '';
    if (this.#painted.has(key)) return;
    this.#painted.add(key);
    // The first task after the frame. A message channel would go through another process and arrive frames later.
    requestAnimationFrame(() =>
      setTimeout(() => {
        const at = Math.round(performance.timeOrigin + performance.now());
        void this.bridge.call('note_painted', { request, at }).catch(() => undefined);
      }),
    );
  }

  /** Learns whether the app loaded this page again because its process had died. */
  async readPageCrash(): Promise<void> {
    try {
      this.store.dispatch({ type: 'page_crash_noted', crashed: await this.bridge.takePageCrash() });
    } catch (thrown) {
      this.store.report(thrown);
    }
  }

  /** Reports that the user answered a deep link's target and has done nothing else since. */
  async deepLinkAnswered(request: RequestId): Promise<void> {
    // If the app can't be reached, the focus stays here.
    await this.bridge.deepLinkAnswered(request).catch(() => undefined);
  }

  /** Copies a text from where there is no place beside it for an error. */
  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      this.store.report(notCopied);
    }
  }

  /** Opens a link that the user confirmed. */
  openLink(url: string): Promise<void> {
    return this.#reporting(() => this.bridge.openLink(url));
  }

  readonly openGuide = (): Promise<void> => this.#reporting(() => this.bridge.openGuide());

  readonly quit = (): Promise<void> => this.#reporting(() => this.bridge.quit());

  async #reporting(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      this.store.report(thrown);
    }
  }
}
