import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { wordsOfDelivered, wordsOfGoingOn } from '../src/entities/request/outcomeWords';
import { wentOnIn } from '../src/feature/transcript/rows';
import type { Ended, Request, Session, Snapshot } from '../src/generated/wire';
import { inboxItems } from '../src/store/inbox';
import { reduce } from '../src/store/reducer';
import { faceOf } from '../src/store/select';
import { sessionGroups } from '../src/store/sidebar';
import { initialState } from '../src/store/state';
import { codex, inbound, of } from '../src/testing/agents';
import { anApproval, anEntry, answered, aQuestion, aRequest, aSession, aSnapshot, delivered, ended, NOW } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage, panel, radio } from './open';

const which = aQuestion(1, { text: 'Which tokenizer?', options: ['Words', 'Trigrams'] });
const goesOn = (changes: Partial<Request> = {}) => aRequest({ asker: 'goes_on', questions: [which], ...changes });
const working = aSession({ ...of(codex), state: { state: 'working' } });
const idle = aSession({ ...of(codex), state: { state: 'idle' } });
const over = aSession({ ...of(codex), state: { state: 'ended', end: { end: 'stopped' }, at: NOW }, resumable: true });

const app = aSession({ ...inbound('mcp', 'claude-code'), name: 'web', state: { state: 'idle' } });
const moved = (changes: Partial<Request> = {}) => goesOn({ asker: 'in_background', askedBy: 'claude-code', ...changes });
const notified = 'Delivered as a background notification, which the model may not treat as your approval';

const stateOf = (snapshot: Partial<Snapshot>) =>
  reduce(initialState(), { type: 'frames_received', frames: [{ frame: 'snapshot', ...aSnapshot(snapshot) }] });
const open = (session: Session, ...requests: Request[]) => openPage(new FakeBridge({ sessions: [session], requests }));

describe('case 136: a question that its agent does not wait for', () => {
  test.each([
    ['in a running turn', working, 'codex doesn’t wait for this answer. Your answer reaches it in the running turn.'],
    ['after the turn', idle, 'codex didn’t wait for this answer. Your answer begins a new turn.'],
    ['after the session', over, 'codex didn’t wait for this answer. Your answer is sent when you resume the session.'],
  ])('says how the answer reaches the agent %s', (_when, session, words) => {
    expect(wordsOfGoingOn(goesOn(), session, 'codex')).toBe(words);
  });

  test('changes only its sentence when the turn ends', async () => {
    const { bridge, user } = await open(working, goesOn());
    await user.click(radio('Trigrams'));
    await bridge.push({ change: 'session', session: idle });
    expect(radio('Trigrams')).toBeChecked();
    expect(within(panel()).getByText(/begins a new turn/)).toBeVisible();
  });

  test('a skip says that the agent is not told', async () => {
    const { bridge } = await open(working, goesOn());
    expect(button('Skip')).toHaveAttribute('title', 'The agent isn’t told');
    await bridge.push(
      { change: 'request', request: goesOn({ id: 'r2', asker: 'waits' }) },
      { change: 'request', request: goesOn({ state: ended({ outcome: 'declined', words: null }) }) },
    );
    expect(button('Skip')).toHaveAttribute('title', 'The agent is told that you skipped');
  });

  test('stays open when a message is sent, and the composer says so', async () => {
    const { bridge, user } = await open(idle, goesOn());
    expect(composer()).toHaveAttribute('placeholder', 'Message the agent… (keeps the question open)');
    await user.type(composer(), 'Look at the tests too.{Enter}');
    expect(bridge.sent('send_message')).toMatchObject([{ text: 'Look at the tests too.', closes: [] }]);
    expect(radio('Words')).toBeVisible();
  });

  test('is announced once with the word that the agent goes on', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [working] }));
    await bridge.push({ change: 'request', request: goesOn() });
    const said = [...document.querySelectorAll('[data-announcer] p')].map((line) => line.textContent);
    expect(said).toEqual(['New question from api: Which tokenizer? The agent goes on.']);
  });

  test('is listed in the inbox behind those that block an agent', async () => {
    const blocked = aSession({ id: 's2', name: 'web', state: { state: 'working' } });
    const later = aRequest({ id: 'r2', session: 's2', askedAt: NOW, questions: [which] });
    const requests = [goesOn({ askedAt: 1 }), later];
    const state = stateOf({ sessions: [working, blocked], requests });
    expect(inboxItems(state).map(({ session }) => session)).toEqual(['s2', 's1']);
    const [needs] = sessionGroups(state);
    expect([needs?.name, needs?.sessions.map(({ id }) => id)]).toEqual(['needs_you', ['s2', 's1']]);
    expect([faceOf(state, working), faceOf(state, blocked), faceOf(state, idle)]).toEqual(['goes_on', 'needs_you', 'needs_you']);
    expect(faceOf(stateOf({ sessions: [working], requests, approvals: [anApproval()] }), working)).toBe('needs_you');
    const { user } = await open(working, goesOn());
    await user.click(button(/^Inbox/));
    expect(within(screen.getByRole('main')).getByText(/the agent goes on/)).toBeVisible();
  });
});

