import type { QuestionsFormat } from '../../generated/wire';
import { asAppError, type Bridge } from '../../platform/bridge';
import { searchOf } from '../pastQuestions';
import type { QuestionsFilter } from '../state';
import type { Store } from '../store.svelte';
import { PAUSE_MS } from './history';

/** Requests read at once. */
const REQUESTS = 50;

/** Reads past questions as they are filtered, and exports them. */
export class PastQuestionCommands {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly bridge: Bridge, private readonly store: Store) {}

  /** Reads what the filter leaves now: questions may have ended since they were looked at. */
  read(): Promise<void> {
    return this.#read(0);
  }

  /** Changes the filter, and reads what it leaves; words are waited for until the typing pauses. */
  filter(change: Partial<QuestionsFilter>): void {
    this.store.dispatch({ type: 'questions_filtered', change });
    clearTimeout(this.#timer);
    const pause = change.query === undefined ? 0 : PAUSE_MS;
    this.#timer = setTimeout(() => void this.#read(0), pause);
  }

  /** Reads on behind what is known. */
  more(): Promise<void> {
    return this.#read(this.store.state.history.questions.found?.questions.length ?? 0);
  }

  async #read(offset: number): Promise<void> {
    const { filter } = this.store.state.history.questions;
    try {
      const asked = { wanted: searchOf(filter), limit: REQUESTS, offset };
      const found = await this.bridge.call('search_questions', asked);
      this.store.dispatch({ type: 'questions_found', filter, found, added: offset > 0 });
    } catch (thrown) {
      this.store.dispatch({ type: 'questions_failed', filter, error: asAppError(thrown) });
    }
  }

  /** Writes all that is filtered to a file that the person chooses. */
  async save(format: QuestionsFormat): Promise<void> {
    const { filter } = this.store.state.history.questions;
    try {
      const { path } = await this.bridge.call('save_questions', { wanted: searchOf(filter), format });
      this.store.dispatch({ type: 'questions_saved', path });
    } catch (thrown) {
      this.store.dispatch({ type: 'questions_failed', filter, error: asAppError(thrown) });
    }
  }
}
