import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { shownOutcome } from '../src/entities/request/outcomeWords';
import type { Delivery, Outcome, PastQuestion, QuestionsFound, Request } from '../src/generated/wire';
import { type Action, reduce } from '../src/store/reducer';
import { initialState } from '../src/store/state';
import { claudeCode, of } from '../src/testing/agents';
import { anEntry, aQuestion, aRequest, aSession, aSnapshot, delivered, ended, NOW, withdrawn } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage } from './open';

const store = aQuestion(1, { header: 'Store', text: 'Which store?', options: ['SQLite', 'PostgreSQL'] });

function endedBy(outcome: Outcome, delivery: Delivery | null = null, changes: Partial<Request> = {}): Request {
  return aRequest({ questions: [store], askedAt: NOW - 75_000, ...changes, state: ended(outcome, delivery) });
}

const picked: Outcome = {
  outcome: 'answered',
  answers: [{ question: 'q1', chosen: ['q1o2'], other: 'in a cluster', note: 'for now', secretGiven: false }],
};

/** Every outcome of a request, with the text of its line. */
const ends: [string, Request, string][] = [
  ['answered', endedBy(picked, delivered), 'PostgreSQL'],
  ['declined', endedBy({ outcome: 'declined', words: 'not now' }, delivered), 'You skipped this and wrote: not now'],
  [
    'replied in chat',
    endedBy({ outcome: 'replied_in_chat', text: 'take the old one' }, delivered),
    'You replied in chat: take the old one',
  ],
  ['withdrawn', endedBy(withdrawn()), 'Withdrawn by the agent'],
  ['expired', endedBy({ outcome: 'expired' }, delivered), 'Timed out without an answer'],
  ['missed', endedBy({ outcome: 'orphaned', why: 'app_quit' }), 'Missed: Askdesk quit before you answered'],
];

const moreEnds: typeof ends = [
  ['declined without words', endedBy({ outcome: 'declined', words: null }, delivered), 'You skipped this'],
  ['skipped without words', endedBy(withdrawn({ why: 'canceled', reason: null }), delivered), 'You skipped this'],
  ['skipped with a reason', endedBy(withdrawn({ why: 'canceled', reason: 'moot' }), delivered), 'You skipped this and wrote: moot'],
  ['dismissed', endedBy(withdrawn({ why: 'canceled', reason: null })), 'You dismissed this'],
  ['missed because the agent ended', endedBy({ outcome: 'orphaned', why: 'agent_ended' }), 'Missed: the agent exited before you answered'],
];

test('a question that the user closed was skipped, but a missed one that they dismissed was withdrawn', () => {
  const closed = withdrawn({ why: 'canceled', reason: null });
  const shown = (delivery: Delivery | null) => shownOutcome({ outcome: closed, delivery, at: NOW });
  expect([shown(delivered), shown({ delivery: 'pending' }), shown(null)]).toEqual(['declined', 'declined', 'withdrawn']);
});

