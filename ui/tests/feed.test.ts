import { waitFor } from '@testing-library/svelte';
import { afterEach, expect, test } from 'vitest';

import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage, settle } from './open';

const Usual = globalThis.ResizeObserver;
afterEach(() => {
  globalThis.ResizeObserver = Usual;
});

/** Reports sizes only on demand; until then, the list renders no entries. */
class LateResizeObserver implements ResizeObserver {
  static readonly late: (() => void)[] = [];
  readonly #callback: ResizeObserverCallback;
  #usual: ResizeObserver | undefined;

  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }

  observe(target: Element): void {
    LateResizeObserver.late.push(() => {
      this.#usual ??= new Usual(this.#callback);
      this.#usual.observe(target);
    });
  }

  unobserve(): void {
    // Nothing was reported yet.
  }

  disconnect(): void {
    this.#usual?.disconnect();
  }
}

test('a transcript is busy until an entry is rendered', async () => {
  globalThis.ResizeObserver = LateResizeObserver;
  const bridge = new FakeBridge({ sessions: [aSession()] });
  bridge.entries['s1'] = [anEntry(1, { kind: 'agent', text: 'Here I am.' })];
  const { store, getByRole, queryByRole } = await openPage(bridge);
  store.dispatch({ type: 'session_selected', session: 's1' });
  await settle();
  expect(queryByRole('article')).toBeNull();
  expect(getByRole('feed').getAttribute('aria-busy')).toBe('true');

  while (LateResizeObserver.late.length > 0) {
    for (const tell of LateResizeObserver.late.splice(0)) tell();
    await settle();
  }
  expect(queryByRole('article')).not.toBeNull();
  await waitFor(() => expect(getByRole('feed').getAttribute('aria-busy')).toBe('false'));
});
