import type { SessionId } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import { dayBounds } from '../../shared/days';
import { shownSession } from '../select';
import type { Store } from '../store.svelte';
import type { Timers } from '../timers';

/** Keeps the sums of the session in view and of today up to date. */
export class UsageReads {
  #cancelMidnight: () => void = () => undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly timers: Timers,
  ) {
    store.onChange((before, after) => {
      const shown = shownSession(after);
      const fresh = after.link.generation !== before.link.generation;
      const ended = (session: SessionId) => after.usage.turns[session] !== before.usage.turns[session];
      if (fresh || after.usage.turns !== before.usage.turns) void this.#readToday();
      if (shown !== null && (fresh || shown !== shownSession(before) || ended(shown))) void this.#readSession(shown);
    });
  }

  // Without the sums, the window shows less and works the same; the next turn reads them again.

  async #readSession(session: SessionId): Promise<void> {
    const usage = await this.bridge.call('read_session_usage', { session }).catch(() => null);
    if (usage) this.store.dispatch({ type: 'usage_read', session, usage });
  }

  async #readToday(): Promise<void> {
    const now = Date.now();
    const days = dayBounds(now, 1);
    this.#cancelMidnight();
    const [, midnight = now] = days;
    this.#cancelMidnight = this.timers.later(Math.max(1_000, midnight - now), () => void this.#readToday());
    const counted = await this.bridge.call('count_usage', { session: null, days }).catch(() => null);
    const [today] = counted?.days ?? [];
    if (today) this.store.dispatch({ type: 'today_counted', today });
  }
}
