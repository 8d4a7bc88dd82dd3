import type { ExportFormat, SessionId } from '../../generated/wire';
import { asAppError, type Bridge } from '../../platform/bridge';
import { anySession } from '../select';
import type { Store } from '../store.svelte';

/** How long typing must pause before a search starts. */
export const PAUSE_MS = 180;
/** Hits per page. */
const HITS = 30;
/** Entries per page of an excerpt. */
const ENTRIES = 60;
/** How many entries of the page follow the hit. */
const BEHIND = 20;

/** Searches past sessions, opens excerpts of them, and exports them. */
export class HistoryCommands {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  async open(): Promise<void> {
    this.store.dispatch({ type: 'history_opened' });
    await this.#readAgain();
  }

  /** Loads the current place after a step back or forward. */
  async resume(): Promise<void> {
    const { place } = this.store.state.navigation;
    if (place.at === 'history') await this.#readAgain();
    else if (place.at === 'past_session') await this.#readAt(place.past, place.entry);
  }

  async #readAgain(): Promise<void> {
    await this.#readPast();
    // The session may have grown since the search.
    if (this.store.state.history.query.trim() !== '') await this.#search(0);
  }

  /** Searches for the query once typing pauses. */
  write(query: string): void {
    this.store.dispatch({ type: 'history_written', query });
    clearTimeout(this.#timer);
    if (query.trim() === '') return;
    this.#timer = setTimeout(() => void this.#search(0), PAUSE_MS);
  }

  /** Loads the next page of hits. */
  more(): Promise<void> {
    return this.#search(this.store.state.history.hits.length);
  }

  async #search(offset: number): Promise<void> {
    const { query } = this.store.state.history;
    try {
      const found = await this.bridge.call('search_history', { query, limit: HITS, offset });
      this.store.dispatch({ type: 'history_found', query, found, added: offset > 0 });
    } catch (thrown) {
      this.store.dispatch({ type: 'history_failed', query, error: asAppError(thrown) });
    }
  }

  async #readPast(): Promise<void> {
    const { query } = this.store.state.history;
    try {
      const { sessions } = await this.bridge.call('read_past_sessions', {});
      this.store.dispatch({ type: 'past_read', sessions });
    } catch (thrown) {
      this.store.dispatch({ type: 'history_failed', query, error: asAppError(thrown) });
    }
  }

  /** Opens a session's transcript at an entry, or at its end. */
  async show(id: SessionId, n: number | null): Promise<void> {
    if (!anySession(this.store.state, id)) await this.#readPast();
    const session = anySession(this.store.state, id);
    if (!session) return;
    this.store.dispatch({ type: 'excerpt_opened', session, n });
    await this.#readAt(id, n);
  }

  #readAt(session: SessionId, n: number | null): Promise<void> {
    return this.#read(session, n === null ? null : n + BEHIND + 1);
  }

  /** Loads the entries before the visible ones. */
  async earlier(): Promise<void> {
    const { excerpt } = this.store.state.history;
    const first = excerpt?.entries[0];
    if (excerpt && first) await this.#read(excerpt.session.id, first.n);
  }

  /** Loads the entries after the visible ones. */
  async later(): Promise<void> {
    const { excerpt } = this.store.state.history;
    const last = excerpt?.entries.at(-1);
    if (excerpt && last) await this.#read(excerpt.session.id, last.n + ENTRIES + 1);
  }

  async #read(session: SessionId, before: number | null): Promise<void> {
    try {
      const asked = { session, before, limit: ENTRIES };
      const page = await this.bridge.call('read_transcript', asked);
      this.store.dispatch({ type: 'excerpt_read', session, page, before });
    } catch (thrown) {
      this.store.dispatch({ type: 'excerpt_failed', session, error: asAppError(thrown) });
    }
  }

  /** Exports a session to a file that the user chooses. */
  async save(session: SessionId, format: ExportFormat): Promise<void> {
    try {
      const { path } = await this.bridge.call('save_export', { session, format });
      this.store.dispatch({ type: 'export_done', session, path });
    } catch (thrown) {
      if (this.store.state.history.excerpt?.session.id === session) {
        this.store.dispatch({ type: 'export_failed', session, error: asAppError(thrown) });
      } else this.store.report(thrown);
    }
  }
}
