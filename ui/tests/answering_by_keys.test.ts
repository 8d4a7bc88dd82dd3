import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Question, Request, UndoableAnswer } from '../src/generated/wire';
import { anApproval, answered, aQuestion, aRequest, aSession, ended, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, expectNoViolations, openPage, ownWords, panel, radio, settle } from './open';

const hints = () => screen.queryByRole('list', { name: 'Keys here' });
const card = () => document.querySelector<HTMLElement>('[data-card="r1"]')!;

const lone = () => [aQuestion(1, { text: 'Which way?', options: ['OAuth 2.0', 'JWT', 'Sessions'] })];
const pair = () => [
  aQuestion(1, { header: 'Method', options: ['OAuth 2.0', 'JWT'] }),
  aQuestion(2, { header: 'Providers', kind: 'multi', options: ['GitHub', 'Google'] }),
];
const four = () => [1, 2, 3, 4].map((place) => aQuestion(place, { options: ['Yes', 'No', 'Later'] }));

interface Setting {
  quick?: 'on' | 'off';
  advance?: 'on' | 'off';
  more?: Request[];
}

/** Opens a desk whose app holds answers as the real one does, without its clock. */
async function open(questions: Question[], { quick = 'on', advance = 'on', more = [] }: Setting = {}) {
  const bridge = new FakeBridge({ requests: [aRequest({ questions }), ...more] });
  bridge.settings.settings.quickAnswer = quick;
  bridge.settings.settings.autoAdvance = advance;
  const end = (id: string, answers: { question: string; chosen?: string[] }[]) => {
    const request = answered(bridge.request(id), answers);
    const held = bridge.snapshot.held.some((one) => one.request === id);
    bridge.push(
      { change: 'request', request },
      ...(held ? [{ change: 'answer_let_go', request: id } as const] : []),
    );
    return request;
  };
  bridge.on('answer_question', ({ id, answers }) => end(id, answers));
  bridge.on('hold_answer', ({ id, answers }) => {
    bridge.push({ change: 'answer_held', held: holding({ request: id, answers }) });
    return {};
  });
  bridge.on('take_back_answer', ({ id }) => {
    bridge.push({ change: 'answer_let_go', request: id });
    return {};
  });
  const opened = await openPage(bridge);
  /** Lets the moment of what is held pass. */
  const pass = async () => {
    for (const { request, answers } of bridge.snapshot.held) end(request, answers);
    await settle();
  };
  /** Presses keys one by one and counts them. */
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) {
      await opened.user.keyboard(key);
    }
    return pressed.length;
  };
  return { ...opened, pass, keys };
}

function holding(changes: Partial<UndoableAnswer>): UndoableAnswer {
  const now = Date.now();
  return { request: 'r1', answers: [], since: now, until: now + 3000, error: null, ...changes };
}

const sentAnswers = (bridge: FakeBridge) => bridge.sent('answer_question').map(({ answers }) => answers);

describe('digits', () => {
  test('case_18_a_digit_chooses_and_another_one_changes_the_choice', async () => {
    const { keys, bridge } = await open(lone(), { quick: 'off' });
    card().focus();
    await keys('2');
    expect(radio('JWT').checked).toBe(true);
    expect(radio('JWT')).toHaveFocus();
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(true);
    expect(radio('JWT').checked).toBe(false);
    expect(bridge.calls.filter(({ command }) => /answer/.test(command))).toEqual([]);
  });

  test('a digit toggles where several can be ticked, and never goes on', async () => {
    const { keys } = await open([pair()[1]!]);
    card().focus();
    await keys('1', '2', '1');
    expect([checkbox('GitHub').checked, checkbox('Google').checked]).toEqual([false, true]);
    expect(checkbox('GitHub')).toHaveFocus();
  });

  test('the digit of other takes the focus to its field, where digits are text', async () => {
    const { keys, bridge } = await open(lone());
    card().focus();
    await keys('4');
    expect(radio('Other').checked).toBe(true);
    expect(ownWords()).toHaveFocus();
    await keys('2', '/', 'n', 'u', '?');
    expect(ownWords()).toHaveValue('2/nu?');
    expect(radio('Other').checked).toBe(true);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bridge.sent('hold_answer')).toEqual([]);
  });

  test('a digit without an option does nothing, nor does one on the summary', async () => {
    const { keys, bridge } = await open(pair());
    card().focus();
    await keys('9');
    expect(screen.getAllByRole<HTMLInputElement>('radio').filter(({ checked }) => checked)).toEqual([]);
    await keys('{Alt>}{ArrowRight}{/Alt}', '{Alt>}{ArrowRight}{/Alt}', '1');
    expect(within(panel()).getAllByText('Not answered')).toHaveLength(2);
    expect(bridge.sent('answer_question')).toEqual([]);
  });
});

