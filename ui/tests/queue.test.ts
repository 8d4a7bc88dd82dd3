import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Session } from '../src/generated/wire';
import { aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const queue = () => screen.getByRole('region', { name: 'Queued messages' });
const messages = (...texts: string[]) => texts.map((text, index) => ({ id: `m${index + 1}`, text, attachments: [] }));

const withQueue = (texts: string[], changes: Partial<Session> = {}) =>
  new FakeBridge({ sessions: [aSession({ queue: messages(...texts), ...changes })] });

describe('the composer while the agent works', () => {
  test('queues the message, and its button says so', async () => {
    const { bridge, user } = await openPage(new FakeBridge().on('queue_message', () => aSession()));
    expect(screen.queryByRole('button', { name: 'Send' })).toBeNull();
    await user.type(composer(), 'then add tests');
    await user.click(button('Queue'));
    expect(bridge.sent('queue_message')).toMatchObject([{ session: 's1', text: 'then add tests' }]);
    expect(bridge.sent('send_message')).toEqual([]);
    expect(composer()).toHaveValue('');
  });

  test('sends it into the running turn by Alt+Enter or the button beside, and leaves questions open', async () => {
    const bridge = new FakeBridge().on('send_message', () => ({}));
    const { user } = await openPage(bridge);
    expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull();
    await user.type(composer(), 'not that file');
    await expectNoViolations();
    await user.keyboard('{Alt>}{Enter}{/Alt}');
    await user.type(composer(), 'the other one');
    await user.click(button('Send now'));
    expect(bridge.sent('send_message')).toMatchObject([
      { text: 'not that file', closes: [] },
      { text: 'the other one', closes: [] },
    ]);
    expect(bridge.sent('queue_message')).toEqual([]);
    expect(composer()).toHaveValue('');
  });

  test('an idle agent has no turn to send it into', async () => {
    const bridge = new FakeBridge({ sessions: [aSession({ state: { state: 'idle' } })] });
    const { user } = await openPage(bridge);
    await user.type(composer(), 'hello{Alt>}{Enter}{/Alt}');
    expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull();
    expect(bridge.sent('send_message')).toEqual([]);
    expect(composer()).toHaveValue('hello');
  });

  test('keeps the message if it can’t be queued', async () => {
    const bridge = new FakeBridge().fail('queue_message', { code: 'invalid', message: 'queue: at most 64 messages wait' });
    const { user } = await openPage(bridge);
    await user.type(composer(), 'one more{Enter}');
    expect(screen.getByRole('alert')).toHaveTextContent('at most 64 messages wait');
    expect(composer()).toHaveValue('one more');
  });
});

describe('a queued message', () => {
  test('is listed in order above the composer', async () => {
    await openPage(withQueue(['first', 'second']));
    const items = within(queue()).getAllByRole('listitem');
    expect(items.map((item) => item.querySelector('.text')?.textContent)).toEqual(['first', 'second']);
    expect(queue()).toHaveTextContent('Open questions stay open');
  });

  test('can be edited, and the focus returns', async () => {
    const bridge = withQueue(['first', 'second']).on('edit_queued', () => aSession());
    const { user } = await openPage(bridge);
    await user.click(button('Edit message 2'));
    const field = screen.getByRole('textbox', { name: 'Queued message 2' });
    expect(field).toHaveFocus();
    await user.type(field, ', but better{Enter}');
    expect(bridge.sent('edit_queued')).toMatchObject([{ session: 's1', id: 'm2', text: 'second, but better' }]);
    expect(button('Edit message 2')).toHaveFocus();
  });

  test('can be removed, or sent immediately', async () => {
    const bridge = withQueue(['first', 'second']).on('remove_queued', () => aSession());
    const { user } = await openPage(bridge);
    await user.click(button('Remove message 1'));
    await user.click(button('Send now: message 2'));
    expect(bridge.sent('remove_queued')).toMatchObject([{ session: 's1', id: 'm1' }]);
    expect(bridge.sent('send_queued')).toMatchObject([{ session: 's1', id: 'm2' }]);
  });

  test('a double click sends one message, not also the one that takes its place', async () => {
    const bridge = withQueue(['one', 'two'], { state: { state: 'idle' } });
    bridge.on('send_queued', () => {
      void bridge.push({ change: 'session', session: aSession({ queue: messages('one', 'two').slice(1) }) });
      return {};
    });
    const { user } = await openPage(bridge);
    await user.click(button('Send now: message 1'));
    await fireEvent.click(button('Send now: message 1'), { detail: 2 });
    expect(bridge.sent('send_queued')).toMatchObject([{ id: 'm1' }]);
    await user.click(button('Send now: message 1'));
    expect(bridge.sent('send_queued')).toHaveLength(2);
  });

  test('isn’t sent while a question is open', async () => {
    const bridge = withQueue(['first']);
    bridge.snapshot = { ...bridge.snapshot, requests: [aRequest()] };
    await openPage(bridge);
    expect(button('Send now: message 1')).toBeDisabled();
  });

  test('stays visible when the session has ended', async () => {
    const state = { state: 'ended', end: { end: 'app_quit' }, at: 1 } as const;
    await openPage(withQueue(['first'], { state }));
    expect(queue()).toHaveTextContent('On hold: this session has ended.');
    expect(within(queue()).getByText('first')).toBeVisible();
    expect(button('Send now: message 1')).toBeDisabled();
  });

  test('that is sent during an edit leaves the edit in the composer', async () => {
    const { bridge, user } = await openPage(withQueue(['first']));
    await user.click(button('Edit message 1'));
    await user.type(screen.getByRole('textbox', { name: 'Queued message 1' }), ' and more');
    await bridge.push({ change: 'session', session: aSession({ queue: [] }) });
    expect(composer()).toHaveValue('first and more');
  });
});
