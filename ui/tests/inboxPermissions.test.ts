import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { wordsOfAskIn, wordsOfUnreadable } from '../src/entities/approval/approvalWords';
import { readableHere } from '../src/entities/approval/readableHere';
import type { Approval, Request, ToolDetail } from '../src/generated/wire';
import { aDecision, anApproval, anEntry, aQuestion, aRequest, aSession, ended, NOW, planOptions, withdrawn } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, settle, texts } from './open';
import { matchingMedia } from './jsdom';

const sessions = [aSession({ id: 's1', name: 'api', place: 0 }), aSession({ id: 's2', name: 'web', place: 1, folder: '/srv/web' })];

const asked = (id: string, session: string, age: number): Request =>
  aRequest({ id, session, askedAt: NOW - age, questions: [aQuestion(1, { text: `What of ${id}?` })] });
const asks = (id: string, age: number, changes: Partial<Approval> = {}): Approval =>
  anApproval({ id, session: 's2', askedAt: NOW - age, ...changes });

const item = (id: string) => within(document.querySelector<HTMLElement>(`[data-inbox-item="${id}"]`)!);
const article = (id: string) => document.querySelector<HTMLElement>(`[data-inbox-item="${id}"]`)!;

async function openInbox(approvals: Approval[], requests: Request[] = [], bridge = new FakeBridge()) {
  bridge.snapshot = { ...bridge.snapshot, sessions, approvals, requests };
  const all = await openPage(bridge);
  await all.user.click(button(/^Inbox/));
  return all;
}

describe('case_81 a permission request in the inbox', () => {
  test('is decided in place if the whole request can be read there', async () => {
    const subject: ToolDetail = { detail: 'command', command: 'pnpm db:migrate --env staging', description: 'Add a column\ntimeout: 90' };
    const { bridge, user } = await openInbox([asks('p1', 9_000, { subject, description: 'Add a column' })]);
    const card = item('p1').getByRole('group', { name: 'Run this command?' });
    expect(card).toHaveTextContent('pnpm db:migrate --env staging');
    expect(card).toHaveTextContent(/Bash · The model says: “Add a column\s+timeout: 90” · \/srv\/web/);
    expect(item('p1').queryByRole('button', { name: /Review/ })).toBeNull();
    await expectNoViolations();
    await user.click(item('p1').getByRole('button', { name: 'Allow once' }));
    expect(bridge.sent('decide_approval')).toMatchObject([{ id: 'p1', decision: aDecision('allow') }]);
    expect(item('p1').getByText('Allowed once: Bash')).toBeVisible();
    expect(item('p1').queryByRole('button', { name: /Allow|Deny/ })).toBeNull();
    expect(screen.getByRole('region', { name: 'Requests' })).toBeVisible();
  });

  const lines = Array.from({ length: 84 }, (_, n) => `+line ${n}`).join('\n');
  const long: Partial<Approval> = {
    title: 'Edit',
    subject: { detail: 'edit', path: '/srv/web/terraform/prod.tf', diff: `@@ -0,0 +1,84 @@\n${lines}` },
  };
  const command = (text: string): ToolDetail => ({ detail: 'command', command: text, description: null });

  test.each<[Partial<Approval>, string, string]>([
    [long, 'Change terraform/prod.tf?', 'Too long to decide here: 84 changed lines.'],
    [{ title: 'Fetch', subject: { detail: 'other', input: '{}' } }, 'Use Fetch?', 'Fetch can’t be shown in full here.'],
    [{ subject: command('ls\n… [cut at 256 KiB]') }, 'Run this command?', 'Too long to decide here: the end is cut off.'],
    [{ subject: command('rm -r a\u00a0b') }, 'Run this command?', 'Has characters that can’t be shown clearly here.'],
    [
      { title: 'ExitPlanMode', subject: { detail: 'plan', plan: 'Look', path: null }, options: planOptions('default') },
      'Plan to review',
      'Plans are reviewed in their session.',
    ],
  ])('that can’t be read in full there says why: %j', (changes, title, why) => {
    const approval = asks('p1', 9_000, changes);
    expect([wordsOfAskIn(approval, '/srv/web'), wordsOfUnreadable(approval, readableHere(approval))]).toEqual([title, why]);
  });

  test('that can’t be read in full there leads to its session', async () => {
    const { bridge, user } = await openInbox([asks('p1', 9_000, long)]);
    expect(item('p1').getByRole('heading', { name: 'Change terraform/prod.tf?' })).toBeVisible();
    expect(item('p1').getByText('Too long to decide here: 84 changed lines.')).toBeVisible();
    expect(item('p1').queryByRole('button', { name: /Allow|Deny|Approve/ })).toBeNull();
    await user.click(item('p1').getByRole('button', { name: 'Review' }));
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(document.activeElement?.getAttribute('data-approval')).toBe('p1');
    expect(bridge.sent('decide_approval')).toEqual([]);
  });

  test('is never decided by a key, nor mixed up with a question', async () => {
    const { bridge, user } = await openInbox(
      [asks('p1', 20_000), asks('p2', 5_000, { title: 'Shell' })],
      [asked('a', 's1', 9_000), asked('b', 's1', 3_000)],
    );
    await user.keyboard('k');
    expect(article('p1')).toHaveFocus();
    await user.keyboard('12{Enter} yadn{Control>}{Enter}{/Control}');
    item('p1').getByRole('group', { name: 'Run this command?' }).focus();
    await user.keyboard('12{Enter} yadn{Control>}{Enter}{/Control}');
    expect(bridge.sent('decide_approval')).toEqual([]);
    expect(document.querySelector('.icon-shield')).not.toBeNull();
    expect(article('a').querySelector('.icon-shield')).toBeNull();
    // After an answer, the focus skips the permission request between the questions.
    await user.click(item('a').getByRole('radio', { name: 'JWT' }));
    await user.click(item('a').getByRole('button', { name: 'Submit' }));
    expect(article('b')).toContainElement(document.activeElement as HTMLElement);
    await user.click(item('p1').getByRole('button', { name: 'Deny' }));
    expect(bridge.sent('answer_question')).toHaveLength(1);
    expect(bridge.sent('decide_approval')).toMatchObject([{ id: 'p1', decision: aDecision('deny') }]);
    await settle();
    expect(article('p2')).toHaveFocus();
    await user.keyboard('{Enter}1');
    expect(bridge.sent('decide_approval')).toHaveLength(1);
  });
});

