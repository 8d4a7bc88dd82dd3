import { expect, test } from 'vitest';

import type { Frame } from '../src/generated/wire';
import { aSession, aSnapshot } from '../src/testing/builders';
import { partsFirst } from '../src/view/partsFirst';

const delta = (seq: number): Frame => ({ frame: 'delta', epoch: 'e', prev: seq - 1, seq, changes: [] });
const snapshot = (sessions = [aSession()]): Frame => ({ frame: 'snapshot', ...aSnapshot({ sessions }) });

test('frames wait in their order until what shows a session is loaded', async () => {
  let loaded: (part: object) => void = () => undefined;
  const received: Frame[][] = [];
  const receive = partsFirst(() => new Promise((resolve) => (loaded = resolve)), (frames) => received.push(frames));
  receive([snapshot([])]);
  expect(received).toHaveLength(1);
  const first = snapshot();
  receive([first]);
  receive([delta(1), delta(2)]);
  await Promise.resolve();
  expect(received).toHaveLength(1);
  loaded({});
  await Promise.resolve();
  await Promise.resolve();
  expect(received[1]).toEqual([first, delta(1), delta(2)]);
});

test('frames pass once the parts are there, and also if they can’t be loaded', async () => {
  const received: Frame[][] = [];
  partsFirst(() => ({}), (frames) => received.push(frames))([snapshot()]);
  expect(received).toHaveLength(1);
  partsFirst(() => Promise.reject(new Error('gone')), (frames) => received.push(frames))([snapshot()]);
  await Promise.resolve();
  await Promise.resolve();
  expect(received).toHaveLength(2);
});
