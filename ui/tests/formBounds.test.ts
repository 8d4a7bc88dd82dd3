import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import cases from '../../src-tauri/crates/domain/src/answer_bounds.json';
import { emptyDraft } from '../src/entities/request/answerDraft';
import { textOfDraft } from '../src/entities/request/answerLines';
import type { AnswerBounds } from '../src/generated/wire';
import { allows, lineOfBounds, wordsOfBounds } from '../src/shared/answerBounds';
import { wordsOfValidationError } from '../src/shared/errors/validationErrorWords';
import { storedDraft } from '../src/store/draftStorage';
import { aQuestion, aRequest } from '../src/testing/builders';
import { button, expectNoViolations } from './open';
import { card, openCard, sentAnswers } from './openCard';

const limit = (value: number, exclusive = false) => ({ value, exclusive });
const two9: AnswerBounds = { bounds: 'number', whole: true, min: limit(2), max: limit(9) };

const text = (place: number, bounds: AnswerBounds, filled?: string) =>
  aQuestion(place, {
    kind: 'text',
    options: [],
    allowsOther: false,
    bounds,
    ...(filled === undefined ? {} : { default: { chosen: [], other: filled } }),
  });

const field = () => within(card()).getByRole('textbox');
const submit = () => within(card()).getByRole('button', { name: /^Submit/ });
const next = () => within(card()).getByRole('button', { name: /^Next/ });

test('case 141: the page takes and refuses the answers that the app does', () => {
  for (const { bounds, fits, fails } of cases) {
    const takes = (given: string | number) => {
      const words = typeof given === 'string' ? given : null;
      return allows(bounds as AnswerBounds, typeof given === 'number' ? given : 0, words);
    };
    for (const given of fits) expect(takes(given), `${given} is refused by ${JSON.stringify(bounds)}`).toBe(true);
    for (const given of fails) expect(takes(given), `${given} is taken by ${JSON.stringify(bounds)}`).toBe(false);
  }
});

const words: [AnswerBounds, string][] = [
  [two9, 'A whole number, 2–9'],
  [{ ...two9, whole: false, min: limit(0.5, true), max: limit(1000, true) }, 'A number, more than 0.5, less than 1000'],
  [{ ...two9, min: null, max: null }, 'A whole number'],
  [{ bounds: 'text', min: null, max: 20, format: 'email' }, 'An email address, at most 20 characters'],
  [{ bounds: 'text', min: 3, max: 5, format: null }, '3–5 characters'],
  [{ bounds: 'text', min: 1, max: null, format: null }, 'At least 1 character'],
  [{ bounds: 'options', min: 2, max: 2 }, '2 options'],
];

test.each(words)('case 141: %o is said as %s', (bounds, line) => {
  expect(lineOfBounds(bounds)).toBe(line);
  expect(wordsOfValidationError({ validation: 'out_of_bounds', bounds })).toBe(`this needs ${wordsOfBounds(bounds)}`);
});

