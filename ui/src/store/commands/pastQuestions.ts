import type { QuestionsFormat } from '../../generated/wire';
import { asAppError, type Bridge } from '../../platform/bridge';
import { dayBounds } from '../../shared/days';
import { searchOf } from '../pastQuestions';
import type { QuestionsFilter, Span } from '../parts/history';
import type { Store } from '../store.svelte';
import { PAUSE_MS } from './history';

/** Requests per page. */
const REQUESTS = 50;

/** Loads past questions that match the filter, counts them, and exports them. */
export class PastQuestionCommands {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  /** Reloads the matching questions and their totals, because some may have ended in the meantime. */
  async read(): Promise<void> {
    this.store.dispatch({ type: 'questions_wanted' });
    await Promise.all([this.#read(0), this.#count()]);
  }

  /** Changes the days that the totals cover. */
  count(span: Span): Promise<void> {
    this.store.dispatch({ type: 'span_chosen', span });
    return this.#count();
  }

  /** Changes the filter and reloads; for a text change, waits until typing pauses. */
  filter(change: Partial<QuestionsFilter>): void {
    this.store.dispatch({ type: 'questions_filtered', change });
    clearTimeout(this.#timer);
    const pause = change.query === undefined ? 0 : PAUSE_MS;
    this.#timer = setTimeout(() => void this.read(), pause);
  }

  /** Loads the next page. */
  more(): Promise<void> {
    this.store.dispatch({ type: 'questions_wanted' });
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

  async #count(): Promise<void> {
    const { filter, span } = this.store.state.history.questions;
    const bounds = dayBounds(Date.now(), span);
    try {
      const [counts, usage] = await Promise.all([
        this.bridge.call('count_questions', { wanted: searchOf(filter), days: bounds }),
        this.bridge.call('count_usage', { session: filter.session, days: bounds }),
      ]);
      this.store.dispatch({ type: 'questions_counted', filter, span, totals: { bounds, counts, usage: usage.days } });
    } catch (thrown) {
      this.store.dispatch({ type: 'questions_failed', filter, error: asAppError(thrown) });
    }
  }

  /** Exports all matching questions to a file that the user chooses. */
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
