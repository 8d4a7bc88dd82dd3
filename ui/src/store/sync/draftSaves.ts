import type { DraftTarget } from '../../generated/wire';
import { type AppError, asAppError, type Bridge } from '../../platform/bridge';
import { isBlank, storedDraft } from '../draftStorage';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import type { Submitter } from '../submit';

/** The delay between a change and its save; it must be on disk within 300 ms. */
const SAVE_MS = 150;
/** The delay before a retry. */
const RETRY_MS = 1000;

/** Saves drafts while the user types, and loads them with the page. */
export class DraftSaves {
  /** With the count, lets the app order saves that arrive out of order. */
  readonly #page = crypto.randomUUID();
  #count = 0;
  /** Nothing is saved before the stored drafts are loaded, because a save would overwrite them. */
  #read = false;
  readonly #changed = new Set<string>();
  readonly #saving = new Set<string>();
  /** The serialized form that each draft has on disk. */
  readonly #stored = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #open = false;
  #tried: () => void = () => undefined;
  /** Settles after the first attempt to load the stored drafts. */
  readonly tried = new Promise<void>((resolve) => (this.#tried = resolve));

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {
    store.onChange((before, after) => this.#note(before, after));
    // A draft isn't saved while its request is being sent.
    submitter.onSettled = () => this.#changed.size > 0 && this.#later(SAVE_MS);
  }

  /** Starts saving what the user types, once the stored drafts are loaded; returns a function that stops it. */
  open(): () => void {
    this.#open = true;
    const blur = () => this.#save(false);
    // A page that closes can't wait for saves in progress.
    const leave = () => this.#save(true);
    const hidden = () => document.visibilityState === 'hidden' && leave();
    const closed = new AbortController();
    const { signal } = closed;
    document.addEventListener('focusout', blur, { signal });
    document.addEventListener('visibilitychange', hidden, { signal });
    window.addEventListener('blur', blur, { signal });
    window.addEventListener('beforeunload', leave, { signal });
    window.addEventListener('pagehide', leave, { signal });
    return () => {
      closed.abort();
      leave();
      this.#open = false;
      if (this.#timer !== null) clearTimeout(this.#timer);
    };
  }

  /** Notes which drafts an action has changed. */
  #note(before: State, after: State): void {
    if (before.drafts === after.drafts && before.decisions === after.decisions) return;
    this.#noteIn(before.drafts, after.drafts);
    this.#noteIn(before.decisions, after.decisions);
    if (this.#changed.size > 0) this.#later(SAVE_MS);
  }

  /** Whether any draft has changes that aren't on disk. */
  get isBusy(): boolean {
    return this.#changed.size > 0 || this.#saving.size > 0;
  }

  /** Saves all changed drafts immediately. */
  saveNow(): void {
    this.#save(false);
  }

  #noteIn(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): void {
    if (before === after) return;
    for (const id of Object.keys(after)) if (after[id] !== before[id]) this.#changed.add(id);
    for (const id of Object.keys(before)) {
      if (id in after) continue;
      // It was sent or discarded, and the app has already deleted it.
      this.#changed.delete(id);
      this.#stored.delete(id);
    }
  }

  #later(millis: number): void {
    if (!this.#open || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#save(false);
    }, millis);
  }

  /** Takes the stored drafts. */
  take(drafts: readonly DraftTarget[]): void {
    for (const draft of drafts) this.#stored.set(draft.id, serialized(draft));
    this.#read = true;
    this.store.dispatch({ type: 'drafts_read', drafts });
    this.#later(0);
    this.#tried();
  }

  /** Loads the stored drafts, and tries again until that succeeds. */
  async readAll(): Promise<void> {
    try {
      const { drafts } = await this.bridge.call('read_drafts', {});
      this.take(drafts);
    } catch (thrown) {
      if (!this.#open) return;
      this.store.report(thrown);
      setTimeout(() => this.#open && void this.readAll(), RETRY_MS);
    } finally {
      this.#tried();
    }
  }

  /** Saves changed drafts. A draft that is already being saved waits for that save, unless the page is closing. */
  #save(leaving: boolean): void {
    if (!this.#read) return;
    for (const id of [...this.#changed]) {
      if (this.submitter.isSending(id) && !leaving) continue;
      if (this.#saving.has(id) && !leaving) continue;
      this.#changed.delete(id);
      const draft = storedDraft(this.store.state, id);
      if (draft === null) continue;
      const text = serialized(draft);
      const unchanged = this.#stored.get(id) === text || (isBlank(draft) && !this.#stored.has(id));
      if (unchanged && !this.#saving.has(id)) this.#noteSaved(id);
      else void this.#saveOne(id, draft, text);
    }
  }

  async #saveOne(id: string, draft: DraftTarget, text: string): Promise<void> {
    this.#saving.add(id);
    this.#count += 1;
    const n = this.#count;
    try {
      await this.bridge.call('save_draft', { page: this.#page, n, draft });
      this.#stored.set(id, text);
      this.#noteSaved(id);
    } catch (thrown) {
      this.#noteFailed(id, asAppError(thrown));
    } finally {
      this.#saving.delete(id);
      if (this.#changed.size > 0) this.#later(SAVE_MS);
    }
  }

  #noteSaved(id: string): void {
    if (id in this.store.state.unsaved) this.store.dispatch({ type: 'draft_saved', id });
  }

  #noteFailed(id: string, error: AppError): void {
    // The request or approval has ended, so the draft is no longer needed.
    if (error.code === 'already_ended' || error.code === 'not_found') return this.#noteSaved(id);
    if (!this.#open) return;
    this.store.dispatch({ type: 'draft_unsaved', id, error });
    // An invalid draft would fail again.
    if (error.code === 'invalid') return;
    this.#changed.add(id);
    this.#later(RETRY_MS);
  }
}

function serialized(draft: DraftTarget): string {
  return JSON.stringify(draft, sortedKeys);
}

/** Sorts fields, because two forms of the same draft differ only in field order. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
