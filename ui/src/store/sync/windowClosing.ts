import { tick } from 'svelte';

import { hasSecret } from '../../entities/request/answerDraft';
import type { Bridge } from '../../platform/bridge';
import { draftOf } from '../select';
import { allIn } from '../sessionIndex';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import { handoverOf } from './handover';

/** How long the keyboard must be idle: the last keys typed before the window closed may still be on their way. */
const QUIET_MS = 60;
/** The delay before checking again for unsaved changes; it doubles each time. */
const RETRY_MS = { first: 40, most: 5000 } as const;

interface Unsaved {
  /** Whether changes are still being sent to the app. */
  readonly isBusy: boolean;
  /** Starts saving all unsaved input. */
  saveAll(): void;
}

/**
 * Tells the app when the window can close: once the app has everything the user typed. Until then, the window stays
 * open, although it may be hidden.
 */
export class WindowClosing {
  #open = false;
  #checking = false;
  #asked = false;
  #answered: number | null = null;
  #keys = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly unsaved: Unsaved,
  ) {}

  /** Starts listening; returns a function that stops it. */
  open(): () => void {
    this.#open = true;
    const typed = () => (this.#keys += 1);
    window.addEventListener('keydown', typed, true);
    window.addEventListener('input', typed, true);
    const listening = this.bridge.onClosing(() => void this.#check());
    listening.then(() => this.#check()).catch(() => undefined);
    return () => {
      this.#open = false;
      window.removeEventListener('keydown', typed, true);
      window.removeEventListener('input', typed, true);
      void listening.then((stop) => stop()).catch(() => undefined);
    };
  }

  async #check(): Promise<void> {
    // A running check may have read the app's answer before this request was made.
    this.#asked = true;
    if (this.#checking) return;
    this.#checking = true;
    try {
      while (this.#asked) {
        this.#asked = false;
        await this.#answer();
      }
    } catch {
      // The hidden window keeps its state; the next attempt to close it asks again.
    } finally {
      this.#checking = false;
    }
  }

  /** Answers the app's request to close once everything is saved; returns when no request is left. */
  async #answer(): Promise<void> {
    let pause: number = RETRY_MS.first;
    for (;;) {
      const ask = await this.bridge.closing();
      if (ask === null || ask === this.#answered || !this.#open) return;
      if (await this.#isAllSaved()) {
        await this.bridge.readyToClose(ask, handoverOf(this.store.state));
        this.#answered = ask;
      } else {
        await wait(pause);
        pause = Math.min(pause * 2, RETRY_MS.most);
      }
    }
  }

  async #isAllSaved(): Promise<boolean> {
    const before = this.#keys;
    await wait(QUIET_MS);
    if (this.#keys !== before) return false;
    // Some fields save their value when they lose the focus.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await tick();
    this.unsaved.saveAll();
    const { state } = this.store;
    return !this.unsaved.isBusy && Object.keys(state.unsaved).length === 0 && !hasSecrets(state);
  }
}

/** Answers to secret questions are never stored, so their window stays until they are sent. */
function hasSecrets(state: State): boolean {
  return allIn(state.requests).some((request) => hasSecret(request, draftOf(state, request.id)));
}

function wait(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
