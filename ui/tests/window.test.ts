import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { EntryBody, Session, Timestamp } from '../src/generated/wire';
import {
  anApproval,
  anEntry,
  answered,
  aQuestion,
  aRequest,
  aSession,
  aTool,
  delivered,
  ended,
  turnEnded,
  undelivered,
  withdrawn,
} from '../src/testing/builders';
import { clock } from '../src/shared/clock.svelte';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, settle, skippableTime } from './open';

const transcript = () => screen.getByRole('region', { name: 'Transcript of api' });

test('a gateway that can’t open is shown with its cause until it opens', async () => {
  const bridge = new FakeBridge();
  bridge.gateway = "can't use the token file /data/token: is a directory";
  const { user } = await openPage(bridge);
  const words = /Other programs can’t ask you anything: can't use the token file \/data\/token: is a directory\./;
  expect(screen.getByText(words)).toBeVisible();
  await user.click(button('Retry'));
  expect(bridge.gatewayRetries).toBe(1);
  expect(screen.getByText(words)).toBeVisible();
  await bridge.changeGateway(null);
  expect(screen.queryByText(words)).toBeNull();
  await bridge.changeGateway('no port');
  expect(screen.getByText(/no port/)).toBeVisible();
});

test('select all takes the transcript and nothing around it, and in a field the text of the field', async () => {
  const bridge = new FakeBridge();
  bridge.entries['s1'] = [anEntry(1, { kind: 'user', text: 'what was said', attachments: [] })];
  const { user } = await openPage(bridge);
  const all = '{Control>}a{/Control}';
  const selected = () => document.getSelection()!.toString().replace(/\s+/g, ' ').trim();
  await user.type(composer(), 'draft');
  await user.keyboard(all);
  expect([composer().selectionStart, composer().selectionEnd]).toEqual([0, 5]);
  button('New session').focus();
  await user.keyboard(all);
  expect(selected()).toContain('what was said');
  expect(document.getSelection()!.getRangeAt(0).commonAncestorContainer).toBe(transcript());
  document.getSelection()!.removeAllRanges();
  await user.click(button(/^Inbox/));
  await user.keyboard(all);
  expect(selected()).toBe('');
});

test('case_133_a_page_that_was_loaded_again_after_a_crash_says_so_once', async () => {
  const bridge = new FakeBridge();
  bridge.pageCrashed = true;
  const { user, unmount } = await openPage(bridge);
  const words = /stopped working and was loaded again\. Nothing was sent/;
  expect(screen.getByText(words)).toBeVisible();
  await user.click(button('Close message'));
  expect(screen.queryByText(words)).toBeNull();
  unmount();
  await openPage(bridge);
  expect(screen.queryByText(words)).toBeNull();
});

