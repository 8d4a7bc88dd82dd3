import { tick } from 'svelte';

import type { SessionId } from '../../generated/wire';
import { asAppError, type Bridge } from '../../platform/bridge';
import { selectedSession, transcriptOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import type { Timers } from '../timers';
import type { LeftPlace, ReadingPlace } from '../sync/leftPlace';
import { isOverfull, WINDOW } from '../transcriptWindow';

/** Entries per page. */
const PAGE = 200;

/** Loads transcripts in pages. */
export class TranscriptCommands {
  #cancelTrim: () => void = () => undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly timers: Timers,
    private readonly left: LeftPlace,
  ) {}

  /** Where the transcript that is shown first begins; null for its end. */
  takeLeft(session: SessionId): ReadingPlace | null {
    return this.left.take(session);
  }

  /** Keeps where the user reads for the next window; null at the end. */
  noteReading(session: SessionId, place: ReadingPlace | null): void {
    this.left.note(session, place);
  }

  /** Loads earlier entries up to one, or as many as are kept. */
  async readBackTo(session: SessionId, entry: number): Promise<void> {
    for (;;) {
      const { entries, more, error } = transcriptOf(this.store.state, session);
      const first = entries[0]?.n;
      if (error || !more || first === undefined || first <= entry || entries.length > WINDOW.kept) return;
      await this.#readPage(session, first);
    }
  }

  readNewest(session: SessionId): Promise<void> {
    return this.#readPage(session, null);
  }

  /** Loads the entries before the loaded ones. */
  async readEarlier(session: SessionId): Promise<void> {
    const { status, entries } = transcriptOf(this.store.state, session);
    if (status === 'reading') return;
    await this.#readPage(session, entries[0]?.n ?? null);
    await this.#trim(session, 'end');
  }

  /** Loads the entries after the loaded ones, and unloads the first ones if there are too many. */
  async readLater(session: SessionId): Promise<void> {
    const { status, later, entries } = transcriptOf(this.store.state, session);
    const last = entries.at(-1);
    if (status === 'reading' || !later || !last) return;
    await this.#readPage(session, last.n + PAGE + 1);
    await this.#trim(session, 'start');
  }

  /** Loads the selected session's transcript, and keeps it within the limit. */
  readonly react = (_: State, after: State): void => {
    const session = selectedSession(after);
    if (!session) return;
    const transcript = transcriptOf(after, session);
    if (transcript.status === 'unread') void this.#readPage(session, null);
    // A user who reads further up keeps the scroll position; new entries aren't loaded beyond the limit.
    if (transcript.atEnd && isOverfull(transcript)) {
      this.#cancelTrim();
      this.#cancelTrim = this.timers.later(0, () => void this.#trim(session, 'start'));
    }
  };

  async #readPage(session: SessionId, before: number | null): Promise<void> {
    const { dispatch, state } = this.store;
    const asked = { session, before, generation: state.link.generation };
    dispatch({ type: 'page_asked', asked });
    try {
      const page = await this.bridge.call('read_transcript', { session, before, limit: PAGE });
      dispatch({ type: 'page_read', asked, page });
    } catch (thrown) {
      dispatch({ type: 'page_failed', asked, error: asAppError(thrown) });
    }
  }

  /** A separate step: the list can adjust its scroll position for either added or removed entries, not for both. */
  async #trim(session: SessionId, from: 'start' | 'end'): Promise<void> {
    await tick();
    if (isOverfull(transcriptOf(this.store.state, session))) {
      this.store.dispatch({ type: 'transcript_trimmed', session, from });
    }
  }
}
