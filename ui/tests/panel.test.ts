import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Question, Request } from '../src/generated/wire';
import {
  anApproval,
  anEntry,
  answered,
  aQuestion,
  aRequest,
  aSession,
  delivered,
  ended,
  undelivered,
  withdrawn,
} from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, held, openPage, ownAnswer, panel, radio, settle, skipWithMessage } from './open';
import { holding, pair } from './openCard';

const open = (questions: Question[], changes: Partial<Request> = {}) => {
  const bridge = new FakeBridge({ requests: [aRequest({ questions, ...changes })] });
  bridge.on('answer_question', ({ id, answers }) => answered(bridge.request(id), answers));
  return openPage(bridge);
};

const lone = () => [aQuestion(1, { text: 'Which way?', options: ['OAuth 2.0 (Recommended)', 'JWT'] })];

describe('filling in', () => {
  test('a question is a named group of native inputs, and nothing is chosen beforehand', async () => {
    await open(lone());
    const group = screen.getByRole('group', { name: /Which way\?/ });
    const radios = within(group).getAllByRole<HTMLInputElement>('radio');
    expect(radios.map((input) => input.checked)).toEqual([false, false, false]);
  });

  test('a recommended option has a badge instead of the suffix in its label', async () => {
    await open(lone());
    expect(radio('OAuth 2.0')).toHaveAccessibleDescription('Recommended');
  });

  test('case_05_a_long_header_is_shortened_on_screen_only', async () => {
    const header = 'A header that has exactly forty letters.';
    await open([aQuestion(1, { header })]);
    const chip = screen.getByTitle(header);
    expect(chip.querySelector('[aria-hidden]')).toHaveTextContent('A header th…');
    expect(screen.getByRole('group')).toHaveAccessibleName(expect.stringContaining(header));
  });

  test('case_06_two_questions_with_one_header_and_text_are_answered_apart', async () => {
    const same = { header: 'Same', text: 'Same?', options: ['Yes', 'No'] };
    const { user, bridge } = await open([aQuestion(1, same), aQuestion(2, same)]);
    await user.click(radio('Yes'));
    await user.click(radio('No'));
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')[0]?.answers).toMatchObject([
      { question: 'q1', chosen: ['q1o1'] },
      { question: 'q2', chosen: ['q2o2'] },
    ]);
  });

  test('case_07_there_is_one_other_row_and_it_stands_last', async () => {
    await open([aQuestion(1, { otherDescription: 'Something else', options: ['A', 'B'] })]);
    const radios = screen.getAllByRole('radio');
    expect(screen.getAllByRole('radio', { name: 'Other' })).toHaveLength(1);
    expect(radios.at(-1)).toHaveAccessibleName('Other');
    expect(radios.at(-1)).toHaveAccessibleDescription('Something else');
  });

  test('there is no Other if the question doesn’t allow it', async () => {
    await open([aQuestion(1, { allowsOther: false })]);
    expect(screen.queryByRole('radio', { name: 'Other' })).toBeNull();
  });

  test('case_08_a_label_with_a_comma_stays_whole_in_the_summary', async () => {
    const { user } = await open([aQuestion(1, { options: ['Yes, always', 'No'] }), pair()[1]!]);
    await user.click(radio('Yes, always'));
    await user.click(button('Summary'));
    expect(within(panel()).getByText('Yes, always')).toBeVisible();
  });

  test('case_10_ticks_and_own_words_are_sent_together', async () => {
    const { user, bridge } = await open([pair()[1]!]);
    await user.click(checkbox('GitHub'));
    await user.click(checkbox('Google'));
    await user.type(ownAnswer(), 'and GitLab');
    expect(checkbox('Other').checked).toBe(true);
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')[0]?.answers).toEqual([
      { question: 'q2', chosen: ['q2o1', 'q2o2'], other: 'and GitLab', note: null },
    ]);
  });

  test('case_11_blank_other_counts_as_unanswered_and_the_rest_is_sent_after_a_warning', async () => {
    const { user, bridge } = await open(pair());
    await user.click(radio('JWT'));
    await user.click(checkbox('Other'));
    await user.type(ownAnswer(), '   ');
    await user.click(button('Summary'));
    expect(within(panel()).getByText('Not answered')).toBeVisible();
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')).toEqual([]);
    expect(screen.getByRole('alert')).toHaveTextContent('Not answered: Providers');
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')[0]?.answers).toMatchObject([{ question: 'q1', chosen: ['q1o2'] }]);
  });

  test('case_14_a_row_of_the_summary_opens_its_question_with_its_answer', async () => {
    const { user } = await open(pair());
    await user.click(radio('JWT'));
    await user.click(button('Summary'));
    await user.click(button(/^Method\s+JWT/));
    expect(radio('JWT').checked).toBe(true);
  });

  test('case_18_arrow_keys_choose_within_the_group_and_never_send_or_go_on', async () => {
    const { user, bridge } = await open(pair());
    radio('OAuth 2.0').focus();
    await user.keyboard('{ArrowDown}');
    expect(radio('JWT').checked).toBe(true);
    expect(bridge.sent('answer_question')).toEqual([]);
  });

  test('Tab skips the field of Other unless it is chosen', async () => {
    const { user } = await open(lone());
    await user.click(radio('JWT'));
    await user.tab();
    expect(radio('JWT').checked).toBe(true);
    expect(ownAnswer()).not.toHaveFocus();
  });
});

