import { screen, within } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';

import { arming } from '../src/shared/arming';
import { wordsOfRemark } from '../src/entities/approval/remark';
import type { Approval } from '../src/generated/wire';
import { aCommand, aDecision, anApproval, anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, panel, skippableTime } from './open';

skippableTime();

afterEach(() => (arming.delay = 0));

const words = 'Dangerous rm operation on critical path: ~/';

const warned = (changes: Partial<Approval> = {}): Approval =>
  anApproval({
    description: 'clean',
    remark: { words, stance: 'no_by_default' },
    subject: { detail: 'command', command: 'rm -rf ~/', description: 'clean' },
    ...changes,
  });

function bridgeWith(approvals: Approval[]): FakeBridge {
  const bridge = new FakeBridge({ sessions: [aSession({ name: 'infra' })], approvals });
  bridge.entries['s1'] = approvals.map(({ id }, index) => anEntry(index + 1, { kind: 'approval', approval: id }));
  return bridge;
}

const open = (...approvals: Approval[]) => openPage(bridgeWith(approvals));

test('case_138 the agent’s warning stands apart from what its model says, in the card and for screen readers', async () => {
  await open(warned());
  const card = screen.getByRole('region', { name: 'Permission' });
  expect(card).toHaveAccessibleDescription(`Claude Code warns ${words}`);
  expect(within(card).getByText('The model says').nextElementSibling).toHaveTextContent(/^“clean”$/);
  expect(within(card).getByText(words)).toHaveTextContent(new RegExp(`^${words}$`));
  await expectNoViolations(panel());
});

test('case_138 a warning without words says that it is one; hidden characters of one are shown, and it is no HTML', () => {
  const wordsOf = (words: string | null) => wordsOfRemark({ words, stance: 'no_by_default' });
  expect(wordsOf(null)).toBe('It takes this for denied unless you allow it, and gives no reason.');
  expect(wordsOf('a\u202eb <img src=x>')).toBe('a⟨U+202E⟩b <img src=x>');
});

test('case_138 a mere reason of the agent is named as the agent’s, and warns of nothing', async () => {
  await open(warned({ remark: { words: 'Path is outside', stance: 'reason' } }));
  expect(within(panel()).getByText('Claude Code says').nextElementSibling).toHaveTextContent(/^Path is outside$/);
  expect(panel().querySelector('[data-warning]')).toBeNull();
  expect([...panel().querySelectorAll('.primary')].map((one) => one.textContent?.trim())).toEqual(['Allow once']);
});

test('case_138 the user who goes to the card stands on Deny, which is the filled button, and no key allows', async () => {
  const { user, bridge } = await open(warned());
  expect([...panel().querySelectorAll('.primary')].map((one) => one.textContent?.trim())).toEqual(['Deny', '']);
  await user.keyboard('{F6}');
  while (!panel().contains(document.activeElement)) await user.keyboard('{F6}');
  expect(button('Deny')).toHaveFocus();
  await user.keyboard('0123456789abcdefghijklmnopqrstuvwxyzADY{Control>}{Enter}{/Control}');
  expect(bridge.sent('decide_approval')).toEqual([]);
  expect(panel()).toHaveTextContent('No key allows this. Tab to Allow once, or click it.');
  await user.keyboard('{Enter}');
  expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('deny') }]);
});

test('case_138 an Enter that was meant for the card before denies nothing, and Tab leads to Allow once', async () => {
  arming.delay = 300;
  const { user, bridge } = await open(warned());
  await vi.advanceTimersByTimeAsync(300);
  expect(panel().querySelector('[data-armed=true]')).not.toBeNull();
  screen.getByRole('region', { name: 'Permission' }).focus();
  expect(button('Deny')).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(bridge.sent('decide_approval')).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  expect(panel().querySelector('[data-armed=true]')).not.toBeNull();
  await user.keyboard('{Tab}{Tab}');
  expect(button('Allow once')).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('allow') }]);
});

