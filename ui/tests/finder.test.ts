import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { matching } from '../src/feature/finder/match';
import { anApproval, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, expectNoViolations, openPage } from './open';

const sessions = [
  aSession({ place: 0 }),
  aSession({ id: 's2', name: 'web', folder: '/home/ada/projects/web', place: 1, state: { state: 'idle' } }),
  aSession({ id: 's3', name: 'billing api', folder: '/srv/billing', place: 2 }),
];
const options = () => screen.getAllByRole('option').map((option) => option.getAttribute('data-found'));
const shown = () => document.querySelector('[data-session-view]')?.getAttribute('data-session-view');

describe('the session finder', () => {
  const names = (asked: string) => matching(sessions, asked).map((session) => session.name);

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
    const field = screen.getByRole('combobox', { name: 'Session name or folder' });
    field.focus();
    expect(options()).toEqual(['s3', 's1', 's2', null]);
    expect(screen.getByRole('option', { name: /billing api.*Needs you.*1 question.*1 permission request/ })).toBeVisible();
    await expectNoViolations();
    await user.type(field, 'bill{ArrowDown}{ArrowUp}{Enter}');
    expect(screen.queryByRole('combobox', { name: 'Session name or folder' })).toBeNull();
    expect(shown()).toBe('s3');
    expect(composer()).toHaveFocus();
  });

  test('Esc closes it without a change, and it always offers a new session', async () => {
    const { user, store } = await openPage(new FakeBridge({ sessions }));
    await user.type(composer(), 'half a word');
    await user.keyboard('{Control>}k{/Control}');
    screen.getByRole('combobox', { name: 'Session name or folder' }).focus();
    await user.keyboard('zzz');
    expect(options()).toEqual([null]);
    await user.keyboard('{Escape}');
    expect(store.state.overlay).toBeNull();
    expect(shown()).toBe('s1');
    expect(composer()).toHaveValue('half a word');
    await user.keyboard('{Control>}k{/Control}');
    await user.click(screen.getByRole('option', { name: 'New session' }));
    expect(screen.getByRole('heading', { name: 'New session', level: 1 })).toBeVisible();
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
