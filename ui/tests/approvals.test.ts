import { screen, within } from '@testing-library/svelte';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';

import toolNames from '../../src-tauri/crates/domain/src/tool_names.json';
import { objectOf, wordsInFull, wordsOfLabel } from '../src/entities/approval/approvalWords';
import { saidAbout } from '../src/entities/approval/readableHere';
import { shownTool } from '../src/entities/tool/toolName';
import type {
  Approval,
  ApprovalDecision,
  ApprovalOption,
  ApprovalOptionKind,
  ApprovalState,
  DeliveryError,
  EntryBody,
  OptionLabel,
  ToolDetail,
} from '../src/generated/wire';
import { aDecision, anApproval, anEntry, planOptions, someOptions, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, panel, settle, texts } from './open';

const options = someOptions(
  { id: 'r1', scope: 'session', label: { label: 'tool', tool: 'Bash', content: 'npm test:*', behavior: 'allow' } },
  { id: 'r2', scope: 'project', label: { label: 'folder', paths: ['/srv/data'] } },
  { id: 'r3', scope: 'session', label: { label: 'config', option: 'mode', value: 'accept_edits' } },
);

/** Chooses an item of a button's menu. */
async function choose(user: UserEvent, menu: string, item: string) {
  await user.click(button(menu));
  await user.click(screen.getByRole('menuitem', { name: item }));
}

function open(approval: Approval) {
  const bridge = new FakeBridge({ approvals: [approval] });
  bridge.entries['s1'] = [anEntry(1, { kind: 'approval', approval: approval.id })];
  return openPage(bridge);
}

