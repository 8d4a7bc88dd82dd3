import { fireEvent, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Arming } from '../src/feature/panel/arming.svelte';
import type { Request } from '../src/generated/wire';
import { arming } from '../src/shared/arming';
import { anApproval, aQuestion, aRequest, aSession, ended } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage, ownAnswer, panel, radio, settle, skippableTime } from './open';
import { lone, openCard, pair, sentAnswers } from './openCard';

const DELAY = 500;

/** A clock that only the cards follow. */
class Clock {
  now = 0;
  #waiting: { at: number; run: () => void }[] = [];

  after = (millis: number, run: () => void) => {
    const one = { at: this.now + millis, run };
    this.#waiting.push(one);
    return () => void (this.#waiting = this.#waiting.filter((other) => other !== one));
  };

  advance(millis: number): void {
    this.now += millis;
    const due = this.#waiting.filter(({ at }) => at <= this.now);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.now);
    for (const { run } of due) run();
  }
}

let clock = new Clock();
const { after } = arming;

beforeEach(() => {
  clock = new Clock();
  Object.assign(arming, { delay: DELAY, after: clock.after });
});

afterEach(() => void (arming.after = after));

async function pass(millis: number) {
  clock.advance(millis);
  await settle();
}

async function press(target: Element, key: string, init: KeyboardEventInit = {}) {
  await fireEvent.keyDown(target, { key, ...init });
  await fireEvent.keyUp(target, { key });
  await settle();
}

async function click(target: Element) {
  await fireEvent.pointerDown(target);
  await fireEvent.pointerUp(target);
  await fireEvent.click(target, { detail: 1 });
  await settle();
}

const card = (id = 'r1') => document.querySelector<HTMLElement>(`[data-card="${id}"]`)!;

skippableTime();

describe('a card is armed', () => {
  const armed = () => {
    const one = new Arming();
    one.shows('a');
    clock.advance(DELAY - 1);
    expect(one.armed).toBe(false);
    clock.advance(1);
    expect(one.armed).toBe(true);
    return one;
  };

  test('500 ms after it has arrived, or after the last time that it changed or moved', () => {
    const one = armed();
    one.isAt('0 0');
    one.shows('a');
    expect(one.armed).toBe(true);
    one.shows('b');
    expect(one.armed).toBe(false);
    clock.advance(DELAY - 1);
    one.isAt('0 40');
    clock.advance(DELAY - 1);
    expect(one.armed).toBe(false);
    clock.advance(1);
    expect(one.armed).toBe(true);
  });

  test('without a delay after the same content has arrived again', () => {
    const one = new Arming();
    one.shows(['a'], null);
    clock.advance(DELAY);
    one.shows(['a'], null);
    expect(one.armed).toBe(true);
    one.shows(['a', 'b'], null);
    expect(one.armed).toBe(false);
  });

  test('without a delay after a move that its own input caused, but not after other moves or changes', () => {
    const one = armed();
    one.isAt('0 0');
    one.noteInput();
    one.isAt('0 40');
    expect(one.armed).toBe(true);
    clock.advance(200);
    one.isAt('0 80');
    expect(one.armed).toBe(false);
    clock.advance(DELAY);
    one.noteInput();
    one.shows('b');
    expect(one.armed).toBe(false);
  });

  test('case_144 for no Enter after a choice that came too early, until there is another choice or time to see it', () => {
    const one = new Arming();
    one.shows('a');
    expect(one.takes({ action: 'choose', place: 3 })).toBe(false);
    clock.advance(DELAY);
    expect(one.takes({ action: 'go_on' })).toBe(false);
    expect(one.takes({ action: 'submit_from_anywhere' })).toBe(false);
    expect(one.takes({ action: 'choose', place: 3 })).toBe(true);
    expect(one.takes({ action: 'go_on' })).toBe(true);
    one.wait();
    expect(one.takes({ action: 'choose', place: 2 })).toBe(false);
    clock.advance(3_000);
    expect(one.takes({ action: 'go_on' })).toBe(true);
  });

  test('for keys that change nothing, and always for Undo and typed text', () => {
    const one = new Arming();
    one.shows('a');
    expect(one.takes({ action: 'choose', place: 1 })).toBe(false);
    expect(one.takes({ action: 'submit_from_anywhere' })).toBe(false);
    expect(one.takes({ action: 'undo' })).toBe(true);
    expect(one.takes({ action: 'leave' })).toBe(true);
    const undo = document.createElement('button');
    expect(one.takesClick({ detail: 1, target: undo })).toBe(false);
    undo.dataset['atOnce'] = '';
    expect(one.takesClick({ detail: 1, target: undo })).toBe(true);
    expect(one.takesClick({ detail: 1, target: document.createElement('textarea') })).toBe(true);
  });

  test('case_144 at once for a menu that the user opened, unless the card has changed since', () => {
    const one = armed();
    const menu = document.createElement('div');
    menu.setAttribute('role', 'menu');
    const target = menu.appendChild(document.createElement('button'));
    const taken = () => one.takesClick({ detail: 1, target });
    one.isAt('0 0');
    one.isAt('0 40');
    expect(one.armed).toBe(false);
    expect(taken()).toBe(true);
    one.wait();
    expect(taken()).toBe(true);
    one.shows('b');
    expect(taken()).toBe(false);
    clock.advance(DELAY);
    expect(taken()).toBe(true);
  });

  test('not for a press that began before', () => {
    const one = new Arming();
    const target = document.createElement('button');
    one.shows('a');
    one.begin();
    clock.advance(DELAY);
    expect(one.takesClick({ detail: 1, target })).toBe(false);
    one.end();
    expect(one.takesClick({ detail: 0, target })).toBe(true);
  });

  test('not for the second half of a double click that began elsewhere', () => {
    const one = armed();
    const target = document.createElement('button');
    expect(one.takesClick({ detail: 2, target })).toBe(false);
    expect(one.takesClick({ detail: 1, target })).toBe(true);
    expect(one.takesClick({ detail: 2, target })).toBe(true);
  });
});

describe('a question', () => {
  test('case_79_keys_and_clicks_do_nothing_for_500_ms_and_typed_text_is_kept', async () => {
    const { bridge } = await openCard(lone(), { quickAnswer: 'off' });
    expect(card()).toHaveAttribute('data-armed', 'false');
    card().focus();
    await press(card(), '2');
    await click(radio('JWT'));
    await press(card(), 'Enter', { ctrlKey: true });
    await click(button('Submit'));
    expect(radio('JWT')).not.toBeChecked();
    expect(panel().querySelector('[role=alert]')).toBeNull();
    ownAnswer().focus();
    await fireEvent.input(ownAnswer(), { target: { value: 'mine' } });
    await press(ownAnswer(), 'Enter');
    expect(bridge.sent('answer_question')).toEqual([]);
    await pass(DELAY);
    expect(card()).toHaveAttribute('data-armed', 'true');
    expect(ownAnswer()).toHaveValue('mine');
    card().focus();
    await press(card(), '2');
    expect(radio('JWT')).toBeChecked();
    await press(radio('JWT'), 'Enter');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o2'] }]]);
  });

  test('case_144 a key that was typed too early into its field is not sent by the next Enter', async () => {
    const { bridge } = await openCard([aQuestion(1, { kind: 'text', options: [] })], { quickAnswer: 'off' });
    const field = panel().querySelector('textarea')!;
    field.focus();
    await fireEvent.input(field, { target: { value: '3' } });
    await pass(DELAY);
    await press(field, 'Enter');
    expect(bridge.sent('answer_question')).toEqual([]);
    await fireEvent.input(field, { target: { value: '3 of them' } });
    await press(field, 'Enter');
    expect(sentAnswers(bridge)).toMatchObject([[{ other: '3 of them' }]]);
  });

  test('case_79_a_change_that_is_not_the_users_input_delays_again_and_the_users_own_does_not', async () => {
    const { bridge } = await openCard(pair());
    await pass(DELAY);
    card().focus();
    await press(card(), 'ArrowRight', { altKey: true });
    expect(panel().querySelector('[data-question="q2"]')).not.toBeNull();
    expect(card()).toHaveAttribute('data-armed', 'true');
    const questions = [...pair().slice(0, 1), aQuestion(2, { kind: 'multi', options: ['GitLab', 'Google'] })];
    await bridge.push({ change: 'request', request: { ...bridge.request('r1'), questions } });
    await settle();
    expect(card()).toHaveAttribute('data-armed', 'false');
    await press(card(), '1');
    expect(card().querySelector('input:checked')).toBeNull();
    await pass(DELAY);
    await press(card(), '1');
    expect(card().querySelector('input:checked')).not.toBeNull();
  });

  test('case_79_a_card_that_something_above_pushes_away_waits_again', async () => {
    const { bridge } = await openCard(lone());
    // The card's place is watched from its second frame on.
    await vi.advanceTimersByTimeAsync(100);
    await pass(DELAY);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ left: 0, top: 200 } as DOMRect);
    await bridge.push({ change: 'approval', approval: anApproval({ askedAt: 0 }) });
    await settle();
    vi.restoreAllMocks();
    expect(card()).toHaveAttribute('data-armed', 'false');
    card().focus();
    await press(card(), '1');
    expect(bridge.sent('hold_end')).toEqual([]);
  });

