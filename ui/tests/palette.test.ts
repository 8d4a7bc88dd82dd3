import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { matching } from '../src/shared/match';
import { anApproval, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, openPage, settle } from './open';

const sessions = [
  aSession({ place: 0 }),
  aSession({ id: 's2', name: 'web', folder: '/home/ada/projects/web', place: 1, state: { state: 'idle' } }),
  aSession({ id: 's3', name: 'billing api', folder: '/srv/billing', place: 2 }),
];
const LABEL = 'Search sessions, actions, and settings';
const options = () => screen.getAllByRole('option').map((option) => option.getAttribute('data-found'));
const shown = () => document.querySelector('[data-session-view]')?.getAttribute('data-session-view');

describe('the palette', () => {
  const names = (asked: string) =>
    matching(
      sessions.map(({ name, folder }) => ({ name, about: folder })),
      asked,
    ).map(({ name }) => name);

  test('ranks a match at the start of the name first, then in the name, then in the folder', () => {
    expect(names('api')).toEqual(['api', 'billing api']);
    expect(names('srv')).toEqual(['billing api']);
    expect(names('projects w')).toEqual(['web']);
    expect(names('blg')).toEqual(['billing api']);
    expect(names('nothing')).toEqual([]);
    expect(names('')).toEqual(['api', 'web', 'billing api']);
  });

  test('Ctrl+K opens it, arrow keys choose, and Enter shows the session with its composer focused', async () => {
    const { user } = await openPage(
      new FakeBridge({ sessions, requests: [aRequest({ session: 's3' })], approvals: [anApproval({ session: 's3' })] }),
    );
    await user.keyboard('{Control>}k{/Control}');
    const field = screen.getByRole('combobox', { name: LABEL });
    field.focus();
    expect(options().slice(0, 5)).toEqual(['r1', 'a1', 's3', 's1', 's2']);
    expect(screen.getByRole('option', { name: 'Question 1? billing api, Question' })).toBeVisible();
    for (const group of ['Needs you', 'Sessions', 'Actions', 'Settings']) expect(screen.getByRole('group', { name: group })).toBeVisible();
    expect(field).toHaveAttribute('aria-activedescendant', screen.getAllByRole('option')[0]?.id);
    for (const option of screen.getAllByRole('option')) expect(option.querySelector('svg')).not.toBeEmptyDOMElement();
    expect(screen.getByRole('option', { name: /billing api.*Needs you.*1 question.*1 permission request/ })).toBeVisible();
    await user.type(field, '{End}');
    expect(screen.getAllByRole('option').at(-1)).toHaveAttribute('aria-selected', 'true');
    await user.type(field, '{Home}{ArrowDown}');
    expect(screen.getAllByRole('option')[1]).toHaveAttribute('aria-selected', 'true');
    await user.click(screen.getByRole('button', { name: 'Sessions' }));
    expect(options()).toEqual(['s3', 's1', 's2']);
    expect(field).toHaveFocus();
    await user.type(field, 'bill{ArrowDown}{ArrowUp}{Enter}');
    expect(screen.queryByRole('combobox', { name: LABEL })).toBeNull();
    expect(shown()).toBe('s3');
    expect(composer()).toHaveFocus();
  });

  test('Esc closes it without a change, an empty result says so, and it offers a new session', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions }));
    await user.type(composer(), 'half a word');
    await user.keyboard('{Control>}k{/Control}');
    screen.getByRole('combobox', { name: LABEL }).focus();
    await user.keyboard('zzz');
    expect(screen.queryByRole('option')).toBeNull();
    expect(screen.getByText('No matches', { selector: '.none' })).toBeVisible();
    await user.keyboard('{Escape}');
    expect(store.state.overlay).toBeNull();
    expect(shown()).toBe('s1');
    expect(composer()).toHaveValue('half a word');
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('new sess');
    await user.click(screen.getByRole('option', { name: 'New session' }));
    expect(screen.getByRole('heading', { name: 'New session', level: 1 })).toBeVisible();
  });
});

describe('case_82 the last session', () => {
  test('comes first among the sessions and is preselected, so that the same keys switch back and forth', async () => {
    const { user, commands } = await openPage(new FakeBridge({ sessions, requests: [aRequest({ session: 's3' })] }));
    await commands.navigation.showSession('s2');
    await settle();
    const open = async () => {
      await user.keyboard('{Control>}k{/Control}');
      screen.getByRole('combobox', { name: LABEL }).focus();
    };
    for (const expected of ['s1', 's2', 's1']) {
      await open();
      const [request, last] = screen.getAllByRole('option');
      expect([request?.dataset['found'], last?.dataset['found']]).toEqual(['r1', expected]);
      expect(last).toHaveAttribute('aria-selected', 'true');
      await user.keyboard('{Enter}');
      expect(shown()).toBe(expected);
    }
    await open();
    await user.keyboard('{ArrowUp}');
    expect(screen.getAllByRole('option')[0]).toHaveAttribute('aria-selected', 'true');
    await user.keyboard('bill');
    expect(screen.getAllByRole('option')[0]).toHaveAttribute('aria-selected', 'true');
  });
});

describe('Ctrl and a digit', () => {
  test('shows the session at that position, also from a field, whose text stays', async () => {
    const { user } = await openPage(new FakeBridge({ sessions }));
    await user.type(composer(), 'half a word');
    await user.keyboard('{Control>}3{/Control}');
    // The sidebar lists the idle session after those at work.
    expect(shown()).toBe('s2');
    expect(composer()).toHaveFocus();
    await user.keyboard('{Control>}9{/Control}');
    await user.keyboard('{Control>}1{/Control}');
    expect(shown()).toBe('s1');
    expect(composer()).toHaveValue('half a word');
  });

  test('doesn’t answer a question or work behind an open dialog', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions, requests: [aRequest()] }));
    screen.getAllByRole('radio')[0]?.focus();
    await user.keyboard('{Control>}3{/Control}');
    expect(store.state.drafts['r1']).toBeUndefined();
    expect(shown()).toBe('s2');
    await user.keyboard('{Control>}k{/Control}');
    await user.keyboard('{Control>}1{/Control}');
    expect(shown()).toBe('s2');
  });
});
