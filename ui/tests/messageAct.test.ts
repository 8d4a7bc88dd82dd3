import { describe, expect, test } from 'vitest';

import type { Request, Session } from '../src/generated/wire';
import { actOf, actOfHeld, closableByChoice, messageAct } from '../src/store/messageAct';
import { type Action, reduce } from '../src/store/reducer';
import { indexed, withValue } from '../src/store/sessionIndex';
import { initialState, type State } from '../src/store/state';
import { aRequest, aSession, ended, withdrawn } from '../src/testing/builders';
import { numbers } from './numbers';

const working: Session = aSession({ state: { state: 'working' } });
const idle: Session = aSession({ state: { state: 'idle' } });

describe('case 104 what Enter does with a message', () => {
  test.each([
    // open, told, working, act
    [[], [], true, { does: 'queue' }],
    [[], [], false, { does: 'send' }],
    [[], ['r1'], true, { does: 'queue' }],
    [['r1'], ['r1'], true, { does: 'reply', closes: ['r1'] }],
    [['r1', 'r2'], ['r2', 'r1'], false, { does: 'reply', closes: ['r1', 'r2'] }],
    [['r1'], ['r0', 'r1'], true, { does: 'reply', closes: ['r1'] }],
    [['r1'], [], true, { does: 'queue' }],
    [['r1'], [], false, { does: 'send' }],
    [['r1', 'r2'], ['r1'], true, { does: 'queue' }],
    [['r1', 'r2'], ['r1'], false, { does: 'send' }],
  ] as const)('open %j, told %j, working %s: %j', (open, told, isWorking, act) => {
    expect(actOf(open, told, isWorking)).toEqual(act);
  });

  test.each([
    // closes, open, working, act
    [['r1', 'r2'], ['r1', 'r2'], true, { does: 'reply', closes: ['r1', 'r2'] }],
    [['r1', 'r2'], ['r2'], true, { does: 'reply', closes: ['r2'] }],
    [['r1'], ['r1', 'r2'], true, { does: 'reply', closes: ['r1'] }],
    [['r1'], ['r2'], true, { does: 'queue' }],
    [['r1'], [], true, { does: 'queue' }],
    [['r1'], [], false, { does: 'send' }],
  ] as const)('held for %j, then open %j, working %s: %j', (closes, open, isWorking, act) => {
    expect(actOfHeld({ closes, since: 0, until: 1 }, open, isWorking)).toEqual(act);
  });
});

/** The state with a session and its questions, of which some have been there long enough. */
function asking(session: Session, requests: readonly Request[], settled: readonly string[] = requests.map(({ id }) => id)): State {
  return {
    ...initialState(),
    sessions: [session],
    requests: indexed(requests),
    settled: Object.fromEntries(settled.map((id) => [id, true])),
  };
}

const r = (id: string, changes: Partial<Request> = {}) => aRequest({ id, nativeRef: `n-${id}`, ...changes });
const write = (text: string): Action => ({ type: 'message_written', session: 's1', text });
const ask = (state: State, request: Request): State => ({ ...state, requests: withValue(state.requests, request) });