  test('case_79_skipping_it_from_the_palette_only_shows_it_until_it_is_armed', async () => {
    const { bridge, store } = await openCard(lone());
    const skip = async () => {
      store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'palette' } });
      await settle();
      await click(screen.getByRole('option', { name: /^Skip Which way/ }));
    };
    await skip();
    expect(bridge.sent('hold_end')).toEqual([]);
    expect(card()).toContainElement(document.activeElement as HTMLElement);
    await pass(DELAY);
    await skip();
    expect(bridge.sent('hold_end')).toMatchObject([{ id: 'r1', end: { end: 'canceled' } }]);
  });

  test('case_79_undo_works_at_once', async () => {
    const { bridge } = await openCard(lone());
    await pass(DELAY);
    card().focus();
    await press(card(), '1');
    await bridge.push({ change: 'request', request: { ...bridge.request('r1'), askedBy: 'a subagent' } });
    await settle();
    expect(card()).toHaveAttribute('data-armed', 'false');
    await click(button(/^Undo/));
    expect(bridge.sent('undo_end')).toHaveLength(1);
  });
});

describe('what a choice brings', () => {
  const two = () => [1, 2].map((place) => aQuestion(place, { options: ['Yes', 'No'], allowsOther: false }));
  const shownQuestion = () => card().querySelector<HTMLElement>('fieldset')?.dataset['question'] ?? 'summary';
  const acts = {
    digit: () => press(document.activeElement!, '1'),
    Enter: () => press(document.activeElement!, 'Enter'),
    click: () => click(radio('Yes')),
  };

  for (const wait of [0, 400, 800]) {
    test.each(Object.keys(acts) as (keyof typeof acts)[])(`case_144 takes no %s of its first 500 ms, after ${wait} ms`, async (by) => {
      const { bridge } = await openCard(two());
      await pass(DELAY);
      card().focus();
      await press(card(), '2');
      expect(shownQuestion()).toBe('q2');
      await pass(wait);
      await acts[by]();
      expect(shownQuestion()).toBe(wait < DELAY ? 'q2' : 'summary');
      expect(card().querySelector('input:checked')).toBeNull();
      await pass(DELAY);
      if (wait < DELAY) await acts[by]();
      expect(shownQuestion()).toBe('summary');
      await pass(wait);
      await (by === 'click' ? click(button('Submit')) : press(button('Submit'), 'Enter'));
      expect(sentAnswers(bridge)).toHaveLength(wait < DELAY ? 0 : 1);
    });
  }

  test('case_144 is no longer by itself if the user goes back, or on without a choice', async () => {
    await openCard(two(), { autoAdvance: 'off' });
    await pass(DELAY);
    await click(radio('No'));
    expect(shownQuestion()).toBe('q1');
    await press(radio('No'), 'Enter');
    expect(shownQuestion()).toBe('q2');
    expect(card()).toHaveAttribute('data-armed', 'true');
    await click(button('Back'));
    await click(button(/^Next/));
    await press(radio('Yes'), 'Enter');
    expect(shownQuestion()).toBe('summary');
    expect(card()).toHaveAttribute('data-armed', 'false');
  });
});

