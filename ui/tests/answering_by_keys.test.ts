import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { aQuestion, aRequest, aSession, ended } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, expectNoViolations, openPage, ownAnswer, panel, radio, settle } from './open';
import { card, checkKeys, four, type KeyCase, lone, openCard, pair, sentAnswers } from './openCard';

const on = (keys: string) => `{Alt>}{${keys}}{/Alt}`;
const SUBMIT = '{Control>}{Enter}{/Control}';
const note = () => screen.getByRole('textbox', { name: 'Note' });

describe('a key', () => {
  const ten = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'];
  const own = 'half a thought';

  test.each<[string, KeyCase]>([
    [
      'case_18_a_digit_chooses_and_another_one_changes_the_choice',
      { of: lone(), with: { quickAnswer: 'off' }, keys: ['2', '1'], chosen: ['q1o1'], focus: () => radio('OAuth 2.0') },
    ],
    [
      'a digit toggles an option of a multiple-choice question and never advances',
      { of: [pair()[1]!], keys: ['1', '2', '1'], chosen: ['q2o2'], focus: () => checkbox('GitHub') },
    ],
    [
      'the digit of Other focuses its field, where digits are text',
      { of: lone(), keys: ['4', '2', '/', 'n', 'u', '?'], chosen: ['other'], focus: ownAnswer, fields: [[ownAnswer, '2/nu?']] },
    ],
    ['a digit does nothing without an option', { of: pair(), keys: ['9'], chosen: [] }],
    [
      'a digit does nothing on the summary',
      { of: pair(), keys: [on('ArrowRight'), on('ArrowRight'), '1'], says: [/Not answered.*Not answered/] },
    ],
    [
      'the ninth of ten options has a digit',
      { of: [aQuestion(1, { options: ten })], with: { quickAnswer: 'off' }, keys: ['9'], chosen: ['q1o9'] },
    ],
    ['case_12_a_look_back_stays', { of: four(), keys: ['1', on('ArrowLeft'), '2'], chosen: ['q1o2'], says: ['1 of 4'] }],
    ['case_12_until_the_user_goes_on', { of: four(), keys: ['1', on('ArrowLeft'), '2', '{Enter}'], says: ['2 of 4'] }],
    ['with auto-advance off, a digit only chooses', { of: four(), with: { autoAdvance: 'off' }, keys: ['1'], says: ['1 of 4'] }],
    ['with auto-advance off, Enter advances', { of: four(), with: { autoAdvance: 'off' }, keys: ['1', '{Enter}'], says: ['2 of 4'] }],
    ['case_13_the_last_answer_shows_the_summary_and_sends_nothing', { of: four(), keys: ['1', '1', '1', '1'], says: ['Your answers'] }],
    [
      'Enter chooses the focused option and advances',
      { of: pair(), from: () => radio('OAuth 2.0'), keys: ['{Enter}'], focus: () => checkbox('GitHub') },
    ],
    [
      'arrow keys move between the options of multiple choice, which Space chooses',
      {
        of: pair(),
        from: () => radio('OAuth 2.0'),
        keys: ['{Enter}', '{ArrowDown}', '{ArrowDown}', '{ArrowDown}', '{ArrowUp}', '{ArrowUp}', ' ', '{Enter}'],
        focus: () => button('Submit'),
        says: [/Method\s*OAuth 2\.0/, /Providers\s*Google/],
      },
    ],
    [
      'Enter on an option of a single question chooses it and sends it immediately',
      { of: lone(), from: () => radio('OAuth 2.0'), keys: ['{Enter}'], sends: [[{ chosen: ['q1o1'] }]] },
    ],
    [
      'Enter on Other without text focuses its field, and sends its text',
      { of: lone(), from: () => radio('Other'), keys: ['{Enter}', 'mine', '{Enter}'], sends: [[{ chosen: [], other: 'mine' }]] },
    ],
    [
      'Ctrl+Enter submits from a field, and warns',
      { of: pair(), keys: ['1', '3', 'x', SUBMIT, SUBMIT], sends: [[{ chosen: ['q1o1'] }, { other: 'x' }]] },
    ],
    ['Ctrl+Enter warns once about unanswered questions', { of: pair(), keys: ['1', SUBMIT], says: ['Not answered: Providers'] }],
    ['Ctrl+Enter then sends the rest', { of: pair(), keys: ['1', SUBMIT, SUBMIT], sends: [[{ question: 'q1', chosen: ['q1o1'] }]] }],
    ['Ctrl+Enter never sends if nothing is answered', { of: lone(), keys: [SUBMIT, SUBMIT], says: ['Choose an answer, or skip.'] }],
    ['Enter that is held down advances once', { of: four(), from: () => radio('Yes'), keys: ['{Enter>8/}'], says: ['2 of 4'] }],
    ['a digit that is held down advances once', { of: four(), keys: ['{1>8/}'], says: ['2 of 4'] }],
    [
      'n opens the note of the focused option, and chooses it without advancing',
      { of: four(), from: () => radio('No'), keys: ['n'], chosen: ['q1o2'], focus: note, says: ['1 of 4'] },
    ],
    ['Enter in a note advances', { of: four(), from: () => radio('No'), keys: ['n', 'why', '{Enter}'], says: ['2 of 4'] }],
    [
      '/ focuses the composer and types nothing',
      { of: lone(), from: () => radio('JWT'), keys: ['/'], focus: composer, fields: [[composer, '']] },
    ],
    ['case_16_esc_leaves_the_field', { of: lone(), from: ownAnswer, keys: [own, '{Escape}'], focus: card }],
    [
      'case_16_esc_then_folds_the_panel',
      { of: lone(), from: ownAnswer, keys: [own, '{Escape}', '{Escape}'], focus: () => button('1 question, open the side') },
    ],
    ['case_16_and_loses_nothing', { of: lone(), from: ownAnswer, keys: [own, '{Escape}', '{Escape}', ' '], fields: [[ownAnswer, own]] }],
    [
      'case_17_in_the_composer_answers_nothing',
      {
        of: lone(),
        from: composer,
        keys: ['1', '2', 'n', 'u', '/', '?', '{Escape}', on('ArrowRight')],
        chosen: [],
        fields: [[composer, '12nu/?']],
      },
    ],
  ])('%s', async (_, tried) => {
    await checkKeys(tried);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('every option shows its digit, including Other, except the tenth', async () => {
    await openCard([aQuestion(1, { options: ten })]);
    const shown = [...card().querySelectorAll('[data-option]')].map((row) => row.querySelector('.digit')?.textContent ?? '');
    expect(shown).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '']);
  });

  test('cost: four single-choice questions take four digits and one Enter', async () => {
    const keys = ['1', '2', '3', '1', '{Enter}'];
    const sends = [['q1o1', 'q2o2', 'q3o3', 'q4o1'].map((chosen) => ({ chosen: [chosen] }))];
    await checkKeys({ of: four(), keys, sends });
  });

  test('a second Enter on Submit sends without what is missing, and the sentence leads there', async () => {
    const { keys, user, bridge } = await checkKeys({ of: pair(), keys: ['1', on('ArrowRight')], focus: () => button(/^Submit/) });
    await keys('{Enter}');
    expect(screen.getByRole('alert')).toHaveTextContent('Not answered: Providers');
    await user.click(button('Go there'));
    expect(checkbox('GitHub')).toHaveFocus();
    await keys(on('ArrowRight'), '{Enter}');
    expect(sentAnswers(bridge)).toEqual([]);
    await keys('{Enter}');
    expect(sentAnswers(bridge)).toMatchObject([[{ question: 'q1', chosen: ['q1o1'] }]]);
  });
});

