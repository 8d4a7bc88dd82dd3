import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { anApproval, aQuestion, aRequest, aSession, ended } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, expectNoViolations, openPage, ownAnswer, panel, radio, settle } from './open';
import { card, four, lone, openCard, pair, sentAnswers } from './openCard';

const hints = () => screen.queryByRole('list', { name: 'Shortcuts here' });

describe('digits', () => {
  test('case_18_a_digit_chooses_and_another_one_changes_the_choice', async () => {
    const { press, keys, bridge } = await openCard(lone(), { quickAnswer: 'off' });
    await press('2');
    expect(radio('JWT').checked).toBe(true);
    expect(radio('JWT')).toHaveFocus();
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(true);
    expect(radio('JWT').checked).toBe(false);
    expect(bridge.calls.filter(({ command }) => /answer/.test(command))).toEqual([]);
  });

  test('a digit toggles an option of a multiple-choice question and never advances', async () => {
    const { press } = await openCard([pair()[1]!]);
    await press('1', '2', '1');
    expect([checkbox('GitHub').checked, checkbox('Google').checked]).toEqual([false, true]);
    expect(checkbox('GitHub')).toHaveFocus();
  });

  test('the digit of Other focuses its field, where digits are text', async () => {
    const { press, keys, bridge } = await openCard(lone());
    await press('4');
    expect(radio('Other').checked).toBe(true);
    expect(ownAnswer()).toHaveFocus();
    await keys('2', '/', 'n', 'u', '?');
    expect(ownAnswer()).toHaveValue('2/nu?');
    expect(radio('Other').checked).toBe(true);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bridge.sent('hold_end')).toEqual([]);
  });

  test('a digit does nothing without an option, or on the summary', async () => {
    const { press, keys, bridge } = await openCard(pair());
    await press('9');
    expect(screen.getAllByRole<HTMLInputElement>('radio').filter(({ checked }) => checked)).toEqual([]);
    await keys('{Alt>}{ArrowRight}{/Alt}', '{Alt>}{ArrowRight}{/Alt}', '1');
    expect(within(panel()).getAllByText('Not answered')).toHaveLength(2);
    expect(bridge.sent('answer_question')).toEqual([]);
  });
});

test('every option shows its digit, including Other, except the tenth', async () => {
  const options = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'];
  const { press } = await openCard([aQuestion(1, { options })], { quickAnswer: 'off' });
  const shown = [...card().querySelectorAll('[data-option]')].map((row) => row.querySelector('.digit')?.textContent ?? '');
  expect(shown).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '']);
  await press('9');
  expect(radio('I').checked).toBe(true);
});

