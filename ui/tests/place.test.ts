import { screen } from '@testing-library/svelte';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Session } from '../src/generated/wire';
import { goTo, initialNavigation, MOST_PLACES, type Navigation, type Place, step } from '../src/store/place';
import { type Action, reduce } from '../src/store/reducer';
import { initialState, type State } from '../src/store/state';
import { anApproval, anEntry, aQuestion, aRequest, aSession, NOW } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, openPage, settle } from './open';

const everything = () => true;
const session = (id: string): Place => ({ at: 'session', session: id });
const inbox: Place = { at: 'inbox', session: 's1' };

function visited(...places: Place[]): Navigation {
  return places.reduce(goTo, initialNavigation);
}

describe('a step', () => {
  test('back and forward ends at the same place', () => {
    const there = visited(session('s1'), session('s2'), inbox);
    const back = step(there, 'back', everything);
    expect(back.place).toEqual(session('s2'));
    expect(step(back, 'forward', everything)).toEqual(there);
  });

  test('skips places that no longer exist', () => {
    const there = visited(session('s1'), session('s2'), inbox);
    expect(step(there, 'back', (place) => place.session !== 's2').place).toEqual(session('s1'));
    expect(step(there, 'back', () => false)).toEqual(there);
  });

  test('to a new place clears the forward history', () => {
    const back = step(visited(session('s1'), session('s2')), 'back', everything);
    expect(goTo(back, inbox).forward).toEqual([]);
  });

  test('to the same place adds no history', () => {
    expect(visited(session('s1'), session('s1')).back).toEqual([initialNavigation.place]);
  });

  test('remembers a limited number of places', () => {
    const places = Array.from({ length: MOST_PLACES * 2 }, (_, n) => session(`s${n}`));
    expect(visited(...places).back).toHaveLength(MOST_PLACES);
  });
});

const sessions = [aSession({ name: 'api' }), aSession({ id: 's2', name: 'web', place: 1 })];

function opened(): State {
  const { snapshot } = new FakeBridge({ sessions, requests: [aRequest()], approvals: [anApproval()] });
  return reduce(initialState(), { type: 'frames_received', frames: [{ frame: 'snapshot', ...snapshot }] });
}

const moves: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom<Action>(
    { type: 'session_selected', session: 's1' },
    { type: 'session_selected', session: 's2' },
    { type: 'start_opened' },
    { type: 'start_closed' },
    { type: 'inbox_opened', at: NOW },
    { type: 'history_opened' },
    { type: 'excerpt_closed' },
  ),
  fc.constantFrom<Session>(...sessions).map((past): Action => ({ type: 'excerpt_opened', session: past, n: null })),
  fc.constantFrom('back', 'forward').map((direction): Action => ({ type: 'stepped', direction, at: NOW })),
);

describe('drafts', () => {
  const written: Action[] = [
    { type: 'message_written', session: 's1', text: 'Half a message' },
    { type: 'queued_written', message: 'm1', text: 'Half a change' },
    { type: 'other_written', request: 'r1', question: 'q1', text: 'Half an answer' },
    { type: 'note_written', request: 'r1', question: 'q1', text: 'Half a note' },
    { type: 'approval_drafted', approval: 'a1', change: { form: 'message', message: 'Half a reason' } },
    { type: 'start_drafted', change: { prompt: 'Half a task' } },
    { type: 'history_written', query: 'half a word' },
  ];
  const draftsOf = ({ messages, queueEdits, drafts, decisions, start, history }: State) =>
    structuredClone({ messages, queueEdits, drafts, decisions, start, query: history.query });

  test('no draft is lost by navigation', () => {
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 30 }), (path) => {
        const begun = written.reduce(reduce, opened());
        expect(draftsOf(path.reduce(reduce, begun))).toEqual(draftsOf(begun));
      }),
    );
  });

  test('the excerpt of a past session is kept exactly while it is shown', () => {
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 30 }), (path) => {
        const { history, navigation } = path.reduce(reduce, opened());
        expect(history.excerpt !== null).toBe(navigation.place.at === 'past_session');
      }),
    );
  });
});

describe('in the window', () => {
  const row = (name: RegExp) => screen.getByRole('button', { name });

  async function open() {
    const bridge = new FakeBridge({ sessions, requests: [aRequest({ questions: [aQuestion(1), aQuestion(2)] })] });
    bridge.entries = { s1: [anEntry(1, { kind: 'agent', text: 'Hello' })] };
    return openPage(bridge);
  }

  test('Alt with an arrow key goes back to unsent text, and forward again', async () => {
    const { user, store } = await open();
    await user.type(composer(), 'Half a message');
    await user.click(row(/^web/));
    await user.click(row(/^Inbox/));
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(store.state.navigation.place).toEqual(session('s2'));
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(composer()).toHaveValue('Half a message');
    expect(composer()).toHaveFocus();
    await user.keyboard('{Alt>}{ArrowRight}{ArrowRight}{/Alt}');
    expect(store.state.navigation.place.at).toBe('inbox');
  });

  test('the side buttons of the mouse do the same', async () => {
    const { user, store } = await open();
    await user.click(row(/^web/));
    const press = (button: number) => window.dispatchEvent(new MouseEvent('mouseup', { button }));
    press(3);
    expect(store.state.navigation.place).toEqual(session('s1'));
    press(4);
    expect(store.state.navigation.place).toEqual(session('s2'));
    press(0);
    expect(store.state.navigation.place).toEqual(session('s2'));
  });

  test('in the panel, the same keys switch questions, and behind a dialog they do nothing', async () => {
    const { user, store } = await open();
    await user.click(row(/^web/));
    await user.click(row(/^api/));
    screen.getByRole('radio', { name: /OAuth/ }).focus();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    expect(store.state.drafts['r1']?.active).toBe(1);
    await user.keyboard('{Alt>}{ArrowLeft}{ArrowLeft}{/Alt}');
    store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'keys' } });
    await settle();
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(store.state.navigation.place).toEqual(session('s1'));
  });

  test('going back to a past transcript loads it again', async () => {
    const { store, commands, bridge, user } = await open();
    await commands.history.open();
    await commands.history.show('s1', 1);
    await user.click(row(/^web/));
    const read = bridge.sent('read_transcript').length;
    await commands.navigation.step('back');
    await settle();
    expect(bridge.sent('read_transcript').length).toBe(read + 1);
    expect(store.state.history.excerpt).toMatchObject({ n: 1, read: true });
    await commands.navigation.step('back');
    await settle();
    expect(screen.getByRole('searchbox')).toBeVisible();
  });

  test('going back skips a deleted session', async () => {
    const { store, commands, bridge } = await open();
    store.dispatch({ type: 'session_selected', session: 's2' });
    store.dispatch({ type: 'inbox_opened', at: NOW });
    await bridge.push({ change: 'session_deleted', session: 's2' });
    await commands.navigation.step('back');
    expect(store.state.navigation.place).toEqual(session('s1'));
  });
});
