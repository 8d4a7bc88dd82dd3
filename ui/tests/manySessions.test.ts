import { expect, test, vi } from 'vitest';

import type { Change, Session } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { allWaiting } from '../src/store/inbox';
import { remembered } from '../src/store/remembered';
import { sessionGroups } from '../src/store/sidebar';
import { anEntry, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge, settle } from '../src/testing/fakeBridge';

const COUNT = 1_000;
const ended = { state: 'ended', at: 1, end: { end: 'stopped' } } as const;
/** The first one began last, and is the only one that works. */
const sessions: Session[] = Array.from({ length: COUNT }, (_, n) =>
  aSession({ id: `s${n}`, name: `name-${n}`, place: n, startedAt: COUNT - n, ...(n > 0 && { state: ended }) }),
);

test('a selector runs again only if a part that it reads has changed', () => {
  const select = vi.fn(({ a }: { a: number }) => a + 1);
  const next = remembered<{ a: number; b: number }, 'a', number>(['a'], select);
  expect([next({ a: 1 }), next({ a: 1 }), next({ a: 2 }), next({ a: 2 })]).toEqual([2, 2, 3, 3]);
  expect(select).toHaveBeenCalledTimes(2);
});

test('neither a click nor what an agent writes sorts the sessions or counts what waits in them', async () => {
  const bridge = new FakeBridge({ sessions });
  const { store, open } = createPage(bridge);
  const close = open();
  await settle();
  const before = [sessionGroups(store.state), allWaiting(store.state)];
  const now = () => [sessionGroups(store.state), allWaiting(store.state)];
  const expectSame = () => now().forEach((one, index) => expect(one).toBe(before[index]));
  store.dispatch({ type: 'session_selected', session: 's500' });
  expectSame();
  const quiet: Change[] = [
    { change: 'entry', session: 's0', entry: anEntry(1, { kind: 'agent', text: 'Done.' }) },
    { change: 'live_text', added: { session: 's0', kind: 'text', text: 'a' } },
    { change: 'files_changed', session: 's0', totals: { files: 1, added: 1, removed: 0, state: 1 } },
  ];
  await bridge.push(...quiet);
  expect(store.state.activity['s0']).toMatchObject({ said: 'Done.' });
  expectSame();
  await bridge.push({ change: 'request', request: aRequest({ session: 's7' }) });
  expect(sessionGroups(store.state)[0]).toMatchObject({ name: 'needs_you', sessions: [{ id: 's7' }] });
  expect(allWaiting(store.state)).toMatchObject({ questions: 1 });
  close();
});