test.each([
  ['once the agent has it, never late', goesOn(), working, true, 'Delivered'],
  ['as a notification', moved(), app, false, notified],
  ['late, if a later call collected it', moved(), app, true, 'Delivered when claude-code asked again'],
])('an answer that nobody waited for was delivered %s', (_how, request, session, late, words) => {
  const { state } = answered(request, [], { ...delivered, late });
  expect(wordsOfDelivered(request, state as Ended, session)).toBe(words);
});

describe('a call that its client moved to the background', () => {
  test('case_170 the card says so once it is moved, and keeps what was chosen', async () => {
    const { bridge, user } = await open(app, moved({ asker: 'waits' }));
    await user.click(radio('Trigrams'));
    expect(within(panel()).queryByText(/background/)).toBeNull();
    await bridge.push({ change: 'request', request: moved() });
    expect(radio('Trigrams')).toBeChecked();
    const words = /moved its call to the background and goes on\. Your answer reaches it as a background notification/;
    expect(within(panel()).getByText(words)).toBeVisible();
  });

  test('case_170 how the answer reached the agent is said in the card and the transcript', async () => {
    const bridge = new FakeBridge({ sessions: [app], requests: [moved()] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'request', request: 'r1' })];
    await openPage(bridge);
    await bridge.push({ change: 'request', request: answered(moved(), [{ question: 'q1', chosen: ['q1o1'] }], delivered) });
    expect(within(panel()).getByText(notified)).toBeVisible();
    expect(screen.getAllByText(notified).length).toBeGreaterThan(1);
  });

  test('a skip reaches it, because its call is still open', async () => {
    await open(app, moved());
    expect(button('Skip')).toHaveAttribute('title', 'The agent is told that you skipped');
  });
});

describe('what an agent did without the answer', () => {
  const says = (n: number, text: string, at: number) => ({ ...anEntry(n, { kind: 'agent', text }), at });
  const asks = anEntry(1, { kind: 'request', request: 'r1' });
  const entries = [asks, anEntry(2, { kind: 'thinking', text: 'Hm.' }), says(3, 'I use words.', 10), says(4, 'Done.', 20)];
  const end = (at: number) => ended({ outcome: 'declined', words: null }, null, at);

  test.each([
    ['while it is open', goesOn(), [3]],
    ['if it ended later', goesOn({ state: end(15) }), [3]],
    ['unless the answer came first', goesOn({ state: end(5) }), []],
    ['unless the agent waited', aRequest({ state: end(15) }), []],
  ])('its next words are marked %s', (_when, request, marked) => {
    expect([...wentOnIn(entries, () => request)]).toEqual(marked);
  });

  test('case_163 the mark is in the transcript', async () => {
    await openPage(new FakeBridge({ sessions: [working], requests: [goesOn()] }).with({ entries: { s1: entries } }));
    const marked = screen.getByText('Went on without your answer').closest('article');
    expect(marked).toHaveTextContent('I use words.');
    expect(screen.getByText('Done.').closest('article')).not.toHaveTextContent('Went on');
  });
});