test('case_144 the next permission takes no key or click of its first 500 ms, although it was in view', async () => {
  for (const place of ['panel', 'inbox'] as const) {
    const bridge = new FakeBridge({
      approvals: [anApproval({ askedAt: 1 }), anApproval({ id: 'a2', nativeRef: 'n2', title: 'Bash: b', askedAt: 2 })],
    });
    const { store, unmount } = await openPage(bridge);
    if (place === 'inbox') store.dispatch({ type: 'inbox_opened', at: 0 });
    await settle();
    await pass(DELAY);
    const [first] = screen.getAllByRole('button', { name: 'Deny' });
    first!.focus();
    await click(first!);
    expect(bridge.sent('decide_approval')).toHaveLength(1);
    expect(card('a2')).toHaveAttribute('data-armed', 'false');
    unmount();
  }
});

test('case_79_a_permission_and_a_plan_are_decided_only_after_500_ms', async () => {
  const subject = { detail: 'plan', plan: '1. Look', path: null } as const;
  for (const [approval, words] of [
    [anApproval(), 'Allow once'],
    [anApproval({ subject }), 'Approve'],
  ] as const) {
    const { bridge, unmount } = await openPage(new FakeBridge({ approvals: [approval] }));
    await click(button(words));
    expect(bridge.sent('decide_approval')).toEqual([]);
    await pass(DELAY);
    await click(button(words));
    expect(bridge.sent('decide_approval')).toHaveLength(1);
    unmount();
  }
});

