import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Approval, EntryBody, ToolDetail } from '../src/generated/wire';
import { anApproval, anEntry, aRequest, aSession } from '../src/testing/desk';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openDesk, settle } from './open';

const button = (name: string) => screen.getByRole('button', { name });

const rules: Approval['rules'] = [
  { id: 'r1', scope: 'session', rule: { kind: 'tool', tool: 'Bash', content: 'npm test:*', behaviour: 'allow' } },
  { id: 'r2', scope: 'project', rule: { kind: 'folder', paths: ['/srv/data'] } },
  { id: 'r3', scope: 'session', rule: { kind: 'mode', mode: 'accept_edits' } },
];

async function open(approval: Approval, sessions = [aSession()]) {
  const bridge = new FakeBridge({ sessions, approvals: [approval], requests: [aRequest()] });
  bridge.on('decide_approval', ({ decision }) => ({
    ...approval,
    state: { state: 'decided', decision, at: 1, error: null },
  }));
  bridge.entries['s1'] = [anEntry(1, { kind: 'approval', approval: approval.id })];
  return openDesk(bridge);
}

describe('a permission', () => {
  test('suggested rules are said in words with their scope, and only ticked ones are kept', async () => {
    const { user, bridge } = await open(anApproval({ rules }));
    await user.click(button('Allow with …'));
    const group = screen.getByRole('group', { name: 'Allow this, and from now on:' });
    expect(group).toHaveTextContent('Use Bash without asking for everything that begins with “npm test”');
    expect(group).toHaveTextContent('In this project, for everyone who shares it');
    await user.click(button('Allow and keep the ticked rules'));
    expect(screen.getByRole('alert')).toHaveTextContent('Tick a rule');
    await expectNoViolations();
    await user.click(screen.getByRole('checkbox', { name: /Work in these folders/ }));
    await user.click(screen.getByRole('checkbox', { name: /npm test/ }));
    await user.click(button('Allow and keep the ticked rules'));
    await settle();
    expect(bridge.sent('decide_approval')).toMatchObject([
      { decision: { decision: 'allow_with_rules', rules: ['r1', 'r2'] } },
    ]);
    expect(screen.getByText('Allowed, with rules: Bash')).toHaveTextContent('/srv/data');
  });

  test.each([
    ['npm test:*', 'everything that begins with “npm test”'],
    ['mkdir out *', 'everything that begins with “mkdir out”'],
    ['git * main', 'everything that fits “git * main”, where * stands for anything'],
    ['ls', 'for “ls”'],
  ])('the pattern %s is said as what it covers', async (content, words) => {
    const rule = { kind: 'tool', tool: 'Bash', content, behaviour: 'allow' } as const;
    const { user } = await open(anApproval({ rules: [{ id: 'r1', rule, scope: 'local' }] }));
    await user.click(button('Allow with …'));
    expect(screen.getByRole('checkbox')).toHaveAccessibleName(expect.stringContaining(words));
  });

  test('an edit is shown as its diff and a new file as its content', async () => {
    const details: [ToolDetail, string][] = [
      [{ detail: 'edit', path: 'src/a.rs', diff: '@@ -1 +1 @@\n-old\n+new' }, 'Exactly this would change'],
      [{ detail: 'write', path: 'b.txt', content: 'all of it' }, 'Exactly this would be written'],
    ];
    for (const [what, words] of details) {
      const { unmount } = await open(anApproval({ what, tool: 'Edit' }));
      expect(screen.getByRole('region', { name: 'Permission' })).toHaveTextContent(words);
      await expectNoViolations();
      unmount();
    }
  });

  test('the rest of a double click on what stood there before decides nothing', async () => {
    const { bridge } = await open(anApproval());
    button('Allow once').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
    await settle();
    expect(bridge.sent('decide_approval')).toEqual([]);
  });

  test('what one would tell the agent survives a look at another session', async () => {
    const { user } = await open(anApproval(), [aSession(), aSession({ id: 's2', name: 'web' })]);
    await user.click(button('Deny with message'));
    await user.type(screen.getByRole('textbox', { name: 'What to tell the agent' }), 'Too risky');
    await user.click(screen.getByRole('button', { name: /^web/ }));
    await user.click(screen.getByRole('button', { name: /^api/ }));
    expect(screen.getByRole('textbox', { name: 'What to tell the agent' })).toHaveValue('Too risky');
  });
});