describe('sending', () => {
  test('case_24_an_answer_to_an_ended_question_says_already_closed', async () => {
    const { user, bridge } = await open(lone());
    bridge.fail('answer_question', { code: 'already_ended', retryable: false, ended: { by: 'elsewhere', at: 1 } });
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(within(panel()).getByRole('alert')).toHaveTextContent(/already closed \(elsewhere/);
    const state = ended(withdrawn({ why: 'answered_elsewhere' }));
    await bridge.push({ change: 'request', request: { ...bridge.request('r1'), state } });
    expect(within(panel()).getByRole('alert')).toHaveTextContent(/already closed/);
    await user.click(within(panel()).getByRole('button', { name: 'Close' }));
    expect(panel()).toHaveTextContent('Todos, changed files, and cost appear here');
  });

  test('case_32_a_failed_delivery_keeps_the_answers_and_offers_retry', async () => {
    const request = aRequest({ questions: lone() });
    const failed = answered(request, [{ question: 'q1', chosen: ['q1o2'] }], undelivered('the pipe broke'));
    const bridge = new FakeBridge({ requests: [failed] });
    bridge.entries['s1'] = [{ n: 1, at: 1, body: { kind: 'request', request: 'r1' } }];
    const { user } = await openPage(bridge);
    expect(panel()).toHaveTextContent('Not delivered: the pipe broke');
    expect(panel()).toHaveTextContent('JWT');
    const transcript = screen.getByRole('region', { name: 'Transcript of api' });
    expect(transcript).toHaveTextContent('Not delivered');
    expect(transcript).not.toHaveTextContent('JWT');
    expect(transcript.querySelector('.icon-check')).toBeNull();
    await user.click(button('Retry'));
    expect(bridge.sent('retry_delivery')).toMatchObject([{ id: 'r1' }]);
  });

  test('case_32_a_refused_submit_keeps_everything_and_the_next_one_has_the_same_id', async () => {
    const { user, bridge } = await open(lone());
    bridge.fail('answer_question', { code: 'storage_busy' });
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(within(panel()).getByRole('alert')).toHaveTextContent('The database is busy');
    expect(radio('JWT').checked).toBe(true);
    await user.click(button('Retry'));
    await user.click(radio('OAuth 2.0'));
    await user.click(button('Retry'));
    const ids = bridge.sent('answer_question').map((input) => input.requestId);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('case_33_submit_pressed_twice_sends_once', async () => {
    const { user, bridge } = await open(lone());
    bridge.on('answer_question', () => new Promise(() => undefined));
    await user.click(radio('JWT'));
    const submit = button('Submit');
    submit.click();
    submit.click();
    await settle();
    expect(bridge.sent('answer_question')).toHaveLength(1);
    expect(await screen.findByRole('button', { name: 'Sending…' })).toBeDisabled();
    await user.click(button('Sending…'));
    expect(bridge.sent('answer_question')).toHaveLength(1);
  });

  test('a fast submit doesn’t flicker', async () => {
    const { user, bridge } = await open(lone());
    const { promise, give } = held<Request>();
    bridge.on('answer_question', () => promise);
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(button('Submit')).toBeVisible();
    give(answered(bridge.request('r1'), [{ question: 'q1', chosen: ['q1o2'] }]));
    await settle();
    expect(screen.queryByRole('button', { name: 'Sending…' })).toBeNull();
  });

  test('the second click of a double click submits nothing', async () => {
    const { bridge } = await open(lone());
    await fireEvent.click(button('Submit'), { detail: 2 });
    expect(screen.queryByRole('alert')).toBeNull();
    expect(bridge.sent('answer_question')).toEqual([]);
  });

  test('an answer is shown as sent, then as delivered', async () => {
    const { user, bridge } = await open(lone());
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(panel()).toHaveTextContent('Sent, waiting for the agent');
    const request = answered(bridge.request('r1'), [{ question: 'q1', chosen: ['q1o2'] }], delivered);
    await bridge.push({ change: 'request', request });
    expect(within(panel()).getByRole('status')).toHaveTextContent('Delivered');
  });

  test('case_21_skipping_is_told_to_the_agent', async () => {
    const { user, bridge } = await open(lone());
    expect(button('Skip')).toHaveAttribute('title', 'The agent is told that you skipped');
    await user.click(button('Skip'));
    expect(bridge.sent('hold_end')).toMatchObject([{ id: 'r1', end: { end: 'canceled' } }]);
    expect([...bridge.sent('cancel_question'), ...bridge.sent('decline_question')]).toEqual([]);
    const state = ended(withdrawn({ why: 'canceled', reason: null }), delivered);
    await bridge.push({ change: 'hold_released', request: 'r1' }, { change: 'request', request: { ...bridge.request('r1'), state } });
    expect(screen.getByRole('heading', { name: 'Skipped' })).toBeVisible();
    expect(panel()).not.toHaveTextContent('Sent');
  });

  test('skipping asks before it deletes text that the user typed', async () => {
    const { user, bridge } = await open(lone());
    await user.type(ownAnswer(), 'a thought');
    await user.click(button('Skip'));
    expect(screen.getByRole('alert')).toHaveTextContent('This also deletes your draft.');
    await user.click(button('Keep'));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(ownAnswer()).toHaveValue('a thought');
    expect(bridge.sent('hold_end')).toEqual([]);
    await skipWithMessage(user);
    expect(screen.getByRole('group', { name: 'Skip this question' })).toHaveTextContent('This also deletes your draft.');
    await user.click(button('Back'));
    await user.click(button('Skip'));
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Skip' }));
    expect(bridge.sent('hold_end')).toMatchObject([{ end: { end: 'canceled' } }]);
  });

  test('keys in the menu beside Skip answer nothing, and Esc closes it', async () => {
    const { user, bridge } = await open(lone());
    await user.click(button('More ways to skip'));
    expect(screen.getByRole('menuitem', { name: 'Skip with message…' })).toHaveFocus();
    await user.keyboard('2n');
    expect(radio('JWT').checked).toBe(false);
    expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('menu')).toBeNull();
    expect(button('More ways to skip')).toHaveFocus();
    expect([...bridge.sent('hold_end'), ...bridge.sent('cancel_question')]).toEqual([]);
  });
});

describe('several at once', () => {
  test('the panel can be resized by keyboard and keeps its width in other sessions', async () => {
    const sessions = [aSession(), aSession({ id: 's2', name: 'web' })];
    const { user } = await openPage(new FakeBridge({ sessions }));
    const handle = () => screen.getByRole('separator', { name: 'Width of the side' });
    handle().focus();
    await user.keyboard('{ArrowLeft}');
    await user.click(button(/^web/));
    expect(handle()).toHaveAttribute('aria-valuenow', '424');
    expect(panel().parentElement?.style.getPropertyValue('--panel')).toBe('424px');
    handle().focus();
    await user.keyboard('{Home}');
    expect(handle()).toHaveAttribute('aria-valuenow', handle().getAttribute('aria-valuemin'));
    await user.keyboard('{End}');
    expect(handle()).toHaveAttribute('aria-valuenow', handle().getAttribute('aria-valuemax'));
  });

  test('case_22_two_requests_of_one_session_are_answered_in_any_order', async () => {
    const second = aRequest({ id: 'r2', askedAt: Date.now(), questions: [aQuestion(1, { text: 'Second?', header: 'Two' })] });
    const bridge = new FakeBridge({ requests: [aRequest({ questions: lone() }), second] });
    bridge.on('answer_question', (input) => answered(bridge.request(input.id), [{ question: 'q1', chosen: ['q1o1'] }]));
    const { user } = await openPage(bridge);
    expect(screen.getByRole('group', { name: /Which way/ })).toBeVisible();
    await user.click(button('Question Two'));
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')).toMatchObject([{ id: 'r2' }]);
    expect(screen.getByRole('group', { name: /Which way/ })).toBeVisible();
  });

  test('case_36_needing_the_user_outranks_working_and_looking_does_not_clear_it', async () => {
    const bridge = new FakeBridge({
      sessions: [aSession(), aSession({ id: 's2', name: 'web' })],
      requests: [aRequest({ session: 's2', questions: pair() })],
    });
    const { user } = await openPage(bridge);
    const row = () => screen.getByRole('button', { name: /^web/ });
    expect(row()).toHaveAttribute('data-state', 'needs_you');
    expect(row()).toHaveTextContent('Needs you: 1 question');
    await user.click(row());
    await user.click(screen.getByRole('button', { name: /api.*Working/ }));
    expect(row()).toHaveAttribute('data-state', 'needs_you');
    expect(row()).toHaveTextContent('Needs you');
  });
});

describe('the side', () => {
  const shownCard = () => panel().querySelector('[data-card]')?.getAttribute('data-card');
  const two = (session = aSession()) =>
    new FakeBridge({ sessions: [session], requests: [aRequest({ questions: lone() })], approvals: [anApproval()] });

  test('case_145 in every state the same foot ends the card, and no button in it changes its width', async () => {
    const request = aRequest({ questions: pair() });
    const { user, bridge } = await openPage(new FakeBridge({ requests: [request] }));
    bridge.on('hold_end', ({ id, end }) => {
      bridge.push({ change: 'end_held', held: holding({ request: id, end }) });
      return {};
    });
    const widths = () => {
      const [foot, ...more] = panel().querySelectorAll('[data-card] [data-foot]');
      expect(more).toEqual([]);
      expect(foot?.nextElementSibling).toBeNull();
      const words = (stack: Element) => [...stack.querySelectorAll<HTMLElement>('[data-words]')].map(({ dataset }) => dataset['words']);
      const [line, acts] = foot!.children;
      expect(line).toBeVisible();
      return [...acts!.querySelectorAll('.stacked')].map((stack) => words(stack).sort());
    };
    const first = widths();
    expect(first).toEqual([expect.arrayContaining(['Skip', 'Skip all']), expect.arrayContaining(['Next', 'Submit'])]);
    const click = (name: string | RegExp) => () => user.click(button(name));
    const goes = (state: Request['state']) => () => bridge.push({ change: 'request', request: { ...request, state } });
    const outcome = answered(request, [{ question: 'q1', chosen: ['q1o1'] }]).state;
    const { outcome: end } = outcome as Extract<typeof outcome, { state: 'ended' }>;
    for (const step of [
      () => user.click(radio('JWT')),
      click(/^Next/),
      click(/^Submit/),
      () => skipWithMessage(user),
      click('Back'),
      click('Skip all'),
      goes(ended(end, { delivery: 'pending' })),
      goes(ended(end, undelivered('gone'))),
      goes(ended(end, delivered)),
    ]) {
      await step();
      await settle();
      expect(widths()).toEqual(first);
    }
  });

  test('case_145 the line above the buttons keeps its place while it says nothing, and Back where it leads nowhere', async () => {
    await open(lone());
    const [line, acts, ...more] = panel().querySelector('[data-card] [data-foot]')!.children;
    expect(line).toBeVisible();
    expect(line).toHaveTextContent('');
    expect(acts).toContainElement(button(/^Submit/));
    expect(more).toEqual([]);
    const back = screen.getByLabelText('Back');
    expect(back).not.toBeVisible();
    expect(back.closest('[hidden]')).toBeNull();
  });

  test('case_17_has_one_item_at_a_time_and_what_arrives_replaces_nothing_and_takes_neither_focus_nor_choice', async () => {
    const { user, bridge } = await openPage(new FakeBridge());
    await user.type(composer(), 'one ');
    await bridge.push({ change: 'request', request: aRequest({ id: 'r1', askedAt: 5, questions: lone() }) });
    await user.keyboard('1 ');
    expect(screen.queryByRole('navigation', { name: 'Waiting in this session' })).toBeNull();
    await bridge.push({ change: 'request', request: aRequest({ id: 'r0', askedAt: 1, questions: pair() }) });
    await bridge.push({ change: 'approval', approval: anApproval() });
    await user.keyboard('two');
    expect(shownCard()).toBe('r1');
    expect(composer()).toHaveFocus();
    expect(composer()).toHaveValue('one 1 two');
    expect(screen.queryByRole('radio', { checked: true })).toBeNull();
    const pills = within(screen.getByRole('navigation', { name: 'Waiting in this session' })).getAllByRole('button');
    expect(pills).toHaveLength(3);
  });

  test('no key leads from a question to a permission, only its pill does', async () => {
    const { user, bridge } = await openPage(two());
    bridge.on('answer_question', ({ id, answers }) => answered(bridge.request(id), answers));
    expect(panel().querySelector('[data-approval]')).toBeNull();
    await user.click(button('Permission'));
    expect(panel().querySelector('[data-request]')).toBeNull();
    await user.click(button(/^Question /));
    await user.click(radio('JWT'));
    await user.click(button('Submit'));
    expect(panel().querySelector('[data-approval]')).not.toBeNull();
    expect(panel().querySelector('[data-approval]')?.contains(document.activeElement)).toBe(false);
  });

  test('stays folded for good when something arrives, also in the next window, and F6 opens it', async () => {
    const first = await openPage(new FakeBridge());
    await first.user.keyboard('{Control>}b{/Control}');
    first.unmount();
    const { user, bridge, store } = await openPage(new FakeBridge());
    expect(store.state.sideFolded).toBe(true);
    await bridge.push({ change: 'request', request: aRequest({ questions: lone() }) });
    expect(shownCard()).toBeUndefined();
    expect(button('1 question, open the side')).toHaveTextContent('1');
    while (store.state.sideFolded) await user.keyboard('{F6}');
    expect(radio('OAuth 2.0')).toHaveFocus();
  });

  test('has todos, changed files, what works in the background, and the cost, or says what will be there', async () => {
    const bridge = new FakeBridge({ sessions: [aSession(), aSession({ id: 's2', name: 'web' })] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'plan', items: [{ text: 'Add the guard', status: 'done' }] })];
    const totals = { files: 1, added: 2, removed: 1, state: 1 };
    const file = { id: 'a.ts', path: 'a.ts', oldPath: null, kind: 'modified', content: 'text', added: 2, removed: 1, version: 'v1' };
    bridge.on('list_changes', () => ({ files: [file], totals, unlisted: 0, unreadable: 0, unrecorded: [] }) as never);
    const { user } = await openPage(bridge);
    await bridge.push({ change: 'files_changed', session: 's1', totals });
    expect(within(panel()).getByRole('region', { name: /^Todos/ })).toHaveTextContent('Add the guard');
    expect(within(panel()).getByRole('button', { name: /a\.ts/ })).toBeVisible();
    await user.click(button(/^web/));
    expect(panel()).toHaveTextContent('Todos, changed files, and cost appear here');
  });
});
