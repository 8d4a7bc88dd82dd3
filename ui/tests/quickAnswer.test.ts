import { screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import { aRequest, ended, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, ownAnswer, panel, radio, skippableTime, skipWithMessage, texts } from './open';
import { card, checkKeys, chose, holding, type KeyCase, lone, openCard, pair, sentAnswers } from './openCard';

skippableTime();

test('cost: one key answers a single question', async () => {
  const { press, pass, bridge } = await openCard(lone());
  await press('2');
  expect(bridge.sent('hold_end')).toMatchObject([{ id: 'r1', end: chose('q1o2') }]);
  expect(sentAnswers(bridge)).toEqual([]);
  // On a busy machine the three seconds may be over by now; what is announced stays.
  expect(panel()).toHaveTextContent(/JWT · sends in 3 s|Sending “JWT” in 3 seconds/);
  await pass();
  expect(panel()).toHaveTextContent('Sent, waiting for the agent');
  expect(panel()).not.toHaveTextContent('sends in');
});

const note = () => screen.getByRole('textbox', { name: 'Note' });

test.each<[string, KeyCase]>([
  [
    'with quick answers off, it takes a digit and Enter',
    { of: lone(), with: { quickAnswer: 'off' }, keys: ['2', '{Enter}'], sends: [[{ question: 'q1', chosen: ['q1o2'] }]] },
  ],
  ['Enter sends it immediately', { of: lone(), keys: ['3', '{Enter}'], holds: [chose('q1o3')], sends: [[{ chosen: ['q1o3'] }]] }],
  ['another digit replaces it', { of: lone(), keys: ['1', '3'], holds: [chose('q1o1'), chose('q1o3')], chosen: ['q1o3'] }],
  ['of two digits pressed at once, the second wins', { of: lone(), keys: ['13'], holds: [chose('q1o1'), chose('q1o3')], chosen: ['q1o3'] }],
  ['a multiple-choice question has none', { of: [pair()[1]!], keys: ['1'], chosen: ['q2o1'] }],
  ['the mouse, Space, and arrow keys give none', { of: lone(), click: () => radio('JWT'), keys: ['{ArrowDown}', ' '], chosen: ['q1o3'] }],
  [
    'a digit only chooses if the question has typed text',
    { of: lone(), from: ownAnswer, keys: ['a thought', '{Escape}', '1'], chosen: ['q1o1'], fields: [[ownAnswer, 'a thought']] },
  ],
  ['a note has the focus', { of: lone(), keys: ['2', 'n'], holds: [chose('q1o2')], focus: note }],
  [
    'a note is sent with the choice',
    { of: lone(), keys: ['2', 'n', 'x', '{Enter}'], holds: [chose('q1o2')], sends: [[{ chosen: ['q1o2'], note: 'x' }]] },
  ],
])('%s', async (_, tried) => {
  await checkKeys(tried);
});

test('case_52_undo_in_time_sends_nothing_and_unmakes_the_choice', async () => {
  const { press, keys, pass, bridge } = await openCard(lone());
  await press('2', 'u');
  expect(bridge.sent('undo_end')).toMatchObject([{ id: 'r1' }]);
  expect(radio('JWT').checked).toBe(false);
  expect(panel()).not.toHaveTextContent('sends in');
  await pass();
  expect(bridge.request('r1').state).toEqual({ state: 'open' });
  expect(sentAnswers(bridge)).toEqual([]);
  // The same key answers again.
  await keys('2');
  expect(bridge.sent('hold_end')).toHaveLength(2);
});

test('a screen reader announces once that an answer will be sent, and that it was undone', async () => {
  const { keys } = await openCard(lone());
  card().focus();
  const status = () => texts(within(card()).getAllByRole('status'));
  expect(status()).toEqual(['']);
  await keys('2');
  expect(status()).toEqual(['Sending “JWT” in 3 seconds. Press u to undo.']);
  await vi.advanceTimersByTimeAsync(1100);
  expect(status()).toEqual(['Sending “JWT” in 3 seconds. Press u to undo.']);
  await keys('u');
  expect(status()).toEqual(['Undone. Nothing was sent.']);
});

test('a click replaces an undoable answer, and neither is sent', async () => {
  const { press, user, bridge } = await openCard(lone());
  await press('1');
  await user.click(radio('JWT'));
  expect(bridge.snapshot.held).toEqual([]);
  expect(radio('JWT').checked).toBe(true);
  expect(sentAnswers(bridge)).toEqual([]);
});

test('starting a note undoes the answer and keeps the choice', async () => {
  const { bridge } = await checkKeys({ of: lone(), keys: ['2', 'n', 'x'], holds: [chose('q1o2')], chosen: ['q1o2'] });
  expect(bridge.snapshot.held).toEqual([]);
});

test('opening the form to skip with a message undoes the answer, and no key answers while the form is open', async () => {
  const { press, keys, user, bridge } = await openCard(lone());
  await press('2');
  await skipWithMessage(user);
  expect(bridge.snapshot.held).toEqual([]);
  expect(radio('JWT').checked).toBe(false);
  const field = screen.getByRole('textbox', { name: 'Message to the agent (optional)' });
  field.focus();
  await keys('no');
  radio('JWT').focus();
  await keys('2', '{Enter}', '{Control>}{Enter}{/Control}');
  expect(bridge.sent('hold_end')).toHaveLength(1);
  expect(sentAnswers(bridge)).toEqual([]);
  field.focus();
  await keys('{Control>}{Enter}{/Control}');
  expect(bridge.sent('hold_end').at(-1)).toMatchObject({ end: { end: 'declined', words: 'no' } });
});

test('a page loaded during the undo time shows the answer and can undo it', async () => {
  const bridge = new FakeBridge({ requests: [aRequest({ questions: lone() })], held: [holding({ end: chose('q1o2') })] });
  bridge.on('undo_end', ({ id }) => {
    bridge.push({ change: 'hold_released', request: id });
    return {};
  });
  const { user } = await openPage(bridge);
  expect(panel()).toHaveTextContent(/sends in [23] s/);
  expect(radio('JWT').checked).toBe(true);
  await user.click(button(/^Undo/));
  expect(radio('JWT').checked).toBe(false);
});

test('an answer that could not be sent says why, and can be sent or undone', async () => {
  const { press, keys, bridge } = await openCard(lone());
  await press('2');
  const held = { ...bridge.snapshot.held[0]!, error: { undelivered: 'not_kept', trouble: 'full', path: '/desk.db' } as const };
  await bridge.push({ change: 'end_held', held });
  expect(within(panel()).getByRole('alert')).toHaveTextContent('Couldn’t send: the disk is full; free up space');
  await keys('{Enter}');
  expect(sentAnswers(bridge)).toMatchObject([[{ chosen: ['q1o2'] }]]);
});

test('a rejected quick answer shows an error and stays chosen', async () => {
  const { press, bridge } = await openCard(lone());
  bridge.fail('hold_end', { code: 'closing' });
  await press('2');
  expect(within(panel()).getByRole('alert')).toBeVisible();
  expect(radio('JWT').checked).toBe(true);
});

test('case_103 the keyboard stays in the panel once the undo time has passed', async () => {
  const { press, pass, user } = await openCard(lone());
  await user.click(composer());
  await press('2');
  await pass();
  expect(panel()).toHaveFocus();
});

test('the focus does not move when the agent withdraws a question whose answer was undone', async () => {
  const { press, bridge, user } = await openCard(lone());
  await user.click(composer());
  await press('2', 'u');
  await bridge.push({ change: 'request', request: aRequest({ questions: lone(), state: ended(withdrawn()) }) });
  expect(panel().querySelector('[data-card]')).toBeNull();
  expect(document.body).toHaveFocus();
});