describe('case_81 identical permission requests', () => {
  const three = () => [
    asks('p1', 9_000, { description: 'Check the column types' }),
    asks('p2', 8_000, { description: 'Find other readers' }),
    asks('p3', 7_000, { description: 'Write the rollback' }),
  ];

  test.each([
    ['Allow all 3 once', 'allow', 'Allowed once: Bash'],
    ['Deny all 3', 'deny', 'Denied: Bash'],
  ])('are one item that lists each, and each is answered by a command of its own: %s', async (name, option, said) => {
    const { bridge, user } = await openInbox(three());
    expect(screen.getAllByRole('article')).toHaveLength(1);
    expect(item('p1').getByText('3 identical')).toBeVisible();
    expect(texts(item('p1').getAllByRole('listitem'))).toEqual([
      expect.stringContaining('Check the column types'),
      expect.stringContaining('Find other readers'),
      expect.stringContaining('Write the rollback'),
    ]);
    await user.click(item('p1').getByRole('button', { name }));
    const sent = bridge.sent('decide_approval');
    expect(sent).toMatchObject(['p1', 'p2', 'p3'].map((id) => ({ id, decision: aDecision(option) })));
    expect(new Set(sent.map(({ requestId }) => requestId)).size).toBe(3);
    expect(item('p1').getAllByText(said)).toHaveLength(3);
  });

  test('leave out one that has ended meanwhile, and say so', async () => {
    const all = three();
    const { bridge, user } = await openInbox(all);
    const gone: Approval = { ...all[1]!, state: { state: 'withdrawn', at: Date.now() + 1 } };
    await bridge.push({ change: 'approval', approval: gone });
    expect(item('p1').getByText('No longer needed: Bash')).toBeVisible();
    await user.click(item('p1').getByRole('button', { name: 'Allow all 2 once' }));
    expect(bridge.sent('decide_approval').map(({ id }) => id)).toEqual(['p1', 'p3']);
  });

  test('leave out one whose end the page does not know yet, and say so', async () => {
    const refusing: FakeBridge = new FakeBridge().on('decide_approval', ({ id, decision }) => {
      if (id === 'p2') throw anError({ code: 'already_ended' });
      return { ...refusing.approval(id), state: { state: 'decided', decision, at: Date.now(), error: null } };
    });
    const { user, bridge } = await openInbox(three(), [], refusing);
    await user.click(item('p1').getByRole('button', { name: 'Allow all 3 once' }));
    expect(bridge.sent('decide_approval')).toHaveLength(3);
    expect(item('p1').getAllByText('Allowed once: Bash')).toHaveLength(2);
    expect(within(document.querySelector<HTMLElement>('[data-same="p2"]')!).getByRole('alert')).toBeVisible();
  });
});

