import type { Approval, Request, Session } from '../generated/wire';
import type { Bridge } from '../platform/bridge';
import type { Action } from './reducer';
import { approvalOf, requestOf, sessionOf } from './select';
import type { State } from './state';

export type WhatIsWanted = { request: Request } | { approval: Approval } | { session: Session };

/** What it needs of the desk. */
interface Around {
  readonly state: State;
  dispatch(action: Action): void;
  /** Over once it was tried to read what is kept of drafts: they say which question is the first without an answer. */
  readonly draftsRead: Promise<void>;
  /** Says an error at the top of the window, once. */
  fail(thrown: unknown): void;
}

/**
 * Brings up what a click on a notification or an address was about. The app keeps it until it is shown here, so that it
 * counts while the page is loaded and while the stream is begun anew.
 */
export class Wanted {
  readonly #bridge: Bridge;
  readonly #desk: Around;
  #show: ((what: WhatIsWanted) => Promise<void>) | null = null;
  #looking = false;
  #again = false;
  /** What was looked for in a snapshot that is older than the wish. */
  #missing: string | null = null;

  constructor(bridge: Bridge, desk: Around) {
    this.#bridge = bridge;
    this.#desk = desk;
  }

  /** Shows what is wanted from now on; gives the way to stop. */
  open(show: (what: WhatIsWanted) => Promise<void>): () => void {
    this.#show = show;
    const heard = this.#bridge.onWanted(() => void this.look());
    heard.then(() => this.look(), (thrown: unknown) => this.#desk.fail(thrown));
    return () => {
      this.#show = null;
      void heard.then((stop) => stop()).catch(() => undefined);
    };
  }

  /** Looks whether something is wanted; also called with each snapshot. */
  async look(): Promise<void> {
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#lookOnce();
      }
    } catch (thrown) {
      this.#desk.fail(thrown);
    } finally {
      this.#looking = false;
    }
  }

  async #lookOnce(): Promise<void> {
    await this.#desk.draftsRead;
    // The snapshot that is to come looks again.
    if (this.#desk.state.link.status !== 'live') return;
    const id = await this.#bridge.wanted();
    const { state } = this.#desk;
    if (id === null || state.link.status !== 'live' || !this.#show) return;
    const what = whatIs(state, id);
    if (!what && this.#missing !== id) {
      // It may be on its way; a snapshot from now on has it, or nothing has.
      this.#missing = id;
      this.#desk.dispatch({ type: 'subscription_lost' });
      return;
    }
    this.#missing = null;
    if (what) await this.#show(what);
    await this.#bridge.broughtUp(id);
  }
}

/** What an id stands for, where its session is there to go to. */
function whatIs(state: State, id: string): WhatIsWanted | null {
  const request = requestOf(state, id);
  if (request) return sessionOf(state, request.session) && { request };
  const approval = approvalOf(state, id);
  if (approval) return sessionOf(state, approval.session) && { approval };
  const session = sessionOf(state, id);
  return session && { session };
}
