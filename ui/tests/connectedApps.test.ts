import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Delivery, Request, Session } from '../src/generated/wire';
import { actionsOf } from '../src/store/sessionActions';
import { initialState } from '../src/store/state';
import { inbound } from '../src/testing/agents';
import { anEntry, answered, aQuestion, aRequest, aSession, ended, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage, panel } from './open';

const codex = (changes: Partial<Session> = {}) =>
  aSession({ ...inbound('mcp', 'codex'), name: 'codex · shop', folder: '/projects/shop', state: { state: 'idle' }, ...changes });
const left: Session['state'] = { state: 'ended', end: { end: 'finished' }, at: 1 };
const terminal = codex({ ...inbound('terminal_hook', 'Claude Code'), name: 'Claude Code · shop' });

const store = aQuestion(1, { header: 'Store', text: 'Which store?', options: ['SQLite', 'PostgreSQL'] });
const asks = (changes: Partial<Request> = {}) => aRequest({ askedBy: 'codex', questions: [store], ...changes });
const missed = asks({ state: ended({ outcome: 'orphaned', why: 'caller_gone' }) });
const saved = (request: Request, delivery: Delivery = { delivery: 'parked' }) =>
  answered(request, [{ question: 'q1', chosen: ['q1o2'] }], delivery);

const open = (session: Session, ...requests: Request[]) => {
  const entries = requests.map(({ id }, index) => anEntry(index + 1, { kind: 'request', request: id }));
  const bridge = new FakeBridge({ sessions: [session], requests });
  bridge.entries[session.id] = entries;
  bridge.on('answer_question', ({ id }) => saved(bridge.request(id)));
  return openPage(bridge);
};

const view = () => document.querySelector<HTMLElement>('[data-session-view]')!;
const answersGo = () => screen.getByRole('complementary', { name: 'Where your answers go' });

describe('a connected app', () => {
  test('is shown with its folder, without a composer, Stop, or settings', async () => {
    await open(codex(), asks());
    const head = within(screen.getByRole('banner'));
    expect(head.getByRole('heading', { name: 'codex · shop' })).toBeVisible();
    expect(head.getByText('codex')).toBeVisible();
    expect(head.getByText('2.1.0')).toBeVisible();
    expect(head.getByText('MCP client')).toBeVisible();
    expect(answersGo()).toHaveTextContent('Your answers go to codex in /projects/shop.');
    expect(screen.queryByRole('textbox', { name: 'Message to the agent' })).toBeNull();
    for (const name of ['Stop', 'Resume', /^Permission mode/, /^Model/]) {
      expect(screen.queryByRole('button', { name })).toBeNull();
    }
  });

  test('case_59_its_card_says_who_asks', async () => {
    await open(codex({ name: 'The shop' }), asks());
    const card = within(panel()).getByRole('region', { name: 'Question' });
    expect(card).toHaveTextContent('codex');
    expect(within(card).getByRole('radio', { name: /SQLite/ })).toBeVisible();
  });

  test('can be closed, but neither ended nor resumed', () => {
    const offered = actionsOf(initialState(), codex(), null).map(({ id }) => id);
    expect(offered).toContain('close');
    expect(offered).not.toContain('end');
    expect(offered).not.toContain('resume');
  });

  test('without a folder mentions none', async () => {
    await open(codex({ folder: '' }));
    expect(answersGo()).toHaveTextContent('Your answers go to codex.');
    expect(document.querySelector('header .folder')).toBeNull();
  });

  test('that has disconnected says so, and whether an answer is saved for it', async () => {
    await open(codex({ state: left }));
    expect(screen.getByRole('banner')).toHaveTextContent('Not connected');
    expect(answersGo()).toHaveTextContent('codex isn’t connected anymore. No answer is waiting for it.');
    expect(view()).not.toHaveTextContent('The agent finished');
  });

  test('isn’t offered as an agent to start', async () => {
    const { user } = await open(codex());
    await user.click(screen.getByRole('button', { name: /New session/ }));
    const offered = within(screen.getByRole('group', { name: 'Agent' })).getAllByRole<HTMLInputElement>('radio');
    expect(offered.map(({ value }) => value)).toEqual(['claude_code']);
  });
});

describe('a missed question of a connected app', () => {
  test('can be answered, and its answer is saved', async () => {
    const { user, bridge } = await open(codex({ state: left }), missed);
    const list = within(panel()).getByRole('region', { name: /^Missed/ });
    expect(list).toHaveTextContent('codex stopped waiting');
    await user.click(list.querySelector('summary')!);
    expect(list).toHaveTextContent('Your answer is saved until codex asks again.');
    await user.click(within(list).getByRole('radio', { name: /PostgreSQL/ }));
    await user.click(within(list).getByRole('button', { name: 'Save answer' }));
    expect(bridge.sent('answer_question')).toMatchObject([{ id: 'r1' }]);
    const kept = within(panel()).getByRole('region', { name: 'Not delivered yet' });
    expect(kept).toHaveTextContent('Saved until codex asks again');
  });

  test('case_34_is_the_same_card_with_what_was_begun_when_it_asks_again', async () => {
    const { user, bridge } = await open(codex(), asks());
    await user.click(within(panel()).getByRole('radio', { name: /PostgreSQL/ }));
    await bridge.push({ change: 'request', request: missed });
    expect(within(panel()).getByRole('region', { name: /^Missed/ })).toHaveTextContent('codex stopped waiting');
    await bridge.push({ change: 'request', request: asks({ nativeRef: 'n9' }) });
    expect(within(panel()).queryByRole('region', { name: /^Missed/ })).toBeNull();
    expect(within(panel()).getByRole('radio', { name: /PostgreSQL/ })).toBeChecked();
    expect(screen.getAllByRole('radio')).toHaveLength(3);
  });

  test('is in the transcript with the app’s name', async () => {
    await open(codex(), missed);
    expect(view()).toHaveTextContent('Missed: codex stopped waiting before you answered');
  });
});

describe('a question from a terminal', () => {
  const asked = asks({ askedBy: 'Claude Code' });

  test('says that it is open in the terminal, too', async () => {
    await open(terminal, asked);
    expect(answersGo()).toHaveTextContent('Claude Code runs in a terminal in /projects/shop and asks there too. The first answer counts.');
  });

  test('case_58_what_was_answered_there_closes_the_card_and_says_where', async () => {
    const { bridge } = await open(terminal, asked);
    const state = ended(withdrawn({ why: 'answered_elsewhere' }));
    await bridge.push({ change: 'request', request: { ...asked, state } });
    expect(within(panel()).queryByRole('radio')).toBeNull();
    await waitFor(() => expect(view()).toHaveTextContent('Answered in the terminal'));
  });
});