describe('the keys of the inbox', () => {
  const hints = () => screen.getByRole('list', { name: 'Shortcuts here' });

  test('J and K go through the requests, and O opens the session of the current one', async () => {
    const { bridge, user } = await openInbox([asks('p1', 9_000)], [asked('a', 's1', 20_000), asked('b', 's2', 3_000)]);
    expect(hints()).toHaveTextContent(/^JK next, previous request ?O open session$/);
    expect(article('a')).toHaveAttribute('aria-current', 'true');
    await user.keyboard('j');
    expect(article('p1')).toHaveFocus();
    await user.keyboard('k');
    expect(article('a')).toContainElement(document.activeElement as HTMLElement);
    expect(document.activeElement).toHaveAttribute('type', 'radio');
    expect(hints()).toHaveTextContent(/next, previous request ?1–3 answer.*open session$/);
    await user.keyboard('j');
    expect(article('p1')).toHaveFocus();
    expect(article('p1')).toHaveAttribute('aria-current', 'true');
    expect(hints()).toHaveTextContent(/^JK next, previous request ?O open session$/);
    await user.keyboard('j');
    expect(article('b')).toContainElement(document.activeElement as HTMLElement);
    await user.keyboard('jkk');
    expect(article('a')).toContainElement(document.activeElement as HTMLElement);
    await user.keyboard('jo');
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(document.activeElement?.getAttribute('data-approval')).toBe('p1');
    expect([...bridge.sent('decide_approval'), ...bridge.sent('answer_question'), ...bridge.sent('hold_end')]).toEqual([]);
  });

  test('are text in a text field, and nothing in the sidebar or with a modifier', async () => {
    const { user, store } = await openInbox([], [asked('a', 's1', 20_000), asked('b', 's2', 3_000)]);
    const own = item('a').getByRole('textbox', { name: 'Your own answer' });
    await user.type(own, 'jok');
    expect(own).toHaveFocus();
    expect(own).toHaveValue('jok');
    expect(screen.queryByText('open session')).toBeNull();
    button('Settings').focus();
    await user.keyboard('jo');
    expect(button('Settings')).toHaveFocus();
    article('a').focus();
    await user.keyboard('{Alt>}j{/Alt}');
    expect(article('a')).toHaveFocus();
    expect(store.state.navigation.place.at).toBe('inbox');
  });

  test('skip what has ended', async () => {
    const requests = [asked('a', 's1', 20_000), asked('b', 's2', 9_000), asked('c', 's1', 3_000)];
    const { bridge, user } = await openInbox([], requests);
    await bridge.push({ change: 'request', request: { ...requests[1]!, state: ended(withdrawn(), null, Date.now() + 1) } });
    await user.keyboard('jj');
    expect(article('c')).toContainElement(document.activeElement as HTMLElement);
    await user.keyboard('k');
    expect(article('a')).toContainElement(document.activeElement as HTMLElement);
  });
});

test('the context shows the session of the current request and the last text of its agent', async () => {
  matchingMedia.add('(width >= 1100px)');
  const bridge = new FakeBridge();
  bridge.entries['s2'] = [
    anEntry(1, { kind: 'agent', text: 'First.' }),
    anEntry(2, { kind: 'agent', text: 'The guard is in place.' }),
    anEntry(3, { kind: 'approval', approval: 'p1' }),
  ];
  const { user } = await openInbox([asks('p1', 9_000)], [asked('a', 's1', 20_000)], bridge);
  const context = () => within(screen.getByRole('region', { name: 'Session of the current request' }));
  expect(context().getByRole('heading', { name: 'api' })).toBeInTheDocument();
  await user.keyboard('jj');
  expect(context().getByRole('heading', { name: 'web' })).toBeInTheDocument();
  expect(context().getByText('The guard is in place.')).toBeInTheDocument();
  expect(context().queryByText('First.')).toBeNull();
  await user.click(context().getByRole('button', { name: 'Open' }));
  expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
  expect(document.activeElement?.getAttribute('data-approval')).toBe('p1');
});

test('the context is neither shown nor read where it has no room', async () => {
  const read = async () => {
    const { bridge, unmount } = await openInbox([asks('p1', 9_000)]);
    const sessionsRead = bridge.sent('read_transcript').map(({ session }) => session);
    const shown = screen.queryByRole('region', { name: 'Session of the current request' }) !== null;
    unmount();
    return { shown, read: sessionsRead.includes('s2') };
  };
  expect(await read()).toEqual({ shown: false, read: false });
  matchingMedia.add('(width >= 1100px)');
  expect(await read()).toEqual({ shown: true, read: true });
});