describe('case 141: a form', () => {
  test('shows what it demands, refuses what does not fit, and sends what was corrected', async () => {
    const { bridge, user } = await openCard([text(1, two9)]);
    expect(field()).toHaveAccessibleDescription('A whole number, 2–9');
    await user.type(field(), '23');
    await user.click(submit());
    expect(within(card()).getByRole('alert')).toHaveTextContent('That doesn’t fit. This needs a whole number, 2–9.');
    expect(field()).toHaveFocus();
    expect(sentAnswers(bridge)).toEqual([]);
    await expectNoViolations(card());
    await user.clear(field());
    await user.type(field(), '9');
    expect(within(card()).queryByRole('alert')).toBeNull();
    await user.click(submit());
    expect(sentAnswers(bridge)).toEqual([[{ question: 'q1', chosen: [], other: '9', note: null }]]);
  });

  test('checks before Next, and Submit goes to what does not fit', async () => {
    const { bridge, user } = await openCard([text(1, { bounds: 'text', min: null, max: null, format: 'email' }), text(2, two9)]);
    await user.type(field(), 'foo');
    await user.click(next());
    expect(within(card()).getByRole('alert')).toHaveTextContent('This needs an email address.');
    expect(field()).toHaveValue('foo');
    await user.type(field(), '@example.org');
    await user.click(next());
    await user.type(field(), '1');
    await user.click(button('Summary'));
    await user.click(submit());
    expect(within(card()).getByRole('alert')).toHaveTextContent('This needs a whole number, 2–9.');
    expect(field()).toHaveValue('1');
    expect(sentAnswers(bridge)).toEqual([]);
  });

  test('demands as many options as it says', async () => {
    const { bridge, user } = await openCard([
      aQuestion(1, { kind: 'multi', options: ['A', 'B', 'C'], allowsOther: false, bounds: { bounds: 'options', min: 2, max: null } }),
    ]);
    expect(within(card()).getByRole('group')).toHaveAccessibleDescription('At least 2 options');
    await user.click(screen.getByRole('checkbox', { name: 'A' }));
    await user.click(submit());
    expect(within(card()).getByRole('alert')).toHaveTextContent('This needs at least 2 options.');
    await user.click(screen.getByRole('checkbox', { name: 'C' }));
    await user.click(submit());
    expect(sentAnswers(bridge)).toEqual([[{ question: 'q1', chosen: ['q1o1', 'q1o3'], other: null, note: null }]]);
  });

  const chosen = (kind: 'single' | 'multi' | 'confirm') =>
    aQuestion(1, { kind, options: ['A', 'B'], allowsOther: false, default: { chosen: ['q1o2'], other: null } });

  test.each([
    ['one choice', chosen('single'), 'radio', 'B'],
    ['several choices', chosen('multi'), 'checkbox', 'B'],
    ['yes or no', chosen('confirm'), 'radio', 'No'],
  ] as const)('is filled in: %s', async (_, question, role, name) => {
    const { bridge, user } = await openCard([question]);
    const option = within(card()).getByRole(role, { name });
    expect(option).toBeChecked();
    expect(option).toHaveAccessibleDescription('Default');
    await user.click(submit());
    expect(sentAnswers(bridge)).toEqual([[{ question: 'q1', chosen: ['q1o2'], other: null, note: null }]]);
  });

  test('is filled in with a text, which is marked until it is changed', async () => {
    const { bridge, user } = await openCard([text(1, two9, '4')]);
    expect(field()).toHaveValue('4');
    expect(field()).toHaveAccessibleDescription('A whole number, 2–9 Default');
    await user.type(field(), '0');
    expect(field()).toHaveAccessibleDescription('A whole number, 2–9');
    await user.type(field(), '{Backspace}');
    await user.click(submit());
    expect(sentAnswers(bridge)).toEqual([[{ question: 'q1', chosen: [], other: '4', note: null }]]);
  });

  test('stays empty where the user cleared what it was filled in with', async () => {
    const { bridge, user, store } = await openCard([text(1, two9, '4')]);
    await user.clear(field());
    expect(field()).toHaveValue('');
    await user.click(submit());
    expect(within(card()).getByRole('alert')).toHaveTextContent('Write an answer, or skip.');
    expect(sentAnswers(bridge)).toEqual([]);
    const stored = storedDraft(store.state, 'r1');
    expect(stored?.of === 'request' && stored.draft.answers).toMatchObject([{ question: 'q1', other: '' }]);
  });

  test('passes none that is filled in unseen', async () => {
    const first = aQuestion(1, { options: ['A', 'B'] });
    const { user } = await openCard([first, text(2, two9, '4'), text(3, two9)]);
    await user.click(screen.getByRole('radio', { name: 'A' }));
    expect(field()).toHaveValue('4');
  });

  test('what it is filled in with is nobody’s draft', () => {
    const request = aRequest({ questions: [text(1, two9, '4')] });
    expect(textOfDraft(request, emptyDraft)).toBe('');
  });
});