test('case_79_permissions_in_the_inbox_are_armed_again_when_an_identical_one_joins_them', async () => {
  const { bridge, store } = await openPage(new FakeBridge({ approvals: [anApproval({ askedAt: 1 })] }));
  store.dispatch({ type: 'inbox_opened', at: 0 });
  await settle();
  await pass(DELAY);
  await bridge.push({ change: 'approval', approval: anApproval({ id: 'a2', askedAt: 2 }) });
  await click(button('Allow all 2 once'));
  expect(bridge.sent('decide_approval')).toEqual([]);
  await pass(DELAY);
  await click(button('Allow all 2 once'));
  expect(bridge.sent('decide_approval').map(({ id }) => id)).toEqual(['a1', 'a2']);
});

test('case_79_a_missed_question_is_dismissed_only_after_500_ms', async () => {
  const session = aSession({ state: { state: 'ended', end: { end: 'app_quit' }, at: 1 } });
  const state = ended({ outcome: 'orphaned', why: 'app_quit' });
  const { bridge, store } = await openPage(new FakeBridge({ sessions: [session], requests: [aRequest({ questions: lone(), state })] }));
  store.dispatch({ type: 'missed_folded', request: 'r1', open: true });
  await settle();
  await click(button('Dismiss'));
  expect(bridge.sent('dismiss_request')).toEqual([]);
  await pass(DELAY);
  await click(button('Dismiss'));
  expect(bridge.sent('dismiss_request')).toHaveLength(1);
});

describe('after an answer', () => {
  const two = [aQuestion(1, { text: 'And then?', options: ['Rust', 'Go'] })];
  const hints = () => screen.queryByRole('list', { name: 'Shortcuts here' });

  async function openTwo(second: Partial<Request>) {
    const opened = await openCard(lone(), { quickAnswer: 'off' });
    await opened.bridge.push({
      change: 'request',
      request: aRequest({ id: 'r2', nativeRef: 'n2', askedAt: 9e12, questions: two, ...second }),
    });
    await settle();
    await pass(DELAY);
    card().focus();
    await press(card(), '2');
    await press(radio('JWT'), 'Enter');
    expect(sentAnswers(opened.bridge)).toHaveLength(1);
    return opened;
  }

  test('case_80_the_next_digit_counts_for_the_next_question_of_the_session_once_it_is_armed', async () => {
    const { bridge } = await openTwo({});
    expect(radio('Rust')).toHaveFocus();
    expect(hints()).toHaveTextContent('1–3 choose');
    await press(radio('Rust'), '2');
    expect(radio('Go')).not.toBeChecked();
    await pass(DELAY);
    await press(radio('Rust'), '2');
    expect(radio('Go')).toBeChecked();
    expect(sentAnswers(bridge)).toHaveLength(1);
  });

  test('case_80_the_focus_never_goes_on_to_another_session_to_a_permission_or_to_what_comes_later_whose_keys_work_once_it_is_armed', async () => {
    const { bridge } = await openTwo({ session: 's2' });
    await bridge.push({ change: 'approval', approval: anApproval() });
    await pass(DELAY);
    expect(panel()).toHaveFocus();
    await press(panel(), '1');
    expect(bridge.sent('decide_approval')).toEqual([]);
    await bridge.push({ change: 'approval', approval: anApproval({ state: { state: 'withdrawn', at: 1 } }) });
    await bridge.push({ change: 'request', request: aRequest({ id: 'r3', nativeRef: 'n3', questions: two }) });
    await settle();
    expect(panel()).toHaveFocus();
    await press(panel(), '1');
    expect(radio('Rust')).not.toBeChecked();
    await pass(DELAY);
    expect(panel()).toHaveFocus();
    await press(panel(), '1');
    expect(radio('Rust')).toBeChecked();
  });
});