describe('a permission', () => {
  test('case 107: a request of a helper names the helper, and one of the agent itself names nobody', async () => {
    const { bridge } = await open(anApproval({ helper: 'a17c', askedBy: 'Write <b>a</b> file' }));
    expect(panel()).toHaveTextContent('Asked by Write <b>a</b> file');
    await bridge.push({ change: 'approval', approval: anApproval() });
    await settle();
    expect(panel()).not.toHaveTextContent('Asked by');
  });

  test.each<[ToolDetail, string]>([
    [{ detail: 'command', command: 'set -e\nmake all', description: null }, 'make all [+1 line]'],
    [{ detail: 'write', path: '/home/ada/projects/api/src/a.ts', content: 'x' }, 'src/a.ts'],
    [{ detail: 'network', target: 'example.org' }, 'example.org'],
  ])('says in a line what it is for: %j', (subject, words) => {
    expect(objectOf(anApproval({ subject }), '/home/ada/projects/api', null)).toBe(words);
  });

  test('a tool of a server is named as the engine names it', () => {
    for (const [name, expected] of toolNames as [string, string][]) expect(shownTool(name)).toBe(expected);
  });

  test('a tool of an MCP server is named in words everywhere, and a call without input says so', async () => {
    const approval = anApproval({ title: 'mcp__tracker__find_issue', subject: { detail: 'other', input: '' } });
    const { bridge } = await open(approval);
    expect(panel()).toHaveTextContent('find_issue (tracker)');
    expect(panel()).toHaveTextContent('No input');
    await bridge.push({ change: 'approval', approval: { ...approval, state: { state: 'withdrawn', at: 1 } } });
    expect(document.querySelector('[data-approval]')).toHaveTextContent('find_issue (tracker)');
    expect(document.body).not.toHaveTextContent('mcp__');
  });

  test('suggested rules show their scope, and only selected rules are sent', async () => {
    const { user, bridge } = await open(anApproval({ options }));
    await choose(user, 'More ways to allow', 'Always allow…');
    const group = screen.getByRole('group', { name: 'Allow this, and from now on:' });
    expect(group).toHaveTextContent('Allow Bash without asking: anything that starts with “npm test”');
    expect(group).toHaveTextContent('In this project, for everyone who shares it');
    await user.click(button('Allow with rules'));
    expect(screen.getByRole('alert')).toHaveTextContent('Select a rule');
    await expectNoViolations();
    await user.click(screen.getByRole('checkbox', { name: /Also work in/ }));
    await user.click(screen.getByRole('checkbox', { name: /npm test/ }));
    await user.click(button('Allow with rules'));
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('r1', 'r2') }]);
    const line = screen.getByText(/^Allowed with rules: Bash/);
    expect(line).toHaveTextContent('anything that starts with “npm test” · Until this session ends');
    expect(line).toHaveTextContent('Also work in /srv/data · In this project, for everyone who shares it');
  });

  const plain: ApprovalOption = { id: 'always', kind: 'allow_always', label: { label: 'plain' }, scope: null, combines: false };

  test.each([
    ['session', 'Until this session ends'],
    ['server', 'In this folder, until the agent’s server ends; not saved'],
    ['local', 'In this project, only for you'],
    ['project', 'In this project, for everyone who shares it'],
    ['user', 'In all your projects'],
  ] as const)('how long it holds is said in words: %s', (scope, words) => {
    expect(wordsInFull({ ...plain, scope }, [])).toBe(`Always allow · ${words}`);
  });

  test('how long a refusal holds is said before and after the decision', async () => {
    const words = 'In this project, only for you';
    const label = { label: 'text', text: 'Never allow example.org' } as const;
    const never: ApprovalOption = { ...plain, id: 'never', kind: 'reject_always', label, scope: 'local' };
    const { user, bridge } = await open(anApproval({ options: [...someOptions(), never] }));
    await choose(user, 'More ways to deny', `Never allow example.org · ${words}`);
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('never') }]);
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent(`Denied: Bash · ${words}`);
  });

  const uses = (content: string) => ({ label: 'tool', tool: 'Bash', content, behavior: 'allow' }) as const;

  test.each<[OptionLabel, ApprovalOptionKind, string]>([
    [uses('npm test:*'), 'allow_always', 'Allow Bash without asking: anything that starts with “npm test”'],
    [uses('mkdir out *'), 'allow_always', 'Allow Bash without asking: anything that starts with “mkdir out”'],
    [uses('git * main'), 'allow_always', 'Allow Bash without asking: anything that matches “git * main” (* matches any text)'],
    [uses('ls'), 'allow_always', 'Allow Bash without asking: “ls”'],
    [{ ...uses(''), tool: 'mcp__tracker__find_issue', content: null }, 'allow_always', 'Allow find_issue (tracker) without asking'],
    [{ label: 'text', text: 'go\u202e' }, 'allow_once', 'go⟨U+202E⟩'],
    [{ label: 'text', text: ' ' }, 'reject_once', 'Deny'],
  ])('the option %j is described in words', (label, kind, words) => {
    expect(wordsOfLabel(label, kind, [])).toBe(words);
  });

  test.each<[string, ToolDetail]>([
    ['Exact change', { detail: 'edit', path: 'src/a.rs', diff: '@@ -1 +1 @@\n-old\n+new' }],
    ['Exact file contents', { detail: 'write', path: 'b.txt', content: 'all of it' }],
  ])('an edit is shown as its diff and a new file as its content: %s', async (words, subject) => {
    await open(anApproval({ subject, title: 'Edit' }));
    expect(screen.getByRole('region', { name: 'Permission' })).toHaveTextContent(words);
  });

  test('the name of the file that changes is no description', () => {
    const subject = { detail: 'write', path: '/home/ada/api/notes.md', content: 'x' } as const;
    expect(saidAbout(anApproval({ subject, description: 'notes.md' }))).toEqual([]);
  });
});