describe('quick answer', () => {
  test('cost: a lone question is answered by one key', async () => {
    const { keys, pass, bridge } = await open(lone());
    card().focus();
    expect(await keys('2')).toBe(1);
    expect(bridge.sent('hold_answer')).toMatchObject([
      { id: 'r1', answers: [{ question: 'q1', chosen: ['q1o2'], other: null, note: null }] },
    ]);
    expect(sentAnswers(bridge)).toEqual([]);
    expect(panel()).toHaveTextContent('Sending in 3 s');
    await expectNoViolations();
    await pass();
    expect(panel()).toHaveTextContent('Sent, waiting for the agent');
    expect(panel()).not.toHaveTextContent('Sending in');
  });

  test('cost: with quick answer off it takes a digit and Enter', async () => {
    const { keys, bridge } = await open(lone(), { quick: 'off' });
    card().focus();
    expect(await keys('2', '{Enter}')).toBe(2);
    expect(bridge.sent('hold_answer')).toEqual([]);
    expect(sentAnswers(bridge)).toMatchObject([[{ question: 'q1', chosen: ['q1o2'] }]]);
  });

  test('case_52_undo_in_time_sends_nothing_and_unmakes_the_choice', async () => {
    const { keys, pass, bridge } = await open(lone());
    card().focus();
    await keys('2', 'u');
    expect(bridge.sent('take_back_answer')).toMatchObject([{ id: 'r1' }]);
    expect(radio('JWT').checked).toBe(false);
    expect(panel()).not.toHaveTextContent('Sending in');
    await pass();
    expect(bridge.request('r1').state).toEqual({ state: 'open' });
    expect(sentAnswers(bridge)).toEqual([]);
    // The same key begins anew.
    await keys('2');
    expect(bridge.sent('hold_answer')).toHaveLength(2);
  });

  test('it is said once that an answer is about to go, and that it was taken back', async () => {
    const { keys } = await open(lone());
    card().focus();
    const status = () => within(card()).getAllByRole('status').map((one) => one.textContent);
    expect(status()).toEqual(['']);
    await keys('2');
    expect(status()).toEqual(['“JWT” is sent in 3 seconds. Press u to undo.']);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(status()).toEqual(['“JWT” is sent in 3 seconds. Press u to undo.']);
    await keys('u');
    expect(status()).toEqual(['Taken back. Nothing was sent.']);
  });

  test('Enter sends at once what is held, once', async () => {
    const { keys, pass, bridge } = await open(lone());
    card().focus();
    await keys('3', '{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o3'] }]]);
    await pass();
    expect(bridge.sent('answer_question')).toHaveLength(1);
  });

  test('another digit in the moment takes the place of the first', async () => {
    const { keys, bridge } = await open(lone());
    card().focus();
    await keys('1', '3');
    expect(bridge.snapshot.held).toMatchObject([{ answers: [{ chosen: ['q1o3'] }] }]);
    expect(radio('Sessions').checked).toBe(true);
  });

  test('two digits at once end in the second', async () => {
    const { user, bridge } = await open(lone());
    card().focus();
    await user.keyboard('13');
    expect(bridge.snapshot.held).toMatchObject([{ answers: [{ chosen: ['q1o3'] }] }]);
    expect(radio('Sessions').checked).toBe(true);
  });

  test('a choice made by the mouse in the moment is not sent by itself, and the first not at all', async () => {
    const { keys, user, bridge } = await open(lone());
    card().focus();
    await keys('1');
    await user.click(radio('JWT'));
    expect(bridge.snapshot.held).toEqual([]);
    expect(radio('JWT').checked).toBe(true);
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('a note begun in the moment takes the answer back and keeps note and choice', async () => {
    const { keys, bridge } = await open(lone());
    card().focus();
    await keys('2', 'n');
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveFocus();
    await keys('x');
    expect(bridge.snapshot.held).toEqual([]);
    expect(radio('JWT').checked).toBe(true);
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o2'], note: 'x' }]]);
  });

  test('what was written is not left behind: then a digit only chooses', async () => {
    const { keys, user, bridge } = await open(lone());
    await user.type(ownWords(), 'a thought');
    await keys('{Escape}', '1');
    expect(radio('OAuth 2.0').checked).toBe(true);
    expect(bridge.sent('hold_answer')).toEqual([]);
    expect(ownWords()).toHaveValue('a thought');
  });

  test('to begin declining takes back what is held, and no key answers while that form is open', async () => {
    const { keys, user, bridge } = await open(lone());
    card().focus();
    await keys('2');
    await user.click(button('Decline'));
    expect(bridge.snapshot.held).toEqual([]);
    expect(radio('JWT').checked).toBe(false);
    screen.getByRole('textbox', { name: /What to tell the agent/ }).focus();
    await keys('no', '{Control>}{Enter}{/Control}');
    radio('JWT').focus();
    await keys('2', '{Enter}', '{Control>}{Enter}{/Control}');
    expect(bridge.sent('hold_answer')).toHaveLength(1);
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('several questions and ticks are never quick', async () => {
    const { keys, bridge } = await open([pair()[1]!]);
    card().focus();
    await keys('1');
    expect(bridge.sent('hold_answer')).toEqual([]);
  });

  test('the mouse, Space and arrows are never quick', async () => {
    const { keys, user, bridge } = await open(lone());
    await user.click(radio('JWT'));
    await keys('{ArrowDown}', ' ');
    expect(radio('Sessions').checked).toBe(true);
    expect(bridge.sent('hold_answer')).toEqual([]);
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('a page that is loaded in the moment shows what is held and can take it back', async () => {
    const bridge = new FakeBridge({
      requests: [aRequest({ questions: lone() })],
      held: [holding({ answers: [{ question: 'q1', chosen: ['q1o2'], other: null, note: null }] })],
    });
    bridge.on('take_back_answer', ({ id }) => {
      bridge.push({ change: 'answer_let_go', request: id });
      return {};
    });
    const { user } = await openPage(bridge);
    expect(panel()).toHaveTextContent(/Sending in [23] s/);
    expect(radio('JWT').checked).toBe(true);
    await user.click(button(/^Undo/));
    expect(radio('JWT').checked).toBe(false);
  });

  test('an answer that could not go says why, and can be sent or taken back', async () => {
    const { keys, bridge } = await open(lone());
    card().focus();
    await keys('2');
    const held = { ...bridge.snapshot.held[0]!, error: { undelivered: 'not_kept', trouble: 'full', path: '/desk.db' } as const };
    await bridge.push({ change: 'answer_held', held });
    expect(within(panel()).getByRole('alert')).toHaveTextContent('It could not be sent: the disk is full; free some space');
    await expectNoViolations();
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o2'] }]]);
  });

  test('an answer that cannot be held says so, and stays chosen', async () => {
    const { keys, bridge } = await open(lone());
    bridge.fail('hold_answer', { code: 'closing' });
    card().focus();
    await keys('2');
    expect(within(panel()).getByRole('alert')).toBeVisible();
    expect(radio('JWT').checked).toBe(true);
  });

  test('the focus goes back to where it was once the answer has gone by itself', async () => {
    const { keys, pass, user } = await open(lone());
    await user.click(composer());
    card().focus();
    await keys('2');
    await pass();
    expect(composer()).toHaveFocus();
  });

  test('the focus goes nowhere when the agent takes back what was once held', async () => {
    const { keys, bridge, user } = await open(lone());
    await user.click(composer());
    card().focus();
    await keys('2', 'u');
    await bridge.push({ change: 'request', request: aRequest({ questions: lone(), state: ended(withdrawn()) }) });
    expect(panel().querySelector('[data-card]')).toBeNull();
    expect(document.body).toHaveFocus();
  });
});

test('every option shows the digit that chooses it, Other too, and the tenth shows none', async () => {
  const options = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'];
  const { keys } = await open([aQuestion(1, { options })], { quick: 'off' });
  const shown = [...card().querySelectorAll('[data-option]')].map((row) => row.querySelector('.digit')?.textContent);
  expect(shown).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '']);
  card().focus();
  await keys('9');
  expect(radio('I').checked).toBe(true);
});

describe('going on', () => {
  test('cost: four questions with one choice each take four digits and one Enter', async () => {
    const { keys, bridge } = await open(four());
    card().focus();
    const count = await keys('1', '2', '3', '1');
    expect(sentAnswers(bridge)).toEqual([]);
    expect(count + (await keys('{Enter}'))).toBe(5);
    expect(sentAnswers(bridge)).toMatchObject([
      [{ chosen: ['q1o1'] }, { chosen: ['q2o2'] }, { chosen: ['q3o3'] }, { chosen: ['q4o1'] }],
    ]);
  });

  test('case_12_a_look_back_stays_until_the_person_goes_on', async () => {
    const { keys } = await open(four());
    card().focus();
    await keys('1', '{Alt>}{ArrowLeft}{/Alt}');
    expect(radio('Yes').checked).toBe(true);
    await keys('2');
    expect(radio('No').checked).toBe(true);
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
  });

  test('with auto-advance off a digit only chooses', async () => {
    const { keys } = await open(four(), { advance: 'off' });
    card().focus();
    await keys('1');
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
  });

  test('case_13_the_last_answer_shows_the_summary_and_sends_nothing', async () => {
    const { keys, bridge } = await open(four());
    card().focus();
    await keys('1', '1', '1', '1');
    expect(within(panel()).getByText('Your answers')).toBeVisible();
    expect(bridge.calls.filter(({ command }) => /answer/.test(command))).toEqual([]);
  });

  test('Enter chooses the option in focus and goes on', async () => {
    const { keys } = await open(pair());
    radio('OAuth 2.0').focus();
    await keys('{Enter}');
    expect(checkbox('GitHub')).toHaveFocus();
    await keys('{ArrowDown}', '{ArrowDown}');
    expect(checkbox('Other')).toHaveFocus();
    await keys('{ArrowDown}', '{ArrowUp}', '{ArrowUp}', ' ', '{Enter}');
    expect(button('Submit')).toHaveFocus();
    expect(panel()).toHaveTextContent(/Method\s*OAuth 2\.0/);
    expect(panel()).toHaveTextContent(/Providers\s*Google/);
  });

  test('Enter on a lone option in focus chooses it and sends it at once', async () => {
    const { keys, bridge } = await open(lone());
    radio('OAuth 2.0').focus();
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o1'] }]]);
    expect(bridge.sent('hold_answer')).toEqual([]);
  });

  test('Enter on other without words goes to its field', async () => {
    const { keys, bridge } = await open(lone());
    radio('Other').focus();
    await keys('{Enter}');
    expect(ownWords()).toHaveFocus();
    await keys('mine', '{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: [], other: 'mine' }]]);
  });

  test('Ctrl+Enter submits from a field; what is unanswered is named first, and the same again means it', async () => {
    const { keys, bridge } = await open(pair());
    card().focus();
    await keys('1');
    await userOf(ownWords(), keys);
    await keys('{Control>}{Enter}{/Control}');
    expect(sentAnswers(bridge)).toEqual([]);
    expect(screen.getByRole('alert')).toHaveTextContent('Not answered: Providers.');
    await keys('{Control>}{Enter}{/Control}');
    expect(sentAnswers(bridge)).toMatchObject([[{ question: 'q1', chosen: ['q1o1'] }]]);
  });

  test('Ctrl+Enter never sends where nothing is answered, however often', async () => {
    const { keys, bridge } = await open(lone());
    card().focus();
    await keys('{Control>}{Enter}{/Control}', '{Control>}{Enter}{/Control}');
    expect(screen.getByRole('alert')).toHaveTextContent('Choose an answer first');
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('a key that is held down goes on once', async () => {
    const { user, bridge } = await open(four());
    radio('Yes').focus();
    await user.keyboard('{Enter>8/}');
    expect(panel()).toHaveTextContent('2 of 4');
    await user.keyboard('{1>8/}');
    expect(panel()).toHaveTextContent('3 of 4');
    expect(sentAnswers(bridge)).toEqual([]);
  });
});

async function userOf(field: HTMLElement, keys: (...pressed: string[]) => Promise<number>): Promise<void> {
  field.focus();
  await keys('{Shift>}{Enter}{/Shift}');
}

describe('fields', () => {
  test('case_15_Enter_goes_on_Shift_Enter_adds_a_line_and_composing_does_neither', async () => {
    const { keys, user, bridge } = await open(lone());
    await user.type(ownWords(), 'one');
    await fireEvent.compositionStart(ownWords());
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      const untouched = await fireEvent.keyDown(ownWords(), { key: 'Enter', ...init });
      expect(untouched).toBe(true);
    }
    await fireEvent.compositionEnd(ownWords());
    await settle();
    expect(sentAnswers(bridge)).toEqual([]);
    expect(ownWords()).toHaveFocus();
    await keys('{Shift>}{Enter}{/Shift}', 'two');
    expect(ownWords()).toHaveValue('one\ntwo');
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ other: 'one\ntwo' }]]);
  });

  test('case_16_esc_leaves_the_field_then_folds_the_panel_and_loses_nothing', async () => {
    const { keys, user, bridge } = await open(lone());
    await user.type(ownWords(), 'half a thought');
    await keys('{Escape}');
    expect(card()).toHaveFocus();
    await keys('{Escape}');
    expect(button(/Expand the panel, 1 waiting/)).toHaveFocus();
    await keys(' ');
    expect(ownWords()).toHaveValue('half a thought');
    expect(bridge.calls.filter(({ command }) => /question|answer/.test(command))).toEqual([]);
  });

  test('case_17_keys_in_the_composer_answer_nothing', async () => {
    const { keys, user, bridge } = await open(lone());
    await user.click(composer());
    await keys('1', '2', 'n', 'u', '/', '?', '{Escape}', '{Alt>}{ArrowRight}{/Alt}');
    expect(composer()).toHaveValue('12nu/?');
    expect(screen.getAllByRole<HTMLInputElement>('radio').some(({ checked }) => checked)).toBe(false);
    expect(bridge.sent('hold_answer')).toEqual([]);
    expect(panel()).toBeVisible();
  });

  test('n opens the note of the option in focus, and chooses it without going on', async () => {
    const { keys, bridge } = await open(four());
    radio('No').focus();
    await keys('n');
    expect(radio('No').checked).toBe(true);
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveFocus();
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('why', '{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('/ goes to the composer and writes nothing there', async () => {
    const { keys } = await open(lone());
    radio('JWT').focus();
    await keys('/');
    expect(composer()).toHaveFocus();
    expect(composer()).toHaveValue('');
  });
});

describe('where keys count', () => {
  test('without a focus they count for the question the person was at, and for none that came since', async () => {
    const { keys, user, bridge } = await open(lone(), { quick: 'off' });
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(false);
    await user.click(within(card()).getByText('Which way?'));
    (document.activeElement as HTMLElement).blur();
    await keys('2');
    expect(radio('JWT').checked).toBe(true);
    await keys('{Enter}');
    await bridge.push({ change: 'request', request: aRequest({ id: 'r2', nativeRef: 'n9', questions: four() }) });
    (document.activeElement as HTMLElement).blur();
    await keys('1', '{Enter}');
    expect(bridge.sent('answer_question')).toHaveLength(1);
    expect(panel()).toHaveTextContent('1 of 4');
  });

  test('a dialog that stands open keeps all keys', async () => {
    const { keys, store } = await open(lone());
    card().focus();
    store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings' } });
    await settle();
    (document.activeElement as HTMLElement | null)?.blur();
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(false);
  });

  test('no key that answers questions touches a permission', async () => {
    const bridge = new FakeBridge({
      requests: [aRequest({ questions: lone() })],
      approvals: [anApproval()],
    });
    const { user } = await openPage(bridge);
    const permission = document.querySelector<HTMLElement>('[data-approval="a1"][data-card]')!;
    for (const focus of [permission, within(permission).getByRole('button', { name: 'Deny with message' })]) {
      focus.focus();
      await user.keyboard('12nu{Control>}{Enter}{/Control}{Alt>}{ArrowRight}{/Alt}');
    }
    expect(screen.getAllByRole<HTMLInputElement>('radio').some(({ checked }) => checked)).toBe(false);
    const told = bridge.calls.filter(({ command }) => /answer|approval|question/.test(command));
    expect(told).toEqual([]);
    // Nor does a key in the card of the question, however it is pressed.
    card().focus();
    await user.keyboard('1{Enter}');
    expect(bridge.sent('decide_approval')).toEqual([]);
  });

  test('a missed question is answered by keys, but never quickly', async () => {
    const session = aSession({ resumable: true, state: { state: 'ended', end: { end: 'app_quit' }, at: 1 } });
    const state = ended({ outcome: 'orphaned', why: 'app_quit' });
    const bridge = new FakeBridge({ sessions: [session], requests: [aRequest({ questions: lone(), state })] });
    const { user } = await openPage(bridge);
    await user.click(within(panel()).getByText('Which way?'));
    radio('OAuth 2.0').focus();
    await user.keyboard('2');
    expect(radio('JWT').checked).toBe(true);
    expect(bridge.sent('hold_answer')).toEqual([]);
  });
});

describe('what the keys are', () => {
  test('? shows them all, with what they do', async () => {
    const { keys } = await open(lone());
    card().focus();
    await keys('?');
    await settle();
    const dialog = screen.getByRole('dialog', { name: 'Keys' });
    expect(within(dialog).getByText('1–9')).toBeVisible();
    expect(within(dialog).getByText('Ctrl+J')).toBeVisible();
    await expectNoViolations();
  });

  test('the footer fits what has the focus', async () => {
    const { keys, user } = await open(pair());
    const told = () =>
      [...(hints()?.children ?? [])].map((one) => one.textContent?.replace(/\s+/g, ' ').trim());
    expect(told()).toEqual([]);
    radio('JWT').focus();
    await settle();
    expect(told()).toEqual(['1–9 choose', '↑↓ move', 'Enter choose, go on', 'n note']);
    await keys('1');
    expect(told()).toEqual(['1–9 tick', '↑↓ move', 'Space tick this', 'Enter go on', 'n note']);
    await user.type(ownWords(), 'x');
    expect(told()).toEqual(['Enter go on', 'Shift+Enter new line', 'Esc leave the field']);
    await keys('{Enter}');
    expect(told()).toEqual(['Enter submit', 'Alt+←Alt+→ questions', '/ reply in chat']);
    await expectNoViolations();
    await user.click(composer());
    expect(told()).toEqual([]);
  });
});
