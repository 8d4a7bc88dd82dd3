import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Question } from '../src/generated/wire';
import { anApproval, aQuestion, someOptions } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, ownAnswer, panel, radio, settle, skipWithMessage } from './open';
import { card, lone, openCard, pair } from './openCard';

const hints = () =>
  [...(screen.queryByRole('list', { name: 'Shortcuts here' })?.children ?? [])].map((one) => one.textContent?.replace(/\s+/g, ' ').trim());

async function focus(element: HTMLElement) {
  element.focus();
  await settle();
}

describe('the footer says what the keys do', () => {
  test('and, from elsewhere, which key leads there; the caps of keys that would go elsewhere are hidden', async () => {
    const { user } = await openCard(lone(), { quickAnswer: 'off' });
    const caps = () => card().querySelector<HTMLElement>('.form')?.dataset['caps'];
    await focus(composer());
    expect(hints()).toEqual(['F6 to the question', 'Ctrl+J next request']);
    expect(caps()).toBe('');
    await user.keyboard('{F6}');
    expect(radio('OAuth 2.0')).toHaveFocus();
    expect(caps()).toBe('1 Enter u');
    await focus(ownAnswer());
    expect(caps()).toBe('Enter');
    await focus(panel());
    expect(caps()).toBe('1 Enter u');
    await focus(button('Skip'));
    expect(caps()).toBe('1 u');
    await user.click(button(/^Submit/));
    expect(screen.getByRole('alert')).toHaveTextContent('Choose an answer, or skip.');
    expect(button(/^Submit/)).toHaveFocus();
    expect(caps()).toBe('1 Enter u');
    await user.keyboard('2');
    expect(radio('JWT')).toBeChecked();
    await focus(button('New session'));
    expect(caps()).toBe('');
  });

  const words = [aQuestion(1, { kind: 'text', options: [] })];

  test.each<[string, Question[], () => HTMLElement, string[]]>([
    ['on a lone option', lone(), () => radio('JWT'), ['1–4 answer', '↑↓ move', 'Enter choose and submit', 'n note']],
    ['when a digit answers at once', lone(), card, ['1–4 answer', '/ reply in chat', 'Esc fold side']],
    ['without options, where digits mean nothing', words, card, ['Esc fold side']],
  ])('%s', async (_, questions, at, expected) => {
    await openCard(questions);
    await focus(at());
    expect(hints()).toEqual(expected);
  });

  test('in several questions, on a button of the card too, where digits still choose', async () => {
    const { keys, user } = await openCard(pair());
    await focus(radio('JWT'));
    expect(hints()).toEqual(['1–3 choose', '↑↓ move', 'Enter choose and continue', 'n note']);
    await keys('1');
    expect(hints()).toEqual(['1–3 select', '↑↓ move', 'Space select this', 'Enter continue', 'n note']);
    await focus(button('Back'));
    expect(hints()).toEqual(['1–3 choose', '/ reply in chat']);
    await user.type(ownAnswer(), 'x');
    expect(hints()).toEqual(['Enter continue', 'Shift+Enter new line', 'Esc leave field']);
    await keys('{Enter}');
    expect(hints()).toEqual(['Enter submit', 'Alt+←Alt+→ switch question', '/ reply in chat']);
  });

  test('in the form of a skip, where what is typed is its message', async () => {
    const { user } = await openCard(lone());
    await skipWithMessage(user);
    expect(hints()).toEqual(['Esc leave field']);
    await user.keyboard('{Escape}');
    expect(card()).toHaveFocus();
    expect(screen.queryByRole('button', { name: 'Back' })).toBeNull();
    await skipWithMessage(user);
    await focus(button('Back'));
    expect(hints()).toEqual([]);
    await user.keyboard('2');
    expect(radio('Sessions')).not.toBeChecked();
  });

  test('in the filter, and whether Esc clears it', async () => {
    const options = Array.from({ length: 40 }, (_, place) => `Package ${place + 1}`);
    const { user } = await openCard([aQuestion(1, { kind: 'multi', options, allowsOther: false })]);
    const filter = screen.getByRole('searchbox');
    await focus(filter);
    expect(hints()).toEqual(['↑↓ move', 'Esc leave field']);
    await user.type(filter, '40');
    expect(hints()).toEqual(['↑↓ move', 'Esc clear filter']);
    await user.keyboard('{ArrowUp}');
    expect(hints()[0]).toBe('1 select');
    await focus(filter);
    await user.keyboard('{Escape}');
    expect(hints()).toEqual(['↑↓ move', 'Esc leave field']);
  });

  test('on a permission, where no key decides, and in its menus', async () => {
    const options = someOptions({ id: 'r1', scope: null, label: { label: 'tool', tool: 'Bash', content: 'npm test', behavior: 'allow' } });
    const { user } = await openPage(new FakeBridge({ approvals: [anApproval({ options })] }));
    await focus(document.querySelector<HTMLElement>('[data-approval][data-card]')!);
    expect(hints()).toEqual(['Esc fold side']);
    await user.click(button('More ways to allow'));
    expect(hints()).toEqual(['↑↓ move', 'Enter choose', 'Esc close menu']);
    await user.keyboard('{Escape}');
    expect(button('More ways to allow')).toHaveFocus();
    expect(hints()).toEqual(['/ reply in chat']);
  });

  test('elsewhere leads to the question, and not to an element that is gone', async () => {
    await openCard(pair());
    await focus(radio('JWT'));
    radio('JWT').closest('fieldset')!.remove();
    await settle();
    expect(hints()).toEqual(['F6 to the question', 'Ctrl+J next request']);
  });
});