describe('a plan', () => {
  const plan = anApproval({
    title: 'ExitPlanMode',
    subject: { detail: 'plan', plan: '# Steps\n\n1. Look', path: '/plans/a.md' },
    options: planOptions('default', 'accept_edits', 'bypass'),
  });
  const card = () => screen.getByRole('region', { name: 'Plan to review' });

  test('is shown as a document and approved with the next permission mode', async () => {
    const { user, bridge } = await open(plan);
    expect(within(card()).getByRole('heading', { name: 'Steps' })).toBeVisible();
    card().focus();
    await user.keyboard('1{Enter}{Control>}{Enter}{/Control}');
    expect(bridge.sent('decide_approval')).toEqual([]);
    const next = screen.getByLabelText('Then continue in');
    // Bypassing permissions is never offered with a plan.
    expect(texts(within(next).getAllByRole('option'))).toEqual(['Ask before changes', 'Accept edits']);
    await user.selectOptions(next, 'Accept edits');
    await user.click(button('Approve'));
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('allow:accept_edits') }]);
    expect(screen.getByText('Plan approved · continues in “Accept edits”')).toBeVisible();
  });

  test('can be edited before it is approved, but not emptied', async () => {
    const { user, bridge } = await open(plan);
    await user.click(button('Edit plan'));
    const field = screen.getByRole('textbox', { name: 'Plan (Markdown)' });
    expect(field).toHaveFocus();
    await user.clear(field);
    expect(button('Approve edited plan')).toBeDisabled();
    await user.type(field, 'Do less');
    await user.click(button('Approve edited plan'));
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: { ...aDecision('allow:default'), plan: 'Do less' } }]);
  });

  test('without a text says so, and not that the user emptied it', async () => {
    await open({ ...plan, subject: { detail: 'plan', plan: '', path: null } });
    expect(within(card()).getByRole('alert')).toHaveTextContent('The agent’s plan has no text');
    expect(button('Approve')).toBeDisabled();
  });

  const decided = (option: string, more: Partial<ApprovalDecision> = {}, error: DeliveryError | null = null): ApprovalState => ({
    state: 'decided',
    decision: { ...aDecision(option), ...more },
    at: 1,
    error,
  });

  test.each<[string, ApprovalState, string]>([
    ['approved', decided('allow:default'), 'Plan approved'],
    ['edited', decided('allow:default', { plan: '# My plan' }), 'Plan approved with your edits'],
    ['sent back', decided('deny'), 'Plan sent back'],
    ['sent back with a message', decided('deny', { message: 'Smaller steps' }), 'Plan sent back. You wrote: Smaller steps'],
    ['withdrawn', { state: 'withdrawn', at: 1 }, 'No longer needed: Plan'],
    ['lost on its way', decided('allow:default', {}, { undelivered: 'busy' }), 'Your decision didn’t reach the agent'],
  ])('that was %s can be opened in the transcript', async (_, state, words) => {
    const { user } = await open({ ...plan, state });
    const transcript = within(screen.getByRole('region', { name: /^Transcript of/ }));
    const line = transcript.getByText(words, { exact: false });
    expect(transcript.queryByRole('heading')).toBeNull();
    await user.click(line);
    const heading = words.includes('edits') ? 'My plan' : 'Steps';
    expect(transcript.getByRole('heading', { name: heading })).toBeVisible();
    expect(transcript.getByText('/plans/a.md')).toBeVisible();
    expect(document.body).not.toHaveTextContent('ExitPlanMode');
  });

  test('is sent back with comments', async () => {
    const { user, bridge } = await open(plan);
    await user.click(button('Send back…'));
    expect(screen.getByRole('textbox', { name: 'What should change?' })).toHaveFocus();
    await user.click(button('Send back'));
    expect(screen.getByRole('alert')).toHaveTextContent('Say what should change.');
    await user.type(screen.getByRole('textbox', { name: 'What should change?' }), 'Smaller steps');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: { ...aDecision('deny'), message: 'Smaller steps' } }]);
    expect(screen.getByText('Plan sent back. You wrote: Smaller steps')).toBeVisible();
  });
});

test('no key decides a permission, except on a button that has the focus', async () => {
  const { user, bridge } = await open(anApproval());
  const card = () => screen.getByRole('region', { name: 'Permission' });
  card().focus();
  await user.keyboard('0123456789abcdefghijklmnopqrstuvwxyzADY {Enter}{Control>}{Enter}{/Control}{Delete}{Backspace}{ArrowDown}');
  expect(card()).toHaveFocus();
  expect(bridge.sent('decide_approval')).toEqual([]);
  button('Deny').focus();
  await user.keyboard('1yn');
  expect(bridge.sent('decide_approval')).toEqual([]);
  await user.keyboard('{Enter}');
  expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('deny') }]);
});

