import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Change, Entry, Frame, Snapshot } from '../src/generated/wire';
import { type Action, reduce } from '../src/store/reducer';
import { openRequests, requestOf, selectedSession, transcriptOf } from '../src/store/select';
import { allIn, indexed } from '../src/store/sessionIndex';
import { initialState, type State } from '../src/store/state';
import { holds, type Places, withEntry, withPlace } from '../src/store/transcriptEntries';
import { anApproval, anEntry, aRequest, aSession, aSnapshot, ended } from '../src/testing/builders';
import { anError } from '../src/testing/fakeBridge';

const run = (actions: Action[], from: State = initialState()) => actions.reduce(reduce, from);
const frames = (...received: Frame[]): Action => ({ type: 'frames_received', frames: received });
const snapshot = (changes: Partial<Snapshot> = {}): Frame => ({ frame: 'snapshot', ...aSnapshot(changes) });
const delta = (prev: number, changes: Change[], epoch = 'e1'): Frame => ({ frame: 'delta', epoch, prev, seq: prev + 1, changes });
const said = (n: number, text: string): Change => ({ change: 'entry', session: 's1', entry: anEntry(n, { kind: 'agent', text }) });
const texts = (state: State) =>
  transcriptOf(state, 's1').entries.map((entry) => `${entry.n} ${'text' in entry.body ? entry.body.text : ''}`);

describe('frames', () => {
  test.each([
    ['after a gap', 1, 'e1'],
    ['of another epoch', 0, 'e2'],
  ])('a delta %s isn’t applied, and causes a new subscription', (_, prev, epoch) => {
    const state = run([frames(snapshot(), delta(prev, [{ change: 'request', request: aRequest() }], epoch))]);
    expect(state.link.status).toBe('stale');
    expect(state.requests.byId).toEqual({});
  });

  test('live text is joined by kind and removed when it is cleared', () => {
    const live = (kind: 'text' | 'thinking', text: string): Change => ({ change: 'live_text', added: { session: 's1', kind, text } });
    const written = run([frames(snapshot(), delta(0, [live('thinking', 'h'), live('thinking', 'm'), live('text', 'So')]))]);
    expect(written.live['s1']?.map((piece) => piece.text)).toEqual(['hm', 'So']);
    const done = run([frames(delta(1, [said(1, 'So be it'), { change: 'live_cleared', session: 's1' }]))], written);
    expect(done.live['s1']).toBeUndefined();
    expect(texts(done)).toEqual(['1 So be it']);
  });

  test('case_23_a_request_that_comes_again_is_the_same_card', () => {
    const again: Change = { change: 'request', request: aRequest() };
    const state = run([frames(snapshot()), frames(delta(0, [again])), frames(delta(1, [again]))]);
    expect(openRequests(state, 's1')).toHaveLength(1);
    expect(state.announced.serial).toBe(1);
  });

  test('a question is announced once, and not again after a new snapshot', () => {
    const live = run([frames(snapshot())]);
    const asked = run([frames(delta(0, [{ change: 'request', request: aRequest() }]))], live);
    expect(asked.announced).toEqual({ serial: 1, news: [{ news: 'request', request: 'r1' }] });
    const again = run([frames(snapshot({ seq: 5, requests: [aRequest()] }))], asked);
    expect(again.announced.serial).toBe(1);
  });
});

describe('the error of an earlier attempt', () => {
  const failed = (key: string, code: 'session_gone' | 'storage_full'): Action => ({
    type: 'submit_failed',
    key,
    command: 'c1',
    payload: '',
    error: anError({ code }),
  });
  const stopped = aSession({ state: { state: 'ended', end: { end: 'stopped' }, at: 1 } });
  const outage = { error: { trouble: 'full', path: '/desk.db' }, entries: 1, lost: 0 } as const;
  const runs: Change = { change: 'session', session: aSession() };

  test.each([
    ['the session runs again', 'session_gone', runs],
    ['the disk has room again', 'storage_full', { change: 'outage', outage: null }],
  ] as const)('goes once %s', (_, code, then) => {
    const state = run([frames(snapshot({ sessions: [stopped], outage })), failed('message:s1', code)]);
    const meanwhile = run([frames(delta(0, [said(1, 'Working on it')]))], state);
    expect(meanwhile.submits['message:s1']?.error?.code).toBe(code);
    expect(run([frames(delta(1, [then]))], meanwhile).submits['message:s1']).toBeUndefined();
  });
});

