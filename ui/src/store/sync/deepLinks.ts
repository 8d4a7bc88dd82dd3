import type { Approval, Request, Session } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import { approvalOf, requestOf, sessionOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';

export type DeepLinkTarget = { request: Request } | { approval: Approval } | { session: Session } | { view: 'history' };

/**
 * Shows the target of a clicked notification or an opened address. The app keeps the target until it is shown here,
 * so it isn't lost while the page loads or resubscribes.
 */
export class DeepLinks {
  #show: ((target: DeepLinkTarget) => Promise<void>) | null = null;
  #following = false;
  #again = false;
  /** The id that a snapshot older than the link didn't contain. */
  #missing: string | null = null;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    /** Settles once stored drafts were loaded or failed to load: they determine the first unanswered question. */
    private readonly draftsRead: Promise<void>,
  ) {
    store.onChange((before, after) => {
      if (after.link.generation !== before.link.generation) void this.#follow();
    });
  }

  /** Starts following deep links; returns a function that stops it. */
  open(show: (target: DeepLinkTarget) => Promise<void>): () => void {
    this.#show = show;
    const listening = this.bridge.onDeepLink(() => void this.#follow());
    listening.then(
      () => this.#follow(),
      (thrown: unknown) => this.store.report(thrown),
    );
    return () => {
      this.#show = null;
      void listening.then((stop) => stop()).catch(() => undefined);
    };
  }

  async #follow(): Promise<void> {
    this.#again = true;
    if (this.#following) return;
    this.#following = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#followOnce();
      }
    } catch (thrown) {
      this.store.report(thrown);
    } finally {
      this.#following = false;
    }
  }

  async #followOnce(): Promise<void> {
    await this.draftsRead;
    // The next snapshot checks again.
    if (this.store.state.link.status !== 'live') return;
    const id = await this.bridge.deepLink();
    const { state } = this.store;
    if (id === null || state.link.status !== 'live' || !this.#show) return;
    const target = targetOf(state, id);
    if (!target && this.#missing !== id) {
      // It may still be on its way. If the next snapshot doesn't contain it, it doesn't exist.
      this.#missing = id;
      this.store.dispatch({ type: 'subscription_lost' });
      return;
    }
    this.#missing = null;
    if (target) await this.#show(target);
    await this.bridge.deepLinkShown(id);
  }
}

/** What a target refers to; null if its session doesn't exist. */
function targetOf(state: State, id: string): DeepLinkTarget | null {
  if (id === 'history') return { view: 'history' };
  const request = requestOf(state, id);
  if (request) return sessionOf(state, request.session) && { request };
  const approval = approvalOf(state, id);
  if (approval) return sessionOf(state, approval.session) && { approval };
  const session = sessionOf(state, id);
  return session && { session };
}
