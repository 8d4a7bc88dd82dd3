import type { ExportFormat, SessionId } from '../generated/wire';
import { asDeskError, type Bridge } from '../platform/bridge';
import { anySession, type HistoryAction } from './history';
import type { NavigationAction } from './navigation';
import type { State } from './state';

/** How long to wait for the next letter before searching. */
export const PAUSE_MS = 180;
/** Hits read at once. */
const HITS = 30;
/** Entries of a stretch read at once. */
const ENTRIES = 60;
/** How many of them stand behind the one that was found. */
const BEHIND = 20;

interface Screen {
  readonly state: State;
  dispatch(action: HistoryAction | NavigationAction): void;
}

/** Reads the past: searches it, opens a stretch of it, exports a session. */
export class Past {
  readonly #bridge: Bridge;
  readonly #screen: Screen;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(bridge: Bridge, screen: Screen) {
    this.#bridge = bridge;
    this.#screen = screen;
  }

  async open(): Promise<void> {
    this.#screen.dispatch({ type: 'history_opened' });
    await this.#readAgain();
  }

  /** Reads what the place shows after a step back or forward. */
  async resume(): Promise<void> {
    const { place } = this.#screen.state.navigation;
    if (place.at === 'history') await this.#readAgain();
    else if (place.at === 'past_session') await this.#readAt(place.past, place.entry);
  }

  async #readAgain(): Promise<void> {
    await this.#readPast();
    // A session may have gone on since it was searched.
    if (this.#screen.state.history.query.trim() !== '') await this.#search(0);
  }

  /** Searches for what is typed, once the typing pauses. */
  write(query: string): void {
    this.#screen.dispatch({ type: 'history_written', query });
    clearTimeout(this.#timer);
    if (query.trim() === '') return;
    this.#timer = setTimeout(() => void this.#search(0), PAUSE_MS);
  }

  /** Reads the hits behind those that are known. */
  more(): Promise<void> {
    return this.#search(this.#screen.state.history.hits.length);
  }

  async #search(offset: number): Promise<void> {
    const { query } = this.#screen.state.history;
    try {
      const found = await this.#bridge.call('search_history', { query, limit: HITS, offset });
      this.#screen.dispatch({ type: 'history_found', query, found, added: offset > 0 });
    } catch (thrown) {
      this.#screen.dispatch({ type: 'history_failed', query, error: asDeskError(thrown) });
    }
  }

  async #readPast(): Promise<void> {
    const { query } = this.#screen.state.history;
    try {
      const { sessions } = await this.#bridge.call('read_past_sessions', {});
      this.#screen.dispatch({ type: 'past_read', sessions });
    } catch (thrown) {
      this.#screen.dispatch({ type: 'history_failed', query, error: asDeskError(thrown) });
    }
  }

  /** Opens a session's transcript at an entry, or at its end. */
  async show(id: SessionId, n: number | null): Promise<void> {
    if (!anySession(this.#screen.state, id)) await this.#readPast();
    const session = anySession(this.#screen.state, id);
    if (!session) return;
    this.#screen.dispatch({ type: 'stretch_opened', session, n });
    await this.#readAt(id, n);
  }

  #readAt(session: SessionId, n: number | null): Promise<void> {
    return this.#read(session, n === null ? null : n + BEHIND + 1);
  }

  /** Reads the entries before those that are shown. */
  async earlier(): Promise<void> {
    const { stretch } = this.#screen.state.history;
    const first = stretch?.entries[0];
    if (stretch && first) await this.#read(stretch.session.id, first.n);
  }

  /** Reads the entries behind those that are shown. */
  async later(): Promise<void> {
    const { stretch } = this.#screen.state.history;
    const last = stretch?.entries.at(-1);
    if (stretch && last) await this.#read(stretch.session.id, last.n + ENTRIES + 1);
  }

  async #read(session: SessionId, before: number | null): Promise<void> {
    try {
      const asked = { session, before, limit: ENTRIES };
      const page = await this.#bridge.call('read_transcript', asked);
      this.#screen.dispatch({ type: 'stretch_read', session, page, before });
    } catch (thrown) {
      this.#screen.dispatch({ type: 'stretch_failed', session, error: asDeskError(thrown) });
    }
  }

  /** Writes a session to a file that the person chooses. */
  async save(session: SessionId, format: ExportFormat): Promise<void> {
    try {
      const { path } = await this.#bridge.call('save_export', { session, format });
      this.#screen.dispatch({ type: 'export_done', session, path });
    } catch (thrown) {
      this.#screen.dispatch({ type: 'export_failed', session, error: asDeskError(thrown) });
    }
  }
}