describe('the transcript', () => {
  const show = async (bodies: EntryBody[], bridge = new FakeBridge()) => {
    bridge.entries['s1'] = bodies.map((body, index) => anEntry(index + 1, body));
    return openPage(bridge);
  };

  test('a tool call is one line that expands to its input and output', async () => {
    const { user } = await show([aTool({ summary: 'a.rs', detail: { detail: 'other', input: 'the input' }, output: 'the output' })]);
    expect(transcript()).not.toHaveTextContent('the output');
    await user.click(within(transcript()).getByText('a.rs'));
    expect(transcript()).toHaveTextContent('the output');
  });

  test('case_02_a_question_is_one_card_and_no_raw_json', async () => {
    const bridge = new FakeBridge({ requests: [aRequest()] });
    await show([{ kind: 'request', request: 'r1' }], bridge);
    expect(document.querySelectorAll('[data-card="r1"]')).toHaveLength(1);
    expect(transcript()).toHaveTextContent(/Question 1\?.*waiting/);
    expect(transcript()).not.toHaveTextContent(/[{}"]/);
  });

  test('the line of an open question focuses its first field', async () => {
    const bridge = new FakeBridge({ requests: [aRequest()] });
    const { user } = await show([{ kind: 'request', request: 'r1' }], bridge);
    await user.click(button('Fold side'));
    await user.click(within(transcript()).getByRole('button', { name: /waiting/ }));
    expect(screen.getAllByRole('radio')[0]).toHaveFocus();
    expect(screen.getAllByRole<HTMLInputElement>('radio').some((input) => input.checked)).toBe(false);
  });

  test('case_26_an_aborted_turn_closes_the_card_and_clears_the_badge', async () => {
    const { bridge } = await show([{ kind: 'request', request: 'r1' }], new FakeBridge({ requests: [aRequest()] }));
    const state = ended(withdrawn({ why: 'interrupted' }));
    await bridge.push({ change: 'request', request: aRequest({ state }) });
    expect(document.querySelector('[data-card]')).toBeNull();
    expect(await within(transcript()).findByText('Closed when you stopped the agent')).toBeVisible();
    expect(button(/^api/)).toHaveAttribute('data-state', 'working');
  });

  test('answered questions whose header another has too are named by their text', async () => {
    const asked = (id: string, text: string) => {
      const request = aRequest({ id, questions: [aQuestion(1, { header: 'Pick', text })] });
      return answered(request, [{ question: 'q1', chosen: ['q1o2'] }], delivered);
    };
    const requests = [asked('r1', 'Which wall?'), asked('r2', 'Which door?')];
    await show(
      requests.map(({ id }) => ({ kind: 'request', request: id })),
      new FakeBridge({ requests }),
    );
    expect(transcript()).toHaveTextContent(/Which wall\? JWT.*Which door\? JWT/);
    expect(transcript()).not.toHaveTextContent('Pick:');
  });

  test('case 112: a retry is shown until the agent goes on, and the text of the failed attempt is dropped', async () => {
    const { bridge } = await show([]);
    const added = { session: 's1', kind: 'text', text: 'Half a sent' } as const;
    await bridge.push({ change: 'live_text', added }, { change: 'live_text', added: { ...added, text: 'ence' } });
    expect(within(transcript()).getByText('Half a sentence')).toBeVisible();
    const retry = { attempt: 2, of: 10, reason: 'Overloaded (529)', at: clock.now + 4000 };
    await bridge.push({ change: 'live_cleared', session: 's1' }, { change: 'retry', session: 's1', retry });
    expect(within(transcript()).queryByText('Half a sentence')).toBeNull();
    expect(within(transcript()).getByRole('status')).toHaveTextContent(/^Overloaded \(529\) · Attempt 2 of 10 · Retrying in 4 s$/);
    const other = { ...retry, of: null, at: null };
    await bridge.push({ change: 'retry', session: 's1', retry: other });
    expect(within(transcript()).getByRole('status')).toHaveTextContent('Overloaded (529) · Attempt 2 · Retrying now…');
    await bridge.push({ change: 'retry', session: 's1', retry: null });
    expect(within(transcript()).queryByRole('status')).toBeNull();
  });

  test('turns in which the agent did nothing are not listed', async () => {
    await show([
      { kind: 'agent', text: 'Five subagents are at work.' },
      { ...turnEnded, millis: 900, inputTokens: 10, outputTokens: 10 },
      { ...turnEnded, millis: 0 },
      { ...turnEnded, millis: 0 },
      { ...turnEnded, millis: 0, error: 'Overloaded' },
    ]);
    expect(within(transcript()).getAllByText(/^Turn finished/)).toHaveLength(1);
    expect(transcript()).toHaveTextContent('Overloaded');
  });

  const goOn: EntryBody = { kind: 'user', text: 'Go on.', attachments: [] };
  const replaced: EntryBody = { kind: 'notice', notice: { notice: 'program_replaced' } };

  test.each<[string, EntryBody[]]>([
    [
      'The sign-in changed since this session started',
      [
        { kind: 'notice', notice: { notice: 'sign_in_changed', error: 'No access (401)' } },
        { ...turnEnded, millis: 900, error: 'No access (401)' },
      ],
    ],
    [
      'The agent’s program was updated or removed while this session runs',
      [goOn, replaced, { kind: 'agent', text: 'Trying.' }, { kind: 'agent', text: 'I could not.' }],
    ],
  ])('“%s”: the session restarts on request', async (words, bodies) => {
    const { bridge, user } = await show(bodies);
    bridge.on('stop_session', () => ({})).on('resume_session', () => aSession());
    expect(transcript()).toHaveTextContent(words);
    await user.click(button('Restart session'));
    expect(bridge.sent('stop_session')).toMatchObject([{ session: 's1' }]);
    expect(bridge.sent('resume_session')).toMatchObject([{ session: 's1' }]);
    expect(within(transcript()).queryByRole('button', { name: 'Restart session' })).toBeNull();
  });

  test('after the next message, a restart for an updated program is not offered any more', async () => {
    await show([replaced, goOn]);
    expect(within(transcript()).queryByRole('button', { name: 'Restart session' })).toBeNull();
  });

  test('case 137: what the agent says in an unknown way is marked and readable, and a refused request is folded', async () => {
    const { user } = await show([
      { kind: 'notice', notice: { notice: 'not_understood', kind: 'item/poll', text: 'Which <b>one</b>?', refused: false } },
      { kind: 'notice', notice: { notice: 'not_understood', kind: 'ask/poll', text: '{"method":"ask/poll"}', refused: true } },
    ]);
    expect(within(transcript()).getByText(/doesn’t know this kind of message from the agent \(item\/poll\)/)).toBeVisible();
    expect(within(transcript()).getByText('Which <b>one</b>?')).toBeVisible();
    const refused = within(transcript()).getByText(/doesn’t know \(ask\/poll\)\. Askdesk refused it/);
    expect(within(transcript()).queryByText('{"method":"ask/poll"}')).toBeNull();
    await user.click(refused);
    expect(within(transcript()).getByText('{"method":"ask/poll"}')).toBeVisible();
  });

  test('every notice and the end of a turn have a text', async () => {
    const notices: [Extract<EntryBody, { kind: 'notice' }>['notice'], string][] = [
      [{ notice: 'question_refused', reason: 'questions[0].options: too few' }, 'questions[0].options: too few'],
      [{ notice: 'permission_refused', reason: 'an unknown kind' }, 'denied it and told the agent: an unknown kind'],
      [{ notice: 'agent_warned', text: 'Reconnecting' }, 'The agent warns: Reconnecting'],
      [{ notice: 'agent_unsaved', what: 'conversation' }, 'couldn’t store a part of this conversation'],
      [
        { notice: 'model_refused', refused: 'opus', model: 'sonnet', lasting: true, why: 'Too risky.' },
        'opus refused a request, and sonnet answered it. The session goes on with sonnet. Reason: Too risky.',
      ],
      [{ notice: 'question_turned_off', policy: 'never', text: 'Which store?' }, 'continue on its own. It asked: Which store?'],
      [{ notice: 'question_turned_off', policy: 'plan_only', text: 'Which cache?' }, 'in plan mode only'],
      [{ notice: 'answers_brought' }, 'supplied the answers itself'],
      [{ notice: 'conversation_reset' }, 'forgot the conversation so far'],
      [{ notice: 'login_rejected', error: 'No (401)' }, 'rejected the agent’s key or login (No (401))'],
    ];
    await show([
      ...notices.map(([notice]): EntryBody => ({ kind: 'notice', notice })),
      { ...turnEnded, millis: 42_000, inputTokens: 1200, outputTokens: 34 },
      { ...turnEnded, millis: 900, error: 'overloaded' },
    ]);
    for (const [, words] of notices) expect(transcript()).toHaveTextContent(words);
    expect(transcript()).toHaveTextContent('Turn finished in 42 s · 1,200 tokens in, 34 out');
    expect(transcript()).toHaveTextContent('Turn failed after 0.9 s: The model provider is overloaded');
  });
});

describe('permissions', () => {
  const open = () => openPage(new FakeBridge({ approvals: [anApproval({ description: 'Clean up' })] }));
  const card = () => screen.getByRole('region', { name: 'Permission' });

  test('a permission request is a card with exactly what would run', async () => {
    await open();
    expect(card()).toHaveTextContent('Clean up');
    // Highlighting, which is loaded later, splits the command into elements.
    const command = card().querySelector('pre');
    expect(command).toBeVisible();
    expect(command?.textContent?.trim()).toBe('rm -r build');
  });

  test('denying with a message needs a message', async () => {
    const { user, bridge } = await open();
    await user.click(button('More ways to deny'));
    await user.click(screen.getByRole('menuitem', { name: 'Deny with message…' }));
    await user.click(button('Deny and send'));
    expect(within(card()).getByRole('alert')).toHaveTextContent('Write a message');
    expect(bridge.sent('decide_approval')).toEqual([]);
  });
});

describe('the composer', () => {
  const atRest = () => new FakeBridge({ sessions: [aSession({ state: { state: 'idle' } })] });

  test('Enter sends, Shift+Enter adds a line, and neither works during composition', async () => {
    const { user, bridge } = await openPage(atRest());
    await user.type(composer(), 'one{Shift>}{Enter}{/Shift}two');
    await fireEvent.keyDown(composer(), { key: 'Enter', isComposing: true });
    await fireEvent.keyDown(composer(), { key: 'Enter', keyCode: 229 });
    expect(bridge.sent('send_message')).toEqual([]);
    await user.keyboard('{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{ session: 's1', text: 'one\ntwo' }]);
    expect(composer()).toHaveValue('');
  });

  test('case_35_it_says_that_a_reply_ends_the_open_questions', async () => {
    await openPage(new FakeBridge({ requests: [aRequest()] }));
    expect(composer()).toHaveAttribute('placeholder', 'Reply in chat…');
    expect(composer()).toHaveAccessibleDescription(/^Enter replies in chat and closes 1 question\./);
  });

  test('case_145 its button keeps the width of its longest word, whatever Enter does', async () => {
    const { user, bridge } = await openPage(atRest());
    const reserved = () =>
      [...document.querySelectorAll<HTMLElement>('[data-send] [data-words]')].map(({ dataset }) => dataset['words'] ?? '').sort();
    const first = reserved();
    expect(first).toEqual(expect.arrayContaining(['Queue', 'Reply in chat', 'Send']));
    await user.type(composer(), 'a');
    await bridge.push({ change: 'request', request: aRequest() });
    expect(button(/^Reply/)).toBeVisible();
    expect(reserved()).toEqual(first);
  });

  test('Stop interrupts', async () => {
    const { user, bridge } = await openPage(new FakeBridge());
    await user.click(button('Stop'));
    expect(bridge.sent('interrupt_session')).toMatchObject([{ session: 's1' }]);
  });
});

describe('the window', () => {
  const failed: Session = aSession({
    unusableLines: 3,
    state: { state: 'ended', at: 1, end: { end: 'failed', why: { failure: 'desk_failed' } } },
  });

  test('a failed session says why, and its log opens', async () => {
    const bridge = new FakeBridge({ sessions: [failed] }).on('read_log', () => ({ lines: [{ at: 1, kind: 'unusable', text: '{"half' }] }));
    const { user } = await openPage(bridge);
    expect(screen.getByText('An internal error in Askdesk ended this session.')).toBeVisible();
    await user.click(button('3 unrecognized lines'));
    const dialog = screen.getByRole('dialog', { name: 'Session log: api' });
    expect(dialog).toHaveTextContent('{"half');
    await user.click(button('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a gap in the frames causes one new subscription', async () => {
    const { bridge } = await openPage(new FakeBridge());
    bridge.snapshot = { ...bridge.snapshot, seq: 5 };
    await bridge.push({ change: 'request', request: aRequest() });
    expect(bridge.subscriptions).toBe(2);
    expect(button(/^api/)).toHaveAttribute('data-state', 'needs_you');
  });

  test('a failed subscription is reported and retried', async () => {
    vi.useFakeTimers();
    const bridge = new FakeBridge();
    const subscribe = vi.spyOn(bridge, 'subscribe').mockRejectedValueOnce(new Error('no app'));
    const opened = openPage(bridge);
    await vi.advanceTimersByTimeAsync(10);
    await opened;
    expect(screen.getByRole('alert')).toHaveTextContent('can’t reach Askdesk. Quit and restart it. Details: no app');
    await vi.advanceTimersByTimeAsync(1500);
    vi.useRealTimers();
    await settle();
    expect(subscribe).toHaveBeenCalledTimes(2);
    expect(button(/^api/)).toBeVisible();
  });

  test('an undelivered answer needs the user', async () => {
    const request = answered(aRequest(), [{ question: 'q1', chosen: ['q1o1'] }], undelivered('no ear'));
    const { bridge } = await openPage(new FakeBridge({ requests: [request] }));
    expect(button(/^api/)).toHaveAttribute('data-state', 'needs_you');
    await bridge.push({ change: 'request', request: answered(request, [{ question: 'q1', chosen: ['q1o1'] }], delivered) });
    expect(button(/^api/)).not.toHaveAttribute('data-state', 'needs_you');
  });

  test('each change of the session in view is reported once', async () => {
    const sessions = [aSession(), aSession({ id: 's2', name: 'web' })];
    const { user, bridge } = await openPage(new FakeBridge({ sessions }));
    await user.click(button(/^web/));
    await user.click(button('New session'));
    expect(bridge.sent('note_view').map((view) => view.session)).toEqual(['s1', 's2', null]);
  });

  test('the first paint and the first paint of each request are reported once', async () => {
    const { bridge } = await openPage(new FakeBridge({ requests: [aRequest()] }));
    await waitFor(() =>
      expect(bridge.sent('note_painted')).toEqual([
        { request: null, at: expect.any(Number) },
        { request: 'r1', at: expect.any(Number) },
      ]),
    );
  });
});

describe('a session that is starting', () => {
  skippableTime();

  test('says after 20 seconds that its agent isn’t ready, and can be looked into and ended', async () => {
    const starting = aSession({ state: { state: 'starting' }, startedAt: Date.now() as Timestamp });
    const bridge = new FakeBridge({ sessions: [starting, aSession({ id: 's2', name: 'web' })] }).on('read_log', () => ({ lines: [] }));
    const { user } = await openPage(bridge);
    const said = () => screen.queryByText(/^Claude Code isn’t ready after 0:2[1-9]\.$/);
    await vi.advanceTimersByTimeAsync(18_000);
    expect(said()).toBeNull();
    expect(screen.queryByRole('button', { name: 'End session' })).toBeNull();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(said()).toBeVisible();
    expect(screen.getByText('Claude Code isn’t ready after 0:20.')).toHaveRole('status');
    await user.click(screen.getByRole('button', { name: /^web/ }));
    expect(said()).toBeNull();
    await user.click(screen.getByRole('button', { name: /^api/ }));
    expect(said()).toBeVisible();
    await user.click(button('Open session log'));
    expect(screen.getByRole('dialog', { name: 'Session log: api' })).toBeVisible();
    await user.click(button('Close'));
    await user.click(button('End session'));
    expect(bridge.sent('stop_session')).toMatchObject([{ session: 's1' }]);
    await bridge.push({ change: 'session', session: { ...starting, state: { state: 'idle' } } });
    expect(said()).toBeNull();
  });
});