test('case_138 the palette leads to the card, and allows nothing', async () => {
  const { user, bridge } = await open(warned());
  await user.keyboard('{Control>}k{/Control}');
  await user.keyboard('allow once');
  expect(screen.getByRole('option', { name: /Allow once/ })).toHaveTextContent('rm -rf ~/');
  await user.keyboard('{Enter}');
  expect(bridge.sent('decide_approval')).toEqual([]);
});

test('case_138 the inbox shows the warning, decides nothing, and groups no warned requests', async () => {
  const { user } = await open(warned({ id: 'p1' }), warned({ id: 'p2' }));
  await user.click(button(/^Inbox/));
  for (const id of ['p1', 'p2']) {
    const item = document.querySelector<HTMLElement>(`[data-inbox-item="${id}"]`)!;
    expect(item).toHaveTextContent(`Claude Code warns: ${words}`);
    expect(within(item).queryByRole('button', { name: /Allow|Deny/ })).toBeNull();
    expect(within(item).getByRole('button', { name: /Review/ })).toBeVisible();
  }
});

test('case_138 what arrives takes no focus, the sidebar’s row says that the agent warns, and a reader hears the warning', async () => {
  const { bridge } = await open();
  const before = document.activeElement;
  await bridge.push({ change: 'approval', approval: warned() });
  expect(document.activeElement).toBe(before);
  expect(panel()).toHaveTextContent('Claude Code warns');
  expect(document.querySelector('[data-session=s1]')).toHaveTextContent('Claude Code warns');
  expect(document.querySelector('[data-announcer]')).toHaveTextContent(
    `Permission request from infra: rm -rf ~/. Claude Code warns: ${words}`,
  );
});

test.each([
  ['deny', 'Denied: Bash'],
  ['allow', 'Allowed once: Bash'],
])('case_138 History keeps the warning beside the decision: %s', async (option, said) => {
  await open(warned({ state: { state: 'decided', decision: aDecision(option), at: 1, error: null } }));
  const line = document.querySelector('[data-approval=a1]');
  for (const part of [said, `Warned: ${words}`, 'The model says: “clean”']) expect(line).toHaveTextContent(part);
});

test('case_139 what the agent refused itself is no failure and nobody’s decision', async () => {
  await open(warned({ askedAt: 10_000, state: { state: 'refused', at: 130_000 } }));
  const line = document.querySelector('[data-approval=a1]');
  for (const part of ['Refused by Claude Code after 2 min 0 s, not run', 'rm -rf ~/', words, 'No decision. Nothing was run.'])
    expect(line).toHaveTextContent(part);
  expect(line).toHaveAttribute('data-state', 'refused');
  expect(line).not.toHaveTextContent('No longer needed');
});

test('case_139 the inbox says so too, and a request that was withdrawn stays what it is', async () => {
  const { bridge, user } = await open(warned({ id: 'p1' }), anApproval({ id: 'p2' }));
  await user.click(button(/^Inbox/));
  const at = Date.now() + 1_000;
  await bridge.push(
    { change: 'approval', approval: warned({ id: 'p1', state: { state: 'refused', at } }) },
    { change: 'approval', approval: anApproval({ id: 'p2', state: { state: 'withdrawn', at } }) },
  );
  expect(document.querySelector('[data-inbox-item=p1]')).toHaveTextContent(/Refused by Claude Code after .*, not run/);
  expect(document.querySelector('[data-inbox-item=p2]')).toHaveTextContent('No longer needed: Bash');
});

test('case_139 the tool line of a refused call is no failed one', async () => {
  const bridge = new FakeBridge();
  bridge.entries['s1'] = [anEntry(1, aCommand('rm -rf ~/', { status: 'refused', output: 'Permission denied' }))];
  await openPage(bridge);
  expect(screen.getByText('refused by the agent, not run')).toHaveClass('refused');
});