describe('the line of an ended request in the transcript', () => {
  async function line(request: Request) {
    const bridge = new FakeBridge({ requests: [request] });
    bridge.entries['s1'] = [anEntry(1, { kind: 'request', request: request.id })];
    const opened = await openPage(bridge);
    return { ...opened, line: document.querySelector<HTMLElement>('main [data-request]')! };
  }

  test.each([...ends, ...moreEnds])('says that it was %s, with an icon', async (_, request, words) => {
    const { line: shown } = await line(request);
    expect(within(shown).getAllByText(words)[0]).toBeVisible();
    expect(shown.querySelector('svg.icon')).not.toBeNull();
    const { state } = request;
    const isAnswered = state.state === 'ended' && state.outcome.outcome === 'answered';
    expect(shown.querySelectorAll('.icon-check')).toHaveLength(isAnswered ? 1 : 0);
    expect(within(shown).getByText(isAnswered ? 'Store:' : 'Which store?')).toBeVisible();
  });

  test('each outcome has its own icon', async () => {
    const icons = new Set<string>();
    for (const [, request] of ends) {
      const { line: shown, unmount } = await line(request);
      icons.add(shown.querySelector('svg.icon')!.getAttribute('class')!);
      unmount();
    }
    expect(icons.size).toBe(ends.length);
  });

  test('expands to the question, its answer, and how it ended', async () => {
    const { line: shown, user } = await line(endedBy(picked, delivered, { askedBy: 'reviewer' }));
    await user.click(within(shown).getByText('Questions and options'));
    const inside = within(shown.querySelector<HTMLElement>('details > div')!);
    expect(inside.getByText('Which store?')).toBeVisible();
    expect(inside.getByText('SQLite')).toBeVisible();
    expect(inside.getByText(/^PostgreSQL/).closest('li')).toHaveTextContent('PostgreSQL (chosen)');
    expect(inside.getByText('Your answer: in a cluster')).toBeVisible();
    expect(inside.getByText('Note: for now')).toBeVisible();
    expect(inside.getByText(/^Asked by reviewer · Closed by you · .* · waited 1:15$/)).toBeVisible();
  });

  test('shows that a secret was given, and which question was left out', async () => {
    const secret = aQuestion(2, { kind: 'secret', text: 'The key?', options: [] });
    const answers = [{ question: 'q2', chosen: [], other: null, note: null, secretGiven: true }];
    const { line: shown, user } = await line(endedBy({ outcome: 'answered', answers }, delivered, { questions: [store, secret] }));
    await user.click(within(shown).getByText('Questions and options'));
    const inside = within(shown.querySelector<HTMLElement>('details > div')!);
    expect(inside.getByText('Secret provided')).toBeVisible();
    expect(inside.getByText('Not answered')).toBeVisible();
  });
});

const past = (request: Request, changes: Partial<PastQuestion> = {}): PastQuestion => ({
  name: 'api',
  folder: '/home/ada/projects/api',
  origin: of(claudeCode).origin,
  request,
  ...changes,
});

const found = (requests: readonly Request[], changes: Partial<QuestionsFound> = {}): QuestionsFound => ({
  questions: requests.map((request) => past(request)),
  more: false,
  count: requests.length,
  answered: 1,
  unreadable: 0,
  medianMillis: 75_000,
  ...changes,
});

const all = ends.map(([, request], index) => ({ ...request, id: `r${index + 1}` }));

function withQuestions(reply: QuestionsFound = found(all)): FakeBridge {
  const over = aSession({ id: 's9', name: 'docs', state: { state: 'ended', end: { end: 'stopped' }, at: 5 } });
  return new FakeBridge()
    .on('search_questions', () => reply)
    .on('read_past_sessions', () => ({ sessions: [over] }))
    .on('save_questions', ({ format }) => ({ path: `/home/ada/questions.${format}` }));
}

/** Opens the history, which starts with the questions. */
async function openQuestions(bridge: FakeBridge) {
  const opened = await openPage(bridge);
  await opened.user.click(button('History'));
  return opened;
}

async function exportAs(user: Awaited<ReturnType<typeof openQuestions>>['user'], format: 'CSV' | 'JSON') {
  await user.click(button('Export'));
  await user.click(screen.getByRole('menuitem', { name: `Export as ${format}` }));
}

const rows = () => within(screen.getByRole('list', { name: 'Questions' })).getAllByRole('group');
const asked = (bridge: FakeBridge) => bridge.sent('search_questions').at(-1)?.wanted;

