import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { distinctInitials, initialsOf } from '../src/feature/sessions/rowWords';
import { aRequest, anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage, skippableTime } from './open';
import { matchingMedia } from './jsdom';

const sessions = [aSession({ name: 'shop-api' }), aSession({ id: 's2', name: 'web', place: 1, state: { state: 'idle' } })];
const drawer = () => screen.queryByRole('dialog', { name: 'Sessions' });

async function openNarrow() {
  matchingMedia.add('(width < 900px)');
  return openPage(new FakeBridge({ sessions, requests: [aRequest()] }));
}

describe('in a narrow window', () => {
  test('a rail of icons has names, states, and the number of requests', async () => {
    const { user, store } = await openNarrow();
    const rail = within(screen.getByRole('navigation', { name: 'Sessions' }));
    const names = rail.getAllByRole('button').map((one) => one.getAttribute('aria-label') ?? one.textContent?.replace(/\s+/g, ' ').trim());
    expect(names).toEqual([
      'Show sessions',
      'Inbox 11 question',
      'New session',
      'shop-api, Needs you, 1 question',
      'web, Idle',
      'Search and commands',
      'History',
      'Settings',
    ]);
    for (const one of rail.getAllByRole('button')) expect(one).toHaveAttribute('title');
    await expectNoViolations();
    await user.click(button('web, Idle'));
    expect(store.state.navigation.place.session).toBe('s2');
    expect(composer()).toHaveFocus();
    button('web, Idle').focus();
    await user.keyboard('{ArrowUp}');
    expect(button(/^shop-api/)).toHaveFocus();
  });

  test('the whole list opens over the window, and closes with a choice or Esc', async () => {
    const { user, store } = await openNarrow();
    await user.click(button('Show sessions'));
    expect(within(drawer()!).getByText('Question 1?')).toBeVisible();
    expect(drawer()!.querySelector('[data-session=s1]')).toHaveFocus();
    await user.keyboard('{Escape}');
    expect(drawer()).toBeNull();
    expect(button('Show sessions')).toHaveFocus();
    await user.click(button('Show sessions'));
    await user.click(drawer()!.querySelector('[data-session=s2]')!);
    expect(drawer()).toBeNull();
    expect(composer()).toHaveFocus();
    expect(store.state.navigation.place.session).toBe('s2');
    await user.click(button('Show sessions'));
    await user.click(within(drawer()!).getByRole('button', { name: 'New session' }));
    expect(drawer()).toBeNull();
    expect(store.state.navigation.place.at).toBe('start');
  });
});

test('two letters stand for a session', () => {
  const named = ['shop-api', 'infra', 'A', 'Über uns', '会话 一', '日志', '--'];
  expect(named.map(initialsOf).join(' ')).toBe('sa in a üu 会一 日志 ·');
});

test('sessions with equal initials are told apart, whatever their order', () => {
  const named = ['shop-api', 'shop admin new', 'shop app', 'shop', 'shop-api', 'infra'];
  const sessions = named.map((name, n) => aSession({ id: `s${n}`, name, startedAt: n }));
  const expected = ['sa', 'sn', 's2', 'sh', 's3', 'in'];
  const found = distinctInitials(sessions);
  expect(sessions.map(({ id }) => found.get(id))).toEqual(expected);
  const reversed = distinctInitials(sessions.toReversed());
  expect(sessions.map(({ id }) => reversed.get(id))).toEqual(expected);
});

describe('tooltips', () => {
  skippableTime();

  const tooltip = () => document.querySelector('[data-tooltip]');

  test('appear for what the keyboard focuses, and go with the next key', async () => {
    const { user } = await openPage(new FakeBridge({ sessions, requests: [aRequest()] }));
    await user.keyboard('{Shift}');
    document.querySelector<HTMLElement>('nav [data-session=s1]')!.focus();
    await waitFor(() => expect(tooltip()).toHaveTextContent('Question 1?'));
    expect(tooltip()).toHaveTextContent('/home/ada/projects/api');
    await user.keyboard('{Escape}');
    expect(tooltip()).toBeNull();
    button('New session').focus();
    await waitFor(() => expect(tooltip()).toHaveTextContent('New session'));
  });

  test('don’t list those of every control in a region or a card', async () => {
    const bridge = new FakeBridge({ sessions, requests: [aRequest()] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'agent', text: 'Done.' })];
    const { user } = await openPage(bridge);
    await screen.findByText('Done.');
    await user.keyboard('{Shift}');
    for (const around of [screen.getByRole('region', { name: /^Transcript of/ }), screen.getByRole('region', { name: 'Question' })]) {
      expect(
        within(around)
          .getAllByRole('button')
          .some((one) => one.title !== ''),
      ).toBe(true);
      around.focus();
      expect(around).toHaveFocus();
      await vi.advanceTimersByTimeAsync(700);
      expect(tooltip()).toBeNull();
    }
  });

  test('say what a control is called when they appear, not when it took the focus', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    await user.keyboard('{Shift}');
    button('New session').focus();
    button('New session').title = 'Another name';
    await waitFor(() => expect(tooltip()).toHaveTextContent('Another name'));
  });

  test('don’t appear for a field, which the focus rests in', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    await user.keyboard('{Shift}');
    button('New session').focus();
    await waitFor(() => expect(tooltip()).not.toBeNull());
    composer().title = 'Any tooltip';
    composer().focus();
    await vi.advanceTimersByTimeAsync(700);
    expect(tooltip()).toBeNull();
  });

  test('case_144 are the window’s own under the pointer too, where no menu is open: the system’s would lie over it and take its clicks', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    const [one, other] = ['New session', 'Actions for web'].map(button) as [HTMLElement, HTMLElement];
    await user.hover(one);
    expect(one).not.toHaveAttribute('title');
    await waitFor(() => expect(tooltip()).toHaveTextContent('New session'));
    await user.hover(other);
    expect(one.title).not.toBe('');
    expect(tooltip()).toBeNull();
    await user.click(other);
    await vi.advanceTimersByTimeAsync(700);
    expect(tooltip()).toBeNull();
    await user.hover(one);
    await vi.advanceTimersByTimeAsync(700);
    expect(tooltip()).toBeNull();
  });

  test('don’t appear for what the pointer focuses', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    await user.click(button('Actions for web'));
    await user.keyboard('{Escape}');
    await user.click(button(/^web/));
    await vi.advanceTimersByTimeAsync(700);
    expect(tooltip()).toBeNull();
  });
});