describe('advancing', () => {
  test('cost: four single-choice questions take four digits and one Enter', async () => {
    const { press, keys, bridge } = await openCard(four());
    const count = await press('1', '2', '3', '1');
    expect(sentAnswers(bridge)).toEqual([]);
    expect(count + (await keys('{Enter}'))).toBe(5);
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o1'] }, { chosen: ['q2o2'] }, { chosen: ['q3o3'] }, { chosen: ['q4o1'] }]]);
  });

  test('case_12_a_look_back_stays_until_the_user_goes_on', async () => {
    const { press, keys } = await openCard(four());
    await press('1', '{Alt>}{ArrowLeft}{/Alt}');
    expect(radio('Yes').checked).toBe(true);
    await keys('2');
    expect(radio('No').checked).toBe(true);
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
  });

  test('with auto-advance off, a digit only chooses', async () => {
    const { press, keys } = await openCard(four(), { autoAdvance: 'off' });
    await press('1');
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
  });

  test('case_13_the_last_answer_shows_the_summary_and_sends_nothing', async () => {
    const { press, bridge } = await openCard(four());
    await press('1', '1', '1', '1');
    expect(within(panel()).getByText('Your answers')).toBeVisible();
    expect(bridge.calls.filter(({ command }) => /answer/.test(command))).toEqual([]);
  });

  test('Enter chooses the focused option and advances', async () => {
    const { keys } = await openCard(pair());
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

  test('Enter on an option of a single question chooses it and sends it immediately', async () => {
    const { keys, bridge } = await openCard(lone());
    radio('OAuth 2.0').focus();
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o1'] }]]);
    expect(bridge.sent('hold_end')).toEqual([]);
  });

  test('Enter on Other without text focuses its field', async () => {
    const { keys, bridge } = await openCard(lone());
    radio('Other').focus();
    await keys('{Enter}');
    expect(ownAnswer()).toHaveFocus();
    await keys('mine', '{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ chosen: [], other: 'mine' }]]);
  });

  test('Ctrl+Enter submits from a field, and warns once about unanswered questions', async () => {
    const { press, keys, bridge } = await openCard(pair());
    await press('1');
    await userOf(ownAnswer(), keys);
    await keys('{Control>}{Enter}{/Control}');
    expect(sentAnswers(bridge)).toEqual([]);
    expect(screen.getByRole('alert')).toHaveTextContent('Not answered: Providers');
    await keys('{Control>}{Enter}{/Control}');
    expect(sentAnswers(bridge)).toMatchObject([[{ question: 'q1', chosen: ['q1o1'] }]]);
  });

  test('a second Enter on Submit sends without what is missing, and the sentence leads there', async () => {
    const { press, keys, user, bridge } = await openCard(pair());
    await press('1', '{Alt>}{ArrowRight}{/Alt}');
    expect(button(/^Submit/)).toHaveFocus();
    await keys('{Enter}');
    expect(screen.getByRole('alert')).toHaveTextContent('Not answered: Providers');
    await user.click(button('Go there'));
    expect(checkbox('GitHub')).toHaveFocus();
    await keys('{Alt>}{ArrowRight}{/Alt}');
    expect(button(/^Submit/)).toHaveFocus();
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toEqual([]);
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ question: 'q1', chosen: ['q1o1'] }]]);
  });

  test('Ctrl+Enter never sends if nothing is answered', async () => {
    const { press, bridge } = await openCard(lone());
    await press('{Control>}{Enter}{/Control}', '{Control>}{Enter}{/Control}');
    expect(screen.getByRole('alert')).toHaveTextContent('Choose an answer, or skip.');
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('a key that is held down advances once', async () => {
    const { user, bridge } = await openCard(four());
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
    const { keys, user, bridge } = await openCard(lone());
    await user.type(ownAnswer(), 'one');
    await fireEvent.compositionStart(ownAnswer());
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      const untouched = await fireEvent.keyDown(ownAnswer(), { key: 'Enter', ...init });
      expect(untouched).toBe(true);
    }
    await fireEvent.compositionEnd(ownAnswer());
    await settle();
    expect(sentAnswers(bridge)).toEqual([]);
    expect(ownAnswer()).toHaveFocus();
    await keys('{Shift>}{Enter}{/Shift}', 'two');
    expect(ownAnswer()).toHaveValue('one\ntwo');
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ other: 'one\ntwo' }]]);
  });

  test('case_16_esc_leaves_the_field_then_folds_the_panel_and_loses_nothing', async () => {
    const { keys, user, bridge } = await openCard(lone());
    await user.type(ownAnswer(), 'half a thought');
    await keys('{Escape}');
    expect(card()).toHaveFocus();
    await keys('{Escape}');
    expect(button('1 question, open the side')).toHaveFocus();
    await keys(' ');
    expect(ownAnswer()).toHaveValue('half a thought');
    expect(bridge.calls.filter(({ command }) => /question|answer/.test(command))).toEqual([]);
  });

  test('case_17_keys_in_the_composer_answer_nothing', async () => {
    const { keys, user, bridge } = await openCard(lone());
    await user.click(composer());
    await keys('1', '2', 'n', 'u', '/', '?', '{Escape}', '{Alt>}{ArrowRight}{/Alt}');
    expect(composer()).toHaveValue('12nu/?');
    expect(screen.getAllByRole<HTMLInputElement>('radio').some(({ checked }) => checked)).toBe(false);
    expect(bridge.sent('hold_end')).toEqual([]);
    expect(panel()).toBeVisible();
  });

  test('n opens the note of the focused option, and chooses it without advancing', async () => {
    const { keys, bridge } = await openCard(four());
    radio('No').focus();
    await keys('n');
    expect(radio('No').checked).toBe(true);
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveFocus();
    expect(panel()).toHaveTextContent('1 of 4');
    await keys('why', '{Enter}');
    expect(panel()).toHaveTextContent('2 of 4');
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('/ focuses the composer and types nothing', async () => {
    const { keys } = await openCard(lone());
    radio('JWT').focus();
    await keys('/');
    expect(composer()).toHaveFocus();
    expect(composer()).toHaveValue('');
  });
});