describe('case 104 a message', () => {
  test('begun before a question arrived closes nothing, but the user can choose that it does', () => {
    const begun = reduce(asking(working, []), write('go on'));
    const arrived = ask(begun, r('r1'));
    expect(messageAct(arrived, working)).toEqual({ does: 'queue' });
    expect(closableByChoice(arrived, working)).toEqual([]);
    const settled = reduce(arrived, { type: 'request_settled', request: 'r1' });
    expect(messageAct(settled, working)).toEqual({ does: 'queue' });
    expect(closableByChoice(settled, working)).toEqual(['r1']);
    expect(messageAct(reduce(settled, write('go on, please')), working)).toEqual({ does: 'queue' });
  });

  test('begun within the delay of a question closes nothing', () => {
    const begun = reduce(asking(idle, [r('r1')], []), write('x'));
    expect(messageAct(reduce(begun, { type: 'request_settled', request: 'r1' }), idle)).toEqual({ does: 'send' });
  });

  test('begun with open questions closes those, and none once another has come', () => {
    const begun = reduce(asking(working, [r('r1'), r('r2')]), write('both'));
    expect(messageAct(begun, working)).toEqual({ does: 'reply', closes: ['r1', 'r2'] });
    const over = ask(begun, r('r1', { state: ended(withdrawn()) }));
    expect(messageAct(over, working)).toEqual({ does: 'reply', closes: ['r2'] });
    const third = reduce(ask(over, r('r3')), { type: 'request_settled', request: 'r3' });
    expect(messageAct(third, working)).toEqual({ does: 'queue' });
    expect(closableByChoice(third, working)).toEqual(['r2', 'r3']);
  });

  test('that is emptied and begun again is told again', () => {
    const begun = ask(reduce(asking(working, []), write('x')), r('r1'));
    const settled = reduce(begun, { type: 'request_settled', request: 'r1' });
    const again = reduce(reduce(settled, write('')), write('y'));
    expect(messageAct(again, working)).toEqual({ does: 'reply', closes: ['r1'] });
  });

  test('that was restored, or was no message of the user’s yet, was told of nothing', () => {
    const restored = { ...asking(working, [r('r1')]), messages: { s1: 'from before' } };
    expect(messageAct(restored, working)).toEqual({ does: 'queue' });
    expect(messageAct(reduce(restored, write('from before!')), working)).toEqual({ does: 'queue' });
    expect(messageAct(asking(working, [r('r1')]), working)).toEqual({ does: 'reply', closes: ['r1'] });
  });

  test('leaves the questions of helpers open', () => {
    const begun = reduce(asking(working, [r('r1', { helper: 'h1' }), r('r2')]), write('x'));
    expect(messageAct(begun, working)).toEqual({ does: 'reply', closes: ['r2'] });
    expect(messageAct(reduce(asking(working, [r('r1', { helper: 'h1' })]), write('x')), working)).toEqual({ does: 'queue' });
  });

  test('is told of a question that is asked anew only after its delay', () => {
    const seen = reduce(asking(working, [r('r1')]), { type: 'request_ended', request: r('r1', { state: ended(withdrawn()) }) });
    expect(seen.settled).toEqual({});
  });

  test('is told anew for each session', () => {
    const state = asking(working, [r('r1')]);
    const other = reduce({ ...state, sessions: [working, aSession({ id: 's2' })] }, { type: 'message_written', session: 's2', text: 'x' });
    expect(messageAct(other, working)).toEqual({ does: 'reply', closes: ['r1'] });
    expect(other.told).toEqual({ s2: [] });
  });
});

test('case 104 whatever is typed, comes, and ends, no message closes a question that it was not begun with', () => {
  let replies = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const below = numbers(seed);
    let state = asking(below(2) === 0 ? working : idle, []);
    let count = 0;
    /** The questions that had been there when the present text was begun. */
    let told: string[] = [];
    let text = '';
    const open = () => Object.values(state.requests.byId).filter((one) => one.state.state === 'open');
    for (let step = 0; step < 60; step += 1) {
      const one = open()[below(Math.max(1, open().length))];
      switch (below(6)) {
        case 0:
          count += 1;
          state = ask(state, r(`r${count}`));
          break;
        case 1:
          if (one) state = reduce(state, { type: 'request_settled', request: one.id });
          break;
        case 2:
          if (one) state = reduce(state, { type: 'request_ended', request: { ...one, state: ended(withdrawn()) } });
          break;
        case 3:
          text = '';
          state = reduce(state, write(text));
          told = [];
          break;
        default:
          if (text === '')
            told = open()
              .filter(({ id }) => id in state.settled)
              .map(({ id }) => id);
          text += 'x';
          state = reduce(state, write(text));
      }
      const act = messageAct(state, state.sessions[0]!);
      if (text === '' || act.does !== 'reply') continue;
      replies += 1;
      expect(
        act.closes.every((id) => told.includes(id)),
        `seed ${seed}, step ${step}`,
      ).toBe(true);
      expect(
        open()
          .map(({ id }) => id)
          .sort(),
      ).toEqual([...act.closes].sort());
    }
  }
  expect(replies).toBeGreaterThan(300);
});