describe('the history of questions', () => {
  test('lists ended questions with outcome, session, and waiting time, and the median time to answer', async () => {
    const { bridge } = await openQuestions(withQuestions());
    expect(asked(bridge)).toEqual({ query: '', session: null, outcomes: [] });
    expect(screen.getByText('Asked 6 times · median time to answer 1:15 (1 answered)')).toBeVisible();
    expect(rows()).toHaveLength(6);
    const words = ['Answered', 'Skipped', 'Replied in chat', 'Withdrawn', 'Timed out', 'Missed'];
    expect(rows().map((row) => row.querySelector('.end')?.textContent)).toEqual(words);
    expect(within(rows()[1]!).getByText('Which store?')).toBeVisible();
    expect(within(rows()[1]!).getByText('api')).toBeVisible();
    expect(within(rows()[1]!).getByText('waited 1:15')).toBeVisible();
  });

  test('groups the questions by the day they were asked', async () => {
    const today = new Date().setHours(0, 0, 0, 0);
    const noon = (daysAgo: number) => new Date(today).setDate(new Date(today).getDate() - daysAgo) + 43_200_000;
    const asked = (id: string, askedAt: number) => ({ ...endedBy(picked, delivered, { askedAt }), id });
    const requests = [asked('r1', today), asked('r2', today - 1), asked('r3', noon(1)), asked('r4', noon(400))];
    await openQuestions(withQuestions(found(requests)));
    const days = within(screen.getByRole('list', { name: 'Questions' })).getAllByRole('heading');
    expect(days.map((day) => day.textContent)).toEqual(['Today', 'Yesterday', expect.stringMatching(/\d{4}$/)]);
    const grouped = days.map((day) =>
      within(day.closest('li')!)
        .getAllByRole('group')
        .map((row) => row.dataset['past']),
    );
    expect(grouped).toEqual([['r1'], ['r2', 'r3'], ['r4']]);
  });

  test('shows the answer in brief, or what was said instead', async () => {
    await openQuestions(withQuestions(found([...all, ...moreEnds.map(([, request], index) => ({ ...request, id: `m${index}` }))])));
    expect(rows().map((row) => row.querySelector('.answer')?.textContent)).toEqual([
      'PostgreSQL · in a cluster',
      'not now',
      'take the old one',
      'Withdrawn by the agent',
      '',
      'Askdesk quit',
      '',
      '',
      'moot',
      'You dismissed this',
      'The agent exited',
    ]);
  });

  test('shows how long the user took, but no time for what they did not end', async () => {
    await openQuestions(withQuestions());
    expect(rows().map((row) => row.querySelector('.time')?.textContent.trim() !== '')).toEqual([true, true, true, false, false, false]);
  });

  test('is loaded again each time it is shown', async () => {
    const { bridge, user } = await openQuestions(withQuestions());
    await user.click(button(/^api/));
    await user.click(button('History'));
    expect(bridge.sent('search_questions')).toHaveLength(2);
  });

  test('expands a row to all details', async () => {
    const { user } = await openQuestions(withQuestions());
    await user.click(within(rows()[0]!).getByText('Which store?'));
    const row = within(rows()[0]!);
    expect(row.getByText(/^Closed by you · .* · waited 1:15$/)).toBeVisible();
    expect(row.getByText('~/projects/api')).toBeVisible();
    await user.click(row.getByRole('button', { name: 'Show transcript' }));
    expect(screen.getByRole('region', { name: 'Transcript excerpt: api' })).toBeVisible();
  });

  test('case_170_says_that_the_answer_came_as_a_notification', async () => {
    const moved = endedBy(picked, delivered, { id: 'r1', asker: 'in_background' });
    const { user } = await openQuestions(withQuestions(found([moved, { ...moved, id: 'r2', asker: 'waits' }])));
    for (const row of rows()) await user.click(within(row).getAllByText('Which store?')[0]!);
    const words = 'Delivered as a background notification, which the model may not treat as your approval';
    expect(rows().map((row) => within(row).queryByText(words) !== null)).toEqual([true, false]);
  });

  test('filters by session, including past ones, and by outcome', async () => {
    const { bridge, user } = await openQuestions(withQuestions());
    await user.selectOptions(screen.getByRole('combobox', { name: 'Session' }), 'docs');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'Replied in chat');
    await waitFor(() => expect(asked(bridge)).toEqual({ query: '', session: 's9', outcomes: ['replied_in_chat'] }));
  });

  test('searches when typing pauses, and keeps the filter', async () => {
    const { bridge, user } = await openQuestions(withQuestions());
    await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'Answered');
    bridge.calls.length = 0;
    const field = screen.getByRole('searchbox', { name: 'Search questions and answers' });
    // Without a pause in between, however slow the machine is.
    for (const value of ['s', 'st', 'sto', 'stor', 'store']) await fireEvent.input(field, { target: { value } });
    await waitFor(() => expect(bridge.sent('search_questions')).not.toEqual([]));
    expect(bridge.sent('search_questions')).toEqual([
      { wanted: { query: 'store', session: null, outcomes: ['answered'] }, limit: 50, offset: 0 },
    ]);
  });

  test('says if there are none, or none match', async () => {
    const { bridge } = await openQuestions(withQuestions(found([], { count: 0, answered: 0, medianMillis: null })));
    expect(screen.getByRole('status')).toHaveTextContent('No past questions yet');
    expect(screen.queryByRole('button', { name: /^Export/ })).toBeNull();
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'x' } });
    await waitFor(() => expect(asked(bridge)?.query).toBe('x'));
    expect(screen.getByRole('status')).toHaveTextContent('No matching questions');
  });

  test('shows no median if none was answered', async () => {
    await openQuestions(withQuestions(found(all.slice(1), { answered: 0, medianMillis: null })));
    expect(screen.getByText('Asked 5 times')).toBeVisible();
  });

  test('exports the filtered questions, and says where to', async () => {
    const { bridge, user } = await openQuestions(withQuestions());
    await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'Skipped');
    await exportAs(user, 'CSV');
    expect(screen.getByText('Exported to /home/ada/questions.csv')).toBeVisible();
    await exportAs(user, 'JSON');
    expect(bridge.sent('save_questions')).toEqual([
      { wanted: { query: '', session: null, outcomes: ['declined'] }, format: 'csv' },
      { wanted: { query: '', session: null, outcomes: ['declined'] }, format: 'json' },
    ]);
  });

  test('shows why an export failed', async () => {
    const bridge = withQuestions().fail('save_questions', { code: 'file_not_written', message: 'no room' });
    const { user } = await openQuestions(bridge);
    await exportAs(user, 'CSV');
    expect(screen.getByText('Couldn’t write the file. no room')).toBeVisible();
    expect(rows()).toHaveLength(6);
  });

  test('loads the next page without duplicates', async () => {
    const { bridge, user } = await openQuestions(withQuestions(found(all.slice(0, 2), { more: true, count: 3 })));
    bridge.on('search_questions', () => found([all[1]!, all[2]!], { count: 3 }));
    await user.click(button('Show more questions'));
    expect(bridge.sent('search_questions').at(-1)?.offset).toBe(2);
    expect(rows().map((row) => row.dataset['past'])).toEqual(['r1', 'r2', 'r3']);
    expect(screen.queryByRole('button', { name: 'Show more questions' })).toBeNull();
  });
});

describe('the reducer', () => {
  const filter = { query: '', session: null, outcome: null };

  test('ignores the result of an outdated filter', () => {
    const actions: Action[] = [
      { type: 'questions_filtered', change: { query: 'new' } },
      { type: 'questions_found', filter, found: found(all), added: false },
      { type: 'questions_failed', filter, error: anError() },
    ];
    const { questions } = actions.reduce(reduce, initialState()).history;
    expect([questions.found, questions.error]).toEqual([null, null]);
  });

  test('removes a deleted session from the result and from the filter', () => {
    const narrowed = { ...filter, session: 's1' };
    const actions: Action[] = [
      { type: 'questions_filtered', change: { session: 's1' } },
      { type: 'questions_found', filter: narrowed, found: found(all), added: false },
      {
        type: 'frames_received',
        frames: [
          { frame: 'snapshot', ...aSnapshot() },
          { frame: 'delta', epoch: 'e1', prev: 0, seq: 1, changes: [{ change: 'session_deleted', session: 's1' }] },
        ],
      },
    ];
    const { questions } = actions.reduce(reduce, initialState()).history;
    expect(questions.found?.questions).toEqual([]);
    expect(questions.filter.session).toBeNull();
  });
});