test('case_15_Enter_goes_on_Shift_Enter_adds_a_line_and_composing_does_neither', async () => {
  const { keys, user, bridge } = await openCard(lone());
  await user.type(ownAnswer(), 'one');
  await fireEvent.compositionStart(ownAnswer());
  for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
    expect(await fireEvent.keyDown(ownAnswer(), { key: 'Enter', ...init })).toBe(true);
  }
  await fireEvent.compositionEnd(ownAnswer());
  await settle();
  expect(sentAnswers(bridge)).toEqual([]);
  expect(ownAnswer()).toHaveFocus();
  await keys('{Shift>}{Enter}{/Shift}', 'two', '{Enter}');
  expect(sentAnswers(bridge)).toMatchObject([[{ other: 'one\ntwo' }]]);
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

  test('keys choose an answer to a missed question, without a quick answer', async () => {
    const session = aSession({ resumable: true, state: { state: 'ended', end: { end: 'app_quit' }, at: 1 } });
    const state = ended({ outcome: 'orphaned', why: 'app_quit' });
    const { bridge, user } = await openPage(new FakeBridge({ sessions: [session], requests: [aRequest({ questions: lone(), state })] }));
    await user.click(within(panel()).getByText('Which way?'));
    radio('OAuth 2.0').focus();
    await user.keyboard('2');
    expect(radio('JWT').checked).toBe(true);
    expect(bridge.sent('hold_end')).toEqual([]);
  });
});

test('? shows all keys', async () => {
  const { press } = await openCard(lone());
  await press('?');
  const dialog = screen.getByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(within(dialog).getByText('1–9')).toBeVisible();
  expect(within(dialog).getByText('Ctrl+J')).toBeVisible();
  await expectNoViolations();
});