describe('selection', () => {
  test('the first session is selected, and a later one changes nothing', () => {
    const first = run([frames(snapshot({ sessions: [] }), delta(0, [{ change: 'session', session: aSession() }]))]);
    expect(selectedSession(first)).toBe('s1');
    const second = run([frames(delta(1, [{ change: 'session', session: aSession({ id: 's2' }) }]))], first);
    expect(selectedSession(second)).toBe('s1');
  });

  test('a closed session is removed with its questions, and the next one is shown', () => {
    const other = aSession({ id: 's2' });
    const state = run([
      frames(snapshot({ sessions: [aSession(), other], requests: [aRequest()] }), delta(0, [{ change: 'session_closed', session: 's1' }])),
    ]);
    expect(state.sessions).toEqual([other]);
    expect(state.requests.byId).toEqual({});
    expect(selectedSession(state)).toBe('s2');
  });

  test('case_31_a_question_of_another_session_leaves_the_shown_one_untouched', () => {
    const shown = run([
      frames(snapshot({ sessions: [aSession(), aSession({ id: 's2' })], requests: [aRequest()] })),
      { type: 'option_chosen', request: 'r1', question: 'q1', option: 'q1o2', on: true, goOn: true },
    ]);
    const other = aRequest({ id: 'r2', session: 's2' });
    const state = run([frames(delta(0, [{ change: 'request', request: other }]))], shown);
    expect(selectedSession(state)).toBe('s1');
    expect(state.drafts).toBe(shown.drafts);
    expect(openRequests(state, 's2').map((request) => request.id)).toEqual(['r2']);
  });
});

describe('a transcript out of view', () => {
  const two = [aSession({ id: 's1' }), aSession({ id: 's2' })];
  const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => said(from + index, 'x'));

  test('isn’t collected before it was first shown', () => {
    const state = run([frames(snapshot({ sessions: two }))]);
    const away = run([{ type: 'session_selected', session: 's2' }, frames(delta(0, entries(1, 50)))], state);
    expect(transcriptOf(away, 's1')).toMatchObject({ status: 'unread', entries: [] });
  });

  test('has a limit, and is loaded again when it is shown', () => {
    const asked = { session: 's1', before: null, generation: 1 };
    const page = { entries: [], more: false, requests: [], approvals: [] };
    const state = run([
      frames(snapshot({ sessions: two })),
      { type: 'page_asked', asked },
      { type: 'page_read', asked, page },
      { type: 'session_selected', session: 's2' },
      frames(delta(0, entries(1, 400))),
    ]);
    expect(transcriptOf(state, 's1').status).toBe('read');
    const later = run([frames(delta(1, entries(400, 2_000)))], state);
    expect(transcriptOf(later, 's1')).toMatchObject({ status: 'unread', entries: [] });
  });
});

describe('pages of a transcript', () => {
  const asked = (generation: number, before: number | null = null) => ({ session: 's1', before, generation });
  const page = (entries: Entry[], more = false) => ({ entries, more, requests: [], approvals: [] });
  const old = (n: number, text: string) => anEntry(n, { kind: 'agent', text });

  test('an earlier page is prepended', () => {
    const state = run([
      frames(snapshot()),
      { type: 'page_read', asked: asked(1), page: page([old(3, 'three')], true) },
      { type: 'page_read', asked: asked(1, 3), page: page([old(1, 'one'), old(2, 'two')]) },
    ]);
    expect(texts(state)).toEqual(['1 one', '2 two', '3 three']);
    expect(transcriptOf(state, 's1').more).toBe(false);
  });

  test('streamed requests take precedence over those of a page', () => {
    const state = run([
      frames(snapshot({ requests: [aRequest()] })),
      { type: 'page_read', asked: asked(1), page: { ...page([]), requests: [aRequest({ askedBy: 'stale' }), aRequest({ id: 'r9' })] } },
    ]);
    expect(requestOf(state, 'r1')?.askedBy).toBeNull();
    expect(requestOf(state, 'r9')).not.toBeNull();
    expect(openRequests(state, 's1')).toHaveLength(1);
  });
});

/** The app's state: the same changes, applied one by one. */
class Reference {
  seq = 0;
  sessions = new Map([['s1', aSession()]]);
  requests = new Map<string, ReturnType<typeof aRequest>>();
  approvals = new Map<string, ReturnType<typeof anApproval>>();
  entries = new Map<number, Entry>();
  live = '';

  apply(change: Change): void {
    if (change.change === 'session') this.sessions.set(change.session.id, change.session);
    if (change.change === 'request') this.requests.set(change.request.id, change.request);
    if (change.change === 'approval') this.approvals.set(change.approval.id, change.approval);
    if (change.change === 'entry') this.entries.set(change.entry.n, change.entry);
    if (change.change === 'live_text') this.live += change.added.text;
    if (change.change === 'live_cleared') this.live = '';
  }

  snapshot(): Frame {
    return snapshot({
      seq: this.seq,
      sessions: [...this.sessions.values()],
      requests: [...this.requests.values()],
      approvals: [...this.approvals.values()],
      live: this.live ? [{ session: 's1', kind: 'text', text: this.live }] : [],
    });
  }