test('a permission alone has the filled button, and no second title', async () => {
  await openPage(new FakeBridge({ approvals: [anApproval()] }));
  expect([...panel().querySelectorAll('.primary')].map((one) => one.textContent?.trim())).toEqual(['Allow once']);
  expect(within(panel()).getAllByRole('heading')).toHaveLength(1);
});

describe('options of an agent that has its own', () => {
  const option = (id: string, kind: ApprovalOption['kind'], text: string): ApprovalOption => ({
    id,
    kind,
    label: { label: 'text', text },
    scope: null,
    combines: false,
  });
  const own = [
    option('opt-7f', 'allow_once', 'Yes, go ahead'),
    option('opt-81', 'allow_always', 'Yes, and do not ask for npm again'),
    option('opt-82', 'allow_always', 'Yes, for the whole folder'),
    option('opt-90', 'reject_once', 'No'),
    option('opt-91', 'reject_always', 'No, and never again'),
  ];
  const card = () => screen.getByRole('region', { name: 'Permission' });
  const openOwn = (changes: Partial<Approval> = {}) => open(anApproval({ options: own, takesMessage: false, ...changes }));
  const decisions = (bridge: FakeBridge) => bridge.sent('decide_approval').map(({ decision }) => decision);

  test.each([
    ['Yes, go ahead', 'opt-7f', 'Allow once', 'Allowed once: Bash'],
    ['No', 'opt-90', 'Deny', 'Denied: Bash'],
  ])('show the agent’s own text “%s”, say what they do, and are returned by id', async (words, id, kind, said) => {
    const { user, bridge } = await openOwn();
    expect(button(words)).toHaveAttribute('title', kind);
    await user.click(button(words));
    expect(decisions(bridge)).toMatchObject([aDecision(id)]);
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent(said);
    expect(document.querySelector('[data-entry="1"]')).toHaveTextContent(words);
  });

  test('that don’t combine are chosen one at a time', async () => {
    const { user, bridge } = await openOwn();
    await choose(user, 'More ways to allow', 'Always allow…');
    expect(screen.queryByRole('checkbox')).toBeNull();
    const choice = (name: RegExp) => within(card()).getByRole('radio', { name });
    expect(choice(/npm/)).not.toBeChecked();
    await user.click(choice(/npm/));
    await user.click(choice(/whole folder/));
    expect(choice(/npm/)).not.toBeChecked();
    expect(choice(/whole folder/)).toBeChecked();
    await user.click(button('Allow with rules'));
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('opt-82') }]);
  });

  test('an option that doesn’t combine replaces those that do', async () => {
    const [once, ...rest] = options;
    const { user, bridge } = await open(anApproval({ options: [once!, option('alone', 'allow_always', 'Anything'), ...rest] }));
    await choose(user, 'More ways to allow', 'Always allow…');
    await user.click(screen.getByRole('checkbox', { name: /npm test/ }));
    await user.click(within(card()).getByRole('radio', { name: 'Anything' }));
    expect(screen.getByRole('checkbox', { name: /npm test/ })).not.toBeChecked();
    await user.click(screen.getByRole('checkbox', { name: /Also work in/ }));
    expect(within(card()).getByRole('radio', { name: 'Anything' })).not.toBeChecked();
    await user.click(button('Allow with rules'));
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: aDecision('r2') }]);
  });

  test('a denial has a message only if the agent accepts one', async () => {
    const { user: first, unmount } = await openOwn();
    await first.click(button('More ways to deny'));
    expect(screen.queryByRole('menuitem', { name: 'Deny with message…' })).toBeNull();
    unmount();
    const { user, bridge } = await open(anApproval({ options: own }));
    await choose(user, 'More ways to deny', 'Deny with message…');
    expect(within(panel()).getByRole('textbox', { name: 'Message to the agent' })).toHaveFocus();
    await user.keyboard('Too risky');
    // Esc closes what was opened last, and keeps the text.
    await user.keyboard('{Escape}');
    expect(within(panel()).queryByRole('textbox', { name: 'Message to the agent' })).toBeNull();
    await choose(user, 'More ways to deny', 'Deny with message…');
    expect(within(panel()).getByRole('textbox', { name: 'Message to the agent' })).toHaveValue('Too risky');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(bridge.sent('decide_approval')).toMatchObject([{ decision: { options: ['opt-90'], message: 'Too risky' } }]);
  });

  const plan = { detail: 'plan', plan: '1. Look', path: null } as const;

  test('approve a plan and refuse it, too', async () => {
    const { user, bridge, unmount } = await openOwn({ subject: plan });
    await user.selectOptions(screen.getByLabelText('Then continue in'), 'Yes, for the whole folder');
    await user.click(button('Approve'));
    expect(decisions(bridge)).toMatchObject([aDecision('opt-82')]);
    unmount();
    const again = await openOwn({ subject: plan });
    await again.user.click(button('No, and never again'));
    expect(decisions(again.bridge)).toMatchObject([aDecision('opt-91')]);
  });
});

