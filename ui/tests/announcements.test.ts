import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Change, EntryBody } from '../src/generated/wire';
import { anApproval, anEntry, aQuestion, aRequest, aSession, NOW, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, openPage } from './open';

type WebState = 'starting' | 'working' | 'idle' | 'failed';
const web = (state: WebState) =>
  aSession({
    id: 's2',
    name: 'web',
    state: state === 'failed' ? { state: 'ended', end: { end: 'failed', why: { failure: 'session_unknown' } }, at: NOW } : { state },
  });
const session = (state: WebState): Change => ({ change: 'session', session: web(state) });
const request = (changes = {}): Change => ({
  change: 'request',
  request: aRequest({ session: 's2', questions: [aQuestion(1, { text: 'Which way?' })], ...changes }),
});
const approval = (changes = {}): Change => ({ change: 'approval', approval: anApproval({ session: 's2', ...changes }) });
const plan = { detail: 'plan', plan: '1. Look', path: null } as const;
const command = { detail: 'command', command: 'pnpm db:migrate\npnpm test', description: null } as const;

const entry = (n: number, body: EntryBody): Change => ({ change: 'entry', session: 's2', entry: anEntry(n, body) });

const said = () => [...document.querySelectorAll('[data-announcer] p')].map((line) => line.textContent);
const open = () => openPage(new FakeBridge({ sessions: [aSession(), web('working')] }));

describe('screen readers announce once', () => {
  const news: [string, Change, Change, string][] = [
    ['question', request(), request({ askedBy: 'a subagent' }), 'New question from web: Which way?'],
    [
      'permission_request',
      approval({ subject: command }),
      approval({ subject: command, takesMessage: false }),
      'Permission request from web: pnpm db:migrate [+1 line]',
    ],
    ['plan', approval({ subject: plan }), approval({ subject: plan, takesMessage: false }), 'Plan to review from web'],
    ['finished_turn', session('idle'), session('idle'), 'web finished its turn'],
    ['failure', session('failed'), session('failed'), 'web failed'],
  ];

  test.each(news)('case_85_%s', async (_what, first, again, words) => {
    const { bridge } = await open();
    expect(said()).toEqual([]);
    await bridge.push(first);
    expect(said()).toEqual([words]);
    const [line] = document.querySelectorAll('[data-announcer] p');
    await bridge.push(again);
    expect(said()).toEqual([words]);
    expect(document.querySelector('[data-announcer] p')).toBe(line);
  });

  test('case_85_a_turn_with_an_open_question_is_not_announced_as_finished', async () => {
    const { bridge } = await open();
    await bridge.push(request());
    await bridge.push(session('idle'));
    expect(said()).toEqual(['New question from web: Which way?']);
  });

  test('case_85_a_turn_that_the_user_stopped_is_not_announced_as_finished', async () => {
    const { bridge, user } = await open();
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    await bridge.push({ change: 'session', session: aSession({ state: { state: 'idle' } }) });
    expect(said()).toEqual([]);
  });

  test.each<WebState>(['idle', 'starting'])('case_85_a_turn_that_begins_and_ends_at_once_in_a_session_that_is_%s', async (before) => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [aSession(), web(before)] }));
    await bridge.push(session('working'), entry(1, turnEnded), session('idle'));
    expect(said()).toEqual(['web finished its turn']);
    const [line] = document.querySelectorAll('[data-announcer] p');
    await bridge.push(session('idle'));
    expect(document.querySelector('[data-announcer] p')).toBe(line);
    await bridge.push(session('working'), entry(2, turnEnded), session('idle'));
    expect(said()).toEqual(['web finished its turn']);
    expect(document.querySelector('[data-announcer] p')).not.toBe(line);
  });

  test('case_85_a_turn_is_not_announced_again_when_its_last_entry_is_late', async () => {
    const { bridge } = await open();
    await bridge.push(session('idle'));
    const [line] = document.querySelectorAll('[data-announcer] p');
    await bridge.push(entry(1, turnEnded), { change: 'session', session: aSession({ model: 'opus' }) });
    expect(said()).toEqual(['web finished its turn']);
    expect(document.querySelector('[data-announcer] p')).toBe(line);
  });

  test('case_85_a_short_turn_that_was_stopped_is_not_announced_and_neither_is_a_start_without_a_turn', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [aSession(), web('starting')] }));
    await bridge.push(session('idle'));
    await bridge.push(
      session('working'),
      entry(1, { kind: 'notice', notice: { notice: 'interrupted' } }),
      entry(2, turnEnded),
      session('idle'),
    );
    expect(said()).toEqual([]);
  });

  test('case_85_a_turn_of_before_the_window_opened_is_not_announced_once_its_transcript_is_shown', async () => {
    const bridge = new FakeBridge({ sessions: [aSession(), web('idle')] });
    bridge.entries['s2'] = [anEntry(1, turnEnded)];
    const { user, store } = await openPage(bridge);
    await user.click(screen.getByRole('button', { name: /^web/ }));
    expect(store.state.finished).toEqual({ s2: 1 });
    await bridge.push({ change: 'session', session: { ...web('idle'), model: 'opus' } });
    expect(said()).toEqual([]);
  });

  test('case_85_what_was_there_when_the_window_opened_is_not_announced', async () => {
    await openPage(new FakeBridge({ sessions: [aSession(), web('failed')], requests: [aRequest()], approvals: [anApproval()] }));
    expect(said()).toEqual([]);
  });
});

describe('F6', () => {
  test('moves between the sidebar, the session and the panel, and Shift+F6 back', async () => {
    const { user } = await openPage(new FakeBridge({ requests: [aRequest()] }));
    composer().focus();
    await user.keyboard('{F6}');
    expect(screen.getAllByRole('radio')[0]).toHaveFocus();
    await user.keyboard('{F6}');
    expect(document.querySelector('nav [aria-current=page]')).toHaveFocus();
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(document.activeElement?.closest('aside')).not.toBeNull();
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(composer()).toHaveFocus();
  });
});
