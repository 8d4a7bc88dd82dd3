import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { button, expectNoViolations, panel, radio, skipWithMessage } from './open';
import { four, lone, openCard, pair } from './openCard';

test('case 104: a skip waits for the undo window, says so, and can be undone by the button or by u', async () => {
  const { user, bridge, press } = await openCard(lone());
  await user.click(button('Skip'));
  expect(bridge.sent('hold_end')).toMatchObject([{ id: 'r1', end: { end: 'canceled' } }]);
  expect(panel()).toHaveTextContent(/Skips in [23] s/);
  await user.click(button(/^Undo/));
  expect(bridge.sent('undo_end')).toHaveLength(1);
  expect(panel()).not.toHaveTextContent('Skips in');

  await user.click(button('Skip'));
  await press('u');
  expect(bridge.sent('undo_end')).toHaveLength(2);
  expect(bridge.sent('cancel_question')).toEqual([]);
  expect(bridge.request('r1').state.state).toBe('open');
});

test('case 104: skipping again skips at once', async () => {
  const { user, bridge } = await openCard(lone());
  await user.click(button('Skip'));
  await user.click(button('Skip now'));
  expect(bridge.sent('cancel_question')).toMatchObject([{ id: 'r1' }]);
});

test('case 104: who answers while a skip waits takes the skip back', async () => {
  const { user, bridge } = await openCard(pair());
  await user.click(button('Skip all'));
  await user.click(radio('JWT'));
  expect(bridge.sent('undo_end')).toHaveLength(1);
  expect(bridge.request('r1').state.state).toBe('open');
});

test('case 104: a message to skip with can be changed while it waits, and nothing of it is lost', async () => {
  const { user, bridge } = await openCard(lone());
  await skipWithMessage(user);
  const field = screen.getByRole('textbox', { name: 'Message to the agent (optional)' });
  await user.type(field, 'Not now');
  await expectNoViolations();
  await user.click(button('Skip'));
  expect(bridge.sent('hold_end')).toMatchObject([{ end: { end: 'declined', words: 'Not now' } }]);
  await user.type(field, ', later');
  expect(bridge.sent('undo_end')).toHaveLength(1);
  expect(field).toHaveValue('Not now, later');
});

test('a double click on Skip only skips, with its undo', async () => {
  const { user, bridge } = await openCard(lone());
  await user.dblClick(button('Skip'));
  expect(button('Skip now')).toBeEnabled();
  expect(bridge.sent('hold_end')).toHaveLength(1);
  expect(bridge.sent('cancel_question')).toEqual([]);
});

test('a double click on Next or Back goes one question on or back', async () => {
  const { user, store } = await openCard(four());
  await user.dblClick(button(/^Next/));
  expect(store.state.drafts['r1']?.active).toBe(1);
  await user.click(button(/^Next/));
  await user.dblClick(button('Back'));
  expect(store.state.drafts['r1']?.active).toBe(1);
});