describe('a plan', () => {
  const plan = anApproval({
    tool: 'ExitPlanMode',
    what: { detail: 'plan', plan: '# Steps\n\n1. Look', path: '/plans/a.md' },
  });
  const card = () => screen.getByRole('region', { name: 'Plan to approve' });

  test('it is a document that is approved with the mode that follows', async () => {
    const { user, bridge } = await open(plan);
    expect(within(card()).getByRole('heading', { name: 'Steps' })).toBeVisible();
    await expectNoViolations();
    card().focus();
    await user.keyboard('1{Enter}{Control>}{Enter}{/Control}');
    expect(bridge.sent('decide_approval')).toEqual([]);
    await user.selectOptions(screen.getByLabelText('Then go on in the mode'), 'Accept edits');
    await user.click(button('Approve'));
    await settle();
    expect(bridge.sent('decide_approval')).toMatchObject([
      { decision: { decision: 'approve_plan', mode: 'accept_edits', plan: null } },
    ]);
    expect(screen.getByText('Plan approved · goes on in the mode “Accept edits”')).toBeVisible();
  });

  test('it is approved as edited, and an empty one is not', async () => {
    const { user, bridge } = await open(plan);
    await user.click(button('Edit the plan'));
    const field = screen.getByRole('textbox', { name: 'The plan, as Markdown' });
    expect(field).toHaveFocus();
    await user.clear(field);
    expect(button('Approve as edited')).toBeDisabled();
    await user.type(field, 'Do less');
    await expectNoViolations();
    await user.click(button('Approve as edited'));
    await settle();
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: { decision: 'approve_plan', plan: 'Do less' } }]);
  });

  test('it is sent back with comments', async () => {
    const { user, bridge } = await open(plan);
    await user.click(button('Send back'));
    await user.click(button('Send back with this'));
    expect(screen.getByRole('alert')).toHaveTextContent('Write what should change.');
    await user.type(screen.getByRole('textbox', { name: 'What should change' }), 'Smaller steps');
    await user.click(button('Send back with this'));
    await settle();
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: { decision: 'deny', message: 'Smaller steps' } }]);
    expect(screen.getByText('Plan sent back. You said: Smaller steps')).toBeVisible();
  });
});

describe('a tool’s line', () => {
  const show = async (body: Partial<Extract<EntryBody, { kind: 'tool' }>>) => {
    const bridge = new FakeBridge();
    const usual = { kind: 'tool', toolUse: 't', name: 'Tool', summary: 'the line', status: 'done', output: null } as const;
    bridge.entries['s1'] = [anEntry(1, { ...usual, detail: { detail: 'other', input: '{}' }, ...body })];
    return openDesk(bridge);
  };

  test('todos stand open as a checklist whose states are said', async () => {
    const items = [
      { text: 'Look', status: 'done' },
      { text: 'Write', status: 'in_progress' },
    ] as const;
    await show({ detail: { detail: 'todos', items: [...items] } });
    expect(screen.getByText('Write').closest('li')).toHaveTextContent('in progress');
    expect(screen.getByText('Look').closest('li')).toHaveTextContent('done');
    await expectNoViolations();
  });

  test('a long result is cut at 200 lines until all is asked for', async () => {
    const { user } = await show({ output: Array.from({ length: 500 }, (_, line) => `line ${line + 1}`).join('\n') });
    await user.click(screen.getByText('the line'));
    await settle();
    const entry = document.querySelector('[data-entry="1"]');
    expect(entry).toHaveTextContent('line 200');
    expect(entry).not.toHaveTextContent('line 201');
    await user.click(button('Show all, 300 more lines'));
    expect(entry).toHaveTextContent('line 500');
  });

  test('what a turn cost is said', async () => {
    const bridge = new FakeBridge();
    bridge.entries['s1'] = [
      anEntry(1, { kind: 'turn_ended', millis: 1000, inputTokens: 1, outputTokens: 2, costUsd: 0.0123, error: null }),
    ];
    await openDesk(bridge);
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent('1 tokens read, 2 written · $0.0123');
  });
});