  page() {
    const entries = [...this.entries.values()].sort((a, b) => a.n - b.n);
    return { entries, more: false, requests: [], approvals: [] };
  }
}

const someChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    change: fc.constant('session' as const),
    session: fc.record({ id: fc.constantFrom('s1', 's2', 's3'), name: fc.string() }).map(aSession),
  }),
  fc.record({
    change: fc.constant('request' as const),
    request: fc
      .record({ id: fc.constantFrom('r1', 'r2', 'r3'), open: fc.boolean() })
      .map(({ id, open }) => aRequest({ id, state: open ? { state: 'open' } : ended({ outcome: 'expired' }) })),
  }),
  fc.record({ change: fc.constant('approval' as const), approval: fc.record({ id: fc.constantFrom('a1', 'a2') }).map(anApproval) }),
  fc.record({ n: fc.integer({ min: 1, max: 6 }), text: fc.string() }).map(({ n, text }) => said(n, text)),
  fc.string({ minLength: 1 }).map((text): Change => ({ change: 'live_text', added: { session: 's1', kind: 'text', text } })),
  fc.constant<Change>({ change: 'live_cleared', session: 's1' }),
);

/** One step of a run: changes that arrive, are lost, or are repeated, a reload, or a page that is loaded meanwhile. */
const someStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('arrives', 'lost', 'twice'),
      changes: fc.array(someChange, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('resubscribed', 'reloaded', 'page asked', 'page read'),
      changes: fc.constant<Change[]>([]),
    }),
  },
);

test('snapshots, deltas, gaps, reloads, and pages in any order match the reference', () => {
  fc.assert(
    fc.property(fc.array(someStep, { maxLength: 40 }), (steps) => {
      const truth = new Reference();
      let state = run([frames(truth.snapshot())]);
      let reading: Action | null = null;
      const ask = () => {
        const asked = { session: 's1', before: null, generation: state.link.generation };
        reading = { type: 'page_read', asked, page: truth.page() };
        state = reduce(state, { type: 'page_asked', asked });
      };
      for (const { kind, changes } of steps) {
        if (changes.length > 0) {
          changes.forEach((change) => truth.apply(change));
          const step = delta(truth.seq, changes);
          truth.seq += 1;
          if (kind !== 'lost') state = reduce(state, frames(...(kind === 'twice' ? [step, step] : [step])));
        }
        if (kind === 'reloaded') {
          // Replies to the previous page are ignored.
          state = initialState();
          reading = null;
        }
        if (kind === 'reloaded' || kind === 'resubscribed') state = reduce(state, frames(truth.snapshot()));
        if (kind === 'page asked') ask();
        if (kind === 'page read' && reading) state = reduce(state, reading);
      }
      if (state.link.seq !== truth.seq) state = reduce(state, frames(truth.snapshot()));
      if (transcriptOf(state, 's1').status !== 'read') ask();
      if (reading) state = reduce(state, reading);

      expect(new Set(state.sessions)).toEqual(new Set(truth.sessions.values()));
      expect(new Set(allIn(state.requests))).toEqual(new Set(truth.requests.values()));
      expect(new Set(allIn(state.approvals))).toEqual(new Set(truth.approvals.values()));
      expect(state.requests).toEqual(indexed(allIn(state.requests)));
      expect(state.approvals).toEqual(indexed(allIn(state.approvals)));
      expect((state.live['s1'] ?? []).map((piece) => piece.text).join('')).toBe(truth.live);
      expect(transcriptOf(state, 's1').entries).toEqual(truth.page().entries);
    }),
    { numRuns: 300 },
  );
});

const place = fc.integer({ min: 1, max: 2000 });

test('entries inserted in any order are sorted, with the latest version of each', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(place, fc.integer({ min: 1990, max: 4000 })), { maxLength: 1500 }), (places) => {
      const put = places.map((n, turn) => anEntry(n, { kind: 'agent', text: String(turn) }));
      const entries = put.reduce<readonly Entry[]>(withEntry, []);
      const truth = new Map(put.map((entry) => [entry.n, entry]));
      expect(entries).toEqual([...truth.values()].sort((a, b) => a.n - b.n));
    }),
    { numRuns: 100 },
  );
});

test('places are stored as separate ranges without loss', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 }), (put) => {
      const places = put.reduce<Places>(withPlace, []);
      const truth = new Set(put);
      for (let n = 0; n <= 61; n += 1) expect(holds(places, n)).toBe(truth.has(n));
      expect(places.every(([from], index) => index === 0 || from > (places[index - 1]?.[1] ?? 0) + 1)).toBe(true);
    }),
  );
});