describe('a tool’s line', () => {
  const entry = () => document.querySelector<HTMLElement>('[data-entry="1"]')!;
  const usual = { kind: 'tool', toolUse: 't', name: 'Tool', toolKind: 'other', summary: 'the line', status: 'done', output: null } as const;
  const shows = (body: EntryBody) => {
    return openPage(new FakeBridge().with({ entries: { s1: [anEntry(1, body)] } }));
  };
  const show = (body: Partial<Extract<EntryBody, { kind: 'tool' }>>) =>
    shows({ ...usual, detail: { detail: 'other', input: '{}' }, ...body });
  const items: Extract<EntryBody, { kind: 'plan' }>['items'] = [
    { text: 'Look', status: 'done' },
    { text: 'Write', status: 'in_progress' },
  ];

  test.each<[string, EntryBody]>([
    ['todos', { ...usual, detail: { detail: 'todos', items } }],
    ['the agent’s plan', { kind: 'plan', items }],
  ])('%s are an open checklist with states in words', async (_, body) => {
    await shows(body);
    const lines = within(entry()).getAllByRole('listitem');
    expect(lines.map(({ textContent }) => textContent?.trim())).toEqual([
      expect.stringMatching(/^Look\s*done$/),
      expect.stringMatching(/^Write\s*in progress$/),
    ]);
  });

  test.each([
    ['awaiting_permission', 'waiting for permission'],
    ['pending', 'pending'],
  ] as const)('case_75_a_call_that_is_%s_says_so_and_never_that_it_runs', async (status, words) => {
    await show({ status });
    expect(entry()).toHaveTextContent(words);
    expect(entry()).not.toHaveTextContent('running');
    expect(entry().querySelector('[data-state]')).toHaveAttribute('data-state', status);
    expect(entry().querySelector('.icon-shield') !== null).toBe(status === 'awaiting_permission');
  });

  test('a call of an MCP tool is named in words, and its empty input is said', async () => {
    const { user } = await show({ name: 'mcp__tracker__find_issue', detail: { detail: 'other', input: '' } });
    await user.click(within(entry()).getByText('find_issue (tracker)'));
    expect(entry()).toHaveTextContent('No input');
    expect(entry()).not.toHaveTextContent('mcp__');
  });

  test('a long result is cut at 200 lines until it is expanded', async () => {
    const { user } = await show({ output: Array.from({ length: 500 }, (_, line) => `line ${line + 1}`).join('\n') });
    await user.click(screen.getByText('the line'));
    expect(entry()).toHaveTextContent('line 200');
    expect(entry()).not.toHaveTextContent('line 201');
    await user.click(button('Show 300 more lines'));
    expect(entry()).toHaveTextContent('line 500');
  });

  test('the end of a turn shows its cost', async () => {
    await shows({ ...turnEnded, inputTokens: 1, outputTokens: 2, costUsd: 0.0123 });
    expect(entry()).toHaveTextContent('1 token in, 2 out · $0.01');
  });
});