describe('where keys work', () => {
  test('case_103 without a focus, they belong to the panel while the user is there, and to the composer once they have left', async () => {
    const { keys, user, bridge } = await openCard(lone(), { quickAnswer: 'off' });
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(false);
    expect(composer()).toHaveValue('1');
    await user.click(within(card()).getByText('Which way?'));
    (document.activeElement as HTMLElement).blur();
    await keys('2');
    expect(radio('JWT').checked).toBe(true);
    await keys('{Enter}');
    await bridge.push({ change: 'request', request: aRequest({ id: 'r2', nativeRef: 'n9', questions: four() }) });
    (document.activeElement as HTMLElement).blur();
    await keys('1');
    expect(panel()).toHaveTextContent('2 of 4');
    expect(bridge.sent('answer_question')).toHaveLength(1);
    await user.click(composer());
    composer().blur();
    await keys('1', '3');
    expect(panel()).toHaveTextContent('2 of 4');
    expect(composer()).toHaveValue('113');
  });

  test('an open dialog receives all keys', async () => {
    const { keys, store } = await openCard(lone());
    card().focus();
    store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings' } });
    await settle();
    (document.activeElement as HTMLElement | null)?.blur();
    await keys('1');
    expect(radio('OAuth 2.0').checked).toBe(false);
  });

  test('no key that answers questions decides a permission request', async () => {
    const bridge = new FakeBridge({ requests: [aRequest({ questions: lone() })], approvals: [anApproval()] });
    const { user } = await openPage(bridge);
    await user.click(screen.getByRole('button', { name: 'Permission' }));
    const permission = document.querySelector<HTMLElement>('[data-approval="a1"][data-card]')!;
    for (const focus of [permission, within(permission).getByRole('button', { name: 'Deny' })]) {
      focus.focus();
      await user.keyboard('12nu{Control>}{Enter}{/Control}{Alt>}{ArrowRight}{/Alt}');
    }
    const told = bridge.calls.filter(({ command }) => /answer|approval|question/.test(command));
    expect(told).toEqual([]);
    await user.click(screen.getByRole('button', { name: /^Question / }));
    expect(screen.getAllByRole<HTMLInputElement>('radio').some(({ checked }) => checked)).toBe(false);
    card().focus();
    await user.keyboard('1{Enter}');
    expect(bridge.sent('decide_approval')).toEqual([]);
  });

  test('keys choose an answer to a missed question, without a quick answer', async () => {
    const session = aSession({ resumable: true, state: { state: 'ended', end: { end: 'app_quit' }, at: 1 } });
    const state = ended({ outcome: 'orphaned', why: 'app_quit' });
    const bridge = new FakeBridge({ sessions: [session], requests: [aRequest({ questions: lone(), state })] });
    const { user } = await openPage(bridge);
    await user.click(within(panel()).getByText('Which way?'));
    radio('OAuth 2.0').focus();
    await user.keyboard('2');
    expect(radio('JWT').checked).toBe(true);
    expect(bridge.sent('hold_end')).toEqual([]);
  });
});

describe('the list of keys', () => {
  test('? shows all keys', async () => {
    const { press } = await openCard(lone());
    await press('?');
    await settle();
    const dialog = screen.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(within(dialog).getByText('1–9')).toBeVisible();
    expect(within(dialog).getByText('Ctrl+J')).toBeVisible();
    await expectNoViolations();
  });

  test('the footer shows the keys of the focused element', async () => {
    const { keys, user } = await openCard(pair());
    const told = () => [...(hints()?.children ?? [])].map((one) => one.textContent?.replace(/\s+/g, ' ').trim());
    const elsewhere = ['F6 to the question', 'Ctrl+J next request'];
    expect(told()).toEqual(elsewhere);
    radio('JWT').focus();
    await settle();
    expect(told()).toEqual(['1–3 choose', '↑↓ move', 'Enter choose and continue', 'n note']);
    await keys('1');
    expect(told()).toEqual(['1–3 select', '↑↓ move', 'Space select this', 'Enter continue', 'n note']);
    await user.type(ownAnswer(), 'x');
    expect(told()).toEqual(['Enter continue', 'Shift+Enter new line', 'Esc leave field']);
    await keys('{Enter}');
    expect(told()).toEqual(['Enter submit', 'Alt+←Alt+→ switch question', '/ reply in chat']);
    await expectNoViolations();
    await user.click(composer());
    expect(told()).toEqual(elsewhere);
  });
});
