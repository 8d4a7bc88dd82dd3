import type { Approval, Request, Session } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import { approvalOf, requestOf, sessionOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';

export type DeepLinkTarget = { request: Request } | { approval: Approval } | { session: Session };

/**
 * Shows the target of a clicked notification or an opened address. The app keeps the target until it is shown here,
 * so it isn't lost while the page loads or resubscribes.
 */
export class DeepLinks {
  #show: ((what: DeepLinkTarget) => Promise<void>) | null = null;
  #looking = false;
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
      if (after.link.generation !== before.link.generation) void this.#look();
    });
  }

  /** Starts following deep links; returns a function that stops it. */
  open(show: (what: DeepLinkTarget) => Promise<void>): () => void {
    this.#show = show;
    const heard = this.bridge.onDeepLink(() => void this.#look());
    heard.then(() => this.#look(), (thrown: unknown) => this.store.report(thrown));
    return () => {
      this.#show = null;
      void heard.then((stop) => stop()).catch(() => undefined);
    };
  }

  async #look(): Promise<void> {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#lookOnce();
      }
    } catch (thrown) {
      this.store.report(thrown);
    } finally {
      this.#looking = false;
    }
  }

  async #lookOnce(): Promise<void> {
    await this.draftsRead;
    // The next snapshot checks again.
    if (this.store.state.link.status !== 'live') return;
    const id = await this.bridge.deepLink();
    const { state } = this.store;
    if (id === null || state.link.status !== 'live' || !this.#show) return;
    const what = whatIs(state, id);
    if (!what && this.#missing !== id) {
      // It may still be on its way. If the next snapshot doesn't contain it, it doesn't exist.
      this.#missing = id;
      this.store.dispatch({ type: 'subscription_lost' });
      return;
    }
    this.#missing = null;
    if (what) await this.#show(what);
    await this.bridge.deepLinkShown(id);
  }
}

/** What an id refers to; null if its session doesn't exist. */
function whatIs(state: State, id: string): DeepLinkTarget | null {
  const request = requestOf(state, id);
  if (request) return sessionOf(state, request.session) && { request };
  const approval = approvalOf(state, id);
  if (approval) return sessionOf(state, approval.session) && { approval };
  const session = sessionOf(state, id);
  return session && { session };
}
