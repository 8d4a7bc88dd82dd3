import type { DraftTarget } from '../../generated/wire';
import { type AppError, asAppError, type Bridge } from '../../platform/bridge';
import { isBlank, storedDraft } from '../draftStorage';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import type { Submitter } from '../submit';

/** How long after a change it is on its way to the disk; on disk it is to be within 300 ms. */
const SAVE_MS = 150;
/** How long to wait after a failure. */
const AGAIN_MS = 1000;

/** Keeps drafts on disk while the person types, and reads them when the page is loaded. */
export class DraftSaves {
  /** By it the app tells which of two saves that overtook each other is the later one. */
  readonly #page = crypto.randomUUID();
  #count = 0;
  /** Nothing is saved before what is on disk was read: it would be overwritten unseen. */
  #read = false;
  readonly #changed = new Set<string>();
  readonly #saving = new Set<string>();
  /** Each draft as it stands on disk. */
  readonly #kept = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #open = false;
  #tried: () => void = () => undefined;
  /** Over once it was tried to read what is kept. */
  readonly tried = new Promise<void>((resolve) => (this.#tried = resolve));

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {
    store.onChange((before, after) => this.#note(before, after));
    // What was being sent held its draft up.
    submitter.onSettled = () => this.#changed.size > 0 && this.#later(SAVE_MS);
  }

  /** Reads what is kept and saves from now on; gives the way to stop. */
  open(): () => void {
    this.#open = true;
    const blur = () => this.#save(false);
    // Whoever leaves does not come back to what is on its way.
    const leave = () => this.#save(true);
    const hidden = () => document.visibilityState === 'hidden' && leave();
    document.addEventListener('focusout', blur);
    document.addEventListener('visibilitychange', hidden);
    window.addEventListener('blur', blur);
    window.addEventListener('beforeunload', leave);
    window.addEventListener('pagehide', leave);
    void this.#readAll();
    return () => {
      document.removeEventListener('focusout', blur);
      document.removeEventListener('visibilitychange', hidden);
      window.removeEventListener('blur', blur);
      window.removeEventListener('beforeunload', leave);
      window.removeEventListener('pagehide', leave);
      leave();
      this.#open = false;
      if (this.#timer !== null) clearTimeout(this.#timer);
    };
  }

  /** Takes note of which drafts an action has changed. */
  #note(before: State, after: State): void {
    if (before.drafts === after.drafts && before.decisions === after.decisions) return;
    this.#noteIn(before.drafts, after.drafts);
    this.#noteIn(before.decisions, after.decisions);
    if (this.#changed.size > 0) this.#later(SAVE_MS);
  }

  /** Whether something that was begun is not on disk as it stands here. */
  get isBusy(): boolean {
    return this.#changed.size > 0 || this.#saving.size > 0;
  }

  /** Saves at once what has changed. */
  saveNow(): void {
    this.#save(false);
  }

  #noteIn(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): void {
    if (before === after) return;
    for (const id of Object.keys(after)) if (after[id] !== before[id]) this.#changed.add(id);
    for (const id of Object.keys(before)) {
      if (id in after) continue;
      // It was sent or given up, and the app has let it go by itself.
      this.#changed.delete(id);
      this.#kept.delete(id);
    }
  }

  #later(millis: number): void {
    if (!this.#open || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#save(false);
    }, millis);
  }

  async #readAll(): Promise<void> {
    try {
      const { drafts } = await this.bridge.call('read_drafts', {});
      for (const draft of drafts) this.#kept.set(draft.id, written(draft));
      this.#read = true;
      this.store.dispatch({ type: 'drafts_read', drafts });
      this.#later(0);
    } catch (thrown) {
      if (!this.#open) return;
      this.store.report(thrown);
      setTimeout(() => this.#open && void this.#readAll(), AGAIN_MS);
    } finally {
      this.#tried();
    }
  }

  /** Sends what has changed; what is being saved goes out again when that is back, or at once where none will wait. */
  #save(leaving: boolean): void {
    if (!this.#read) return;
    for (const id of [...this.#changed]) {
      if (this.submitter.isSending(id) && !leaving) continue;
      if (this.#saving.has(id) && !leaving) continue;
      this.#changed.delete(id);
      const draft = storedDraft(this.store.state, id);
      if (draft === null) continue;
      const text = written(draft);
      const unchanged = this.#kept.get(id) === text || (isBlank(draft) && !this.#kept.has(id));
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
      this.#kept.set(id, text);
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
    // What it was begun on has ended: there is nothing to save it for.
    if (error.code === 'already_ended' || error.code === 'not_found') return this.#noteSaved(id);
    if (!this.#open) return;
    this.store.dispatch({ type: 'draft_unsaved', id, error });
    // What does not fit fits no better the second time.
    if (error.code === 'invalid') return;
    this.#changed.add(id);
    this.#later(AGAIN_MS);
  }
}

function written(draft: DraftTarget): string {
  return JSON.stringify(draft, sortedKeys);
}

/** Two forms of one draft differ in nothing but the order of their fields. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
