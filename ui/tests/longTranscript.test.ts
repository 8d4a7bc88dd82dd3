import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';

import type { Change, Entry } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { transcriptOf } from '../src/store/select';
import { emptyTranscript, type Transcript } from '../src/store/parts/transcripts';
import { addEntry, addPage, trim, WINDOW } from '../src/store/transcriptWindow';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { settle } from './open';

const PAGE = 200;

const entry = (n: number, text = 'x') => anEntry(n, { kind: 'agent', text });
const change = (n: number): Change => ({ change: 'entry', session: 's1', entry: entry(n) });

/** The first and last loaded entry numbers. Fails if there is a gap between them. */
function span(transcript: Transcript): [number, number] {
  const places = transcript.entries.map(({ n }) => n);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  expect(places).toEqual(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  return [first, last];
}

describe('a session with twenty thousand entries', () => {
  const ENTRIES = 20_000;
  let close = () => undefined as void;
  afterEach(() => close());

  async function streamed(atEnd: boolean) {
    const bridge = new FakeBridge({ sessions: [aSession()] });
    const { store, commands, open } = createPage(bridge);
    close = open();
    await settle();
    const kept: Entry[] = (bridge.entries['s1'] = []);
    let most = 0;
    for (let n = 1; n <= ENTRIES; n += 100) {
      const fresh = Array.from({ length: 100 }, (_, index) => n + index);
      kept.push(...fresh.map((at) => entry(at)));
      bridge.push(...fresh.map(change));
      if (n === 1) store.dispatch({ type: 'transcript_followed', session: 's1', atEnd });
      await settle();
      most = Math.max(most, transcriptOf(store.state, 's1').entries.length);
    }
    const now = () => transcriptOf(store.state, 's1');
    return { store, commands, most, now };
  }

  test('keeps the newest entries in memory, and loads others on scrolling', async () => {
    const { store, commands, most, now } = await streamed(true);
    expect(most).toBeLessThanOrEqual(WINDOW.most + 100);
    expect(span(now())[1]).toBe(ENTRIES);
    expect(now()).toMatchObject({ more: true, later: false });
    store.dispatch({ type: 'transcript_followed', session: 's1', atEnd: false });
    const [first] = span(now());
    for (let read = 1; read <= 40; read += 1) {
      await commands.transcripts.readEarlier('s1');
      await settle();
      expect(span(now())[0]).toBe(first - read * PAGE);
      expect(now().entries.length).toBeLessThanOrEqual(WINDOW.most);
    }
    expect(now().later).toBe(true);
    while (now().later) {
      await commands.transcripts.readLater('s1');
      await settle();
      expect(now().entries.length).toBeLessThanOrEqual(WINDOW.most);
    }
    expect(span(now())[1]).toBe(ENTRIES);
  }, 60_000);

  test('keeps the scroll position of a reader further up, and jumps to the end in one step', async () => {
    const { commands, most, now } = await streamed(false);
    expect(most).toBeLessThanOrEqual(WINDOW.most);
    expect(span(now())).toEqual([1, WINDOW.most]);
    expect(now()).toMatchObject({ later: true, newest: ENTRIES });
    await commands.transcripts.readNewest('s1');
    expect(span(now())).toEqual([ENTRIES - PAGE + 1, ENTRIES]);
    expect(now()).toMatchObject({ more: true, later: false });
  }, 60_000);
});

test('an entry that changed while its page was loading is shown in its latest version', () => {
  const held = addPage({ ...emptyTranscript, status: 'reading' }, asked(null), page(301, 500, true));
  const reading: Transcript = { ...held, status: 'reading' };
  const changed = addEntry(reading, entry(250, 'done'));
  expect(span(changed)).toEqual([301, 500]);
  const read = addPage(changed, asked(301), page(101, 300, true));
  expect(span(read)).toEqual([101, 500]);
  expect(read.entries.find(({ n }) => n === 250)).toEqual(entry(250, 'done'));
});

test('a change of an entry that isn’t loaded makes no gap', () => {
  const held = addPage({ ...emptyTranscript, status: 'reading' }, asked(null), page(301, 500, true));
  expect(span(addEntry(held, entry(5, 'done')))).toEqual([301, 500]);
});

function asked(before: number | null) {
  return { session: 's1', before, generation: 1 };
}

function page(from: number, to: number, more: boolean) {
  const entries = Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => entry(from + index));
  return { entries, more, requests: [], approvals: [] };
}

const action = fc.oneof(
  fc.record({ kind: fc.constant('says' as const), count: fc.integer({ min: 1, max: 1500 }) }),
  fc.record({ kind: fc.constantFrom('earlier', 'later', 'newest', 'arrives', 'reads', 'follows') }),
);

test('the loaded entries never have a gap or exceed the limit', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      let count = 300;
      let held = addPage({ ...emptyTranscript, status: 'reading' }, asked(null), page(101, 300, true));
      let arriving: [ReturnType<typeof asked>, ReturnType<typeof page>] | null = null;
      const ask = (before: number | null) => {
        if (held.status === 'reading') return;
        const to = Math.min(count, (before ?? count + 1) - 1);
        const from = Math.max(1, to - PAGE + 1);
        arriving = [asked(before), page(from, to, from > 1)];
        held = { ...held, status: 'reading' };
      };
      for (const one of actions) {
        const [first, last] = span(held);
        if (one.kind === 'says' && 'count' in one) {
          for (let said = 0; said < one.count; said += 1) held = addEntry(held, entry((count += 1)));
          if (held.atEnd) held = trim(held, 'start');
        } else if (one.kind === 'earlier' && held.more) ask(first);
        else if (one.kind === 'later' && held.later) ask(last + PAGE + 1);
        else if (one.kind === 'newest') ask(null);
        else if (one.kind === 'follows') held = held.later ? held : { ...held, atEnd: true };
        else if (one.kind === 'reads') held = { ...held, atEnd: false };
        else if (one.kind === 'arrives' && arriving) {
          const [question, answer]: [ReturnType<typeof asked>, ReturnType<typeof page>] = arriving;
          arriving = null;
          held = addPage(held, question, answer);
          held = trim(held, question.before !== null && question.before <= first ? 'end' : 'start');
        }
        const [from, to] = span(held);
        expect(held.entries.length).toBeLessThanOrEqual(WINDOW.most + PAGE);
        expect(held.later).toBe(to < count);
        expect(held.more).toBe(from > 1);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);
