import { screen, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { linesUpTo } from '../src/feature/history/plot';
import type { PastQuestion, QuestionTotals } from '../src/generated/wire';
import { reduce } from '../src/store/reducer';
import { initialState } from '../src/store/state';
import { claudeCode, of } from '../src/testing/agents';
import { aRequest, ended, totalsOf } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, openPage, settle } from './open';

const DAY = 86_400_000;

const past: PastQuestion = {
  name: 'shop-api',
  folder: '/home/ada/code/shop-api',
  origin: of(claudeCode).origin,
  request: aRequest({ state: ended({ outcome: 'expired' }) }),
};

/** 20 questions in the last three days. 12 were answered, most in 15 to 30 seconds. */
const month = (days: number) =>
  totalsOf(days, [3, 12, 5], { answered: 12, replied_in_chat: 3, declined: 2, withdrawn: 2, orphaned: 1 }, [1, 2, 6, 2, 1], 24_000);

function withTotals(totals: (days: number) => QuestionTotals = month): FakeBridge {
  return new FakeBridge()
    .on('search_questions', () => ({ questions: [past], more: false, count: 1, answered: 0, unreadable: 0, medianMillis: null }))
    .on('count_questions', ({ days }) => totals(days.length - 1));
}

async function openTotals(bridge = withTotals()) {
  const opened = await openPage(bridge);
  await opened.user.click(button('History'));
  return opened;
}

const figure = (name: string) => screen.getByRole('figure', { name });
const rowsOf = (name: string) =>
  within(figure(name))
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent));
const counted = (bridge: FakeBridge) => bridge.sent('count_questions').at(-1);
const heights = (name: string) =>
  [...figure(name).querySelectorAll<HTMLElement>('.bar')].map((bar) => Number.parseFloat(bar.style.blockSize));

describe('the totals of past questions', () => {
  test('cover the last 30 days, in the window’s time zone', async () => {
    const { bridge } = await openTotals();
    const { wanted, days } = counted(bridge)!;
    expect(wanted).toEqual({ query: '', session: null, outcomes: [] });
    expect(days).toHaveLength(31);
    const now = new Date();
    expect(days.at(-2)).toBe(new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime());
  });

  test('show the times to answer, with the group of the median marked', async () => {
    await openTotals();
    expect(figure('Time to answer')).toHaveTextContent(/24\ss\s*median of 12/);
    expect(within(figure('Time to answer')).getByRole('img')).toHaveAccessibleName(
      '12 answers. Median: 24 s. Most common: 15 s to 30 s.',
    );
    expect(rowsOf('Time to answer').map(([name, count]) => [name?.replace(/\u2009/g, ' '), count])).toEqual([
      ['Time to answer', 'Answers'],
      ['Up to 5 s', '1'],
      ['5 s to 15 s', '2'],
      ['15 s to 30 s', '6'],
      ['30 s to 1 min', '2'],
      ['1 min to 2 min', '1'],
      ['2 min to 5 min', '0'],
      ['5 min to 15 min', '0'],
      ['Over 15 min', '0'],
    ]);
    expect(heights('Time to answer').map(Math.round)).toEqual([17, 33, 100, 33, 17, 0, 0, 0]);
    const bars = [...figure('Time to answer').querySelectorAll('.bar')];
    expect(bars.map((bar) => bar.classList.contains('marked'))).toEqual(bars.map((_, index) => index === 2));
  });

  test('show the questions of each day', async () => {
    await openTotals();
    const rows = rowsOf('Questions a day');
    expect(rows).toHaveLength(31);
    expect(rows.slice(-3).map(([, count]) => count)).toEqual(['3', '12', '5']);
    expect(rows.slice(-2).map(([day]) => day)).toEqual(['Yesterday', 'Today']);
    expect(figure('Questions a day')).toHaveTextContent(/20\s*in 30 days/);
    expect(within(figure('Questions a day')).getByRole('img')).toHaveAccessibleName(
      '20 questions in 30 days. Most on one day: Yesterday, 12.',
    );
    const labels = [...figure('Questions a day').querySelectorAll('.labels > span')].map((label) => label.textContent);
    expect(labels.filter((label) => label !== '')).toEqual([expect.any(String), expect.any(String), 'Today']);
  });

  test('show every outcome with its word and number, and count only answers as answered', async () => {
    await openTotals();
    const outcomes = within(figure('Outcomes')).getAllByRole('listitem');
    expect(outcomes.map((item) => item.textContent.replace(/\s+/g, ' ').trim())).toEqual([
      'Answered 12',
      'Skipped 2',
      'Replied in chat 3',
      'Withdrawn 2',
      'Timed out 0',
      'Missed 1',
    ]);
    expect(figure('Outcomes')).toHaveTextContent(/60%\s*answered/);
    const parts = [...figure('Outcomes').querySelectorAll<HTMLElement>('.whole > .part')];
    expect(parts.map(({ style }) => style.flexGrow)).toEqual(['12', '2', '3', '2', '1']);
  });

  test('have no violations, as pictures and as numbers', async () => {
    const { user } = await openTotals();
    await expectNoViolations();
    await user.click(button('Show numbers'));
    expect(button('Show numbers')).toHaveAttribute('aria-pressed', 'true');
    expect(screen.queryByRole('img', { name: /Median/ })).toBeNull();
    expect(within(screen.getByRole('region', { name: 'Questions a day' })).getAllByRole('row')).toHaveLength(31);
    expect(screen.getByRole('region', { name: 'Time to answer' })).toHaveAttribute('tabindex', '0');
    await expectNoViolations();
    await user.click(button('Show numbers'));
    expect(screen.getByRole('img', { name: /Median/ })).toBeVisible();
  });

  test('can cover 7 or 90 days', async () => {
    const { bridge, user } = await openTotals();
    for (const [words, days] of [['Last 7 days', 7], ['Last 90 days', 90]] as const) {
      await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), words);
      expect(counted(bridge)!.days).toHaveLength(days + 1);
      expect(rowsOf('Questions a day')).toHaveLength(days + 1);
      expect(figure('Questions a day')).toHaveTextContent(`in ${days} days`);
    }
    expect(bridge.sent('search_questions')).toHaveLength(1);
  });

  test('are counted again when a new day starts', async () => {
    const { bridge } = await openTotals();
    const before = counted(bridge)!.days;
    vi.spyOn(Date, 'now').mockReturnValue(before.at(-1)!);
    await vi.waitFor(() => expect(bridge.sent('count_questions')).toHaveLength(2), { timeout: 20_000 });
    expect(counted(bridge)!.days.slice(0, -1)).toEqual(before.slice(1));
    expect(bridge.sent('search_questions')).toHaveLength(2);
  });

  test('follow the filter', async () => {
    const { bridge, user } = await openTotals();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'Skipped');
    await vi.waitFor(() => expect(counted(bridge)!.wanted.outcomes).toEqual(['declined']));
  });

  test('of a single question have one bar', async () => {
    await openTotals(withTotals((days) => totalsOf(days, [1], { answered: 1 }, [0, 1], 14_000)));
    expect(heights('Questions a day')).toEqual([...Array.from({ length: 29 }, () => 0), 100]);
    expect(heights('Time to answer')).toEqual([0, 100, 0, 0, 0, 0, 0, 0]);
    expect(screen.getByRole('img', { name: '1 answer. Median: 14 s. Most common: 5 s to 15 s.' })).toBeVisible();
    expect(figure('Outcomes')).toHaveTextContent(/100%\s*answered/);
  });

  test('say if there are no questions in the period, or no answered ones', async () => {
    const { bridge, user } = await openTotals(withTotals((days) => totalsOf(days, [2], { withdrawn: 1, orphaned: 1 })));
    expect(figure('Time to answer')).toHaveTextContent('No answered questions in this period');
    expect(figure('Time to answer')).not.toHaveTextContent('median');
    expect(figure('Outcomes')).toHaveTextContent(/0%\s*answered/);
    bridge.on('count_questions', ({ days }) => totalsOf(days.length - 1));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'Last 7 days');
    for (const name of ['Questions a day', 'Outcomes']) {
      expect(figure(name)).toHaveTextContent('No questions in this period');
      expect(within(figure(name)).queryByRole('img')).toBeNull();
    }
    expect(screen.getByRole('group')).toHaveTextContent('Timed out');
    await expectNoViolations();
  });

  test('are not shown before there is any question', async () => {
    await openTotals(new FakeBridge());
    expect(screen.queryByRole('figure')).toBeNull();
    expect(screen.getByText(/the question and your answer appear here/)).toBeVisible();
    await expectNoViolations();
  });

  test('keep their place while they load', async () => {
    let reply: () => void = () => undefined;
    const bridge = withTotals().on('count_questions', ({ days }) => new Promise((done) => (reply = () => done(month(days.length - 1)))));
    await openTotals(bridge);
    const names = ['Time to answer', 'Questions a day', 'Outcomes'];
    for (const name of names) expect(figure(name)).toHaveAttribute('aria-busy', 'true');
    expect(screen.queryByText(/median of/)).toBeNull();
    await expectNoViolations();
    reply();
    await settle();
    for (const name of names) expect(figure(name)).toHaveAttribute('aria-busy', 'false');
  });

  test('show an error if they cannot be counted, and the questions stay', async () => {
    await openTotals(withTotals().fail('count_questions', { code: 'storage_busy' }));
    expect(screen.getByRole('alert')).toBeVisible();
    expect(screen.getByRole('group')).toHaveTextContent('Timed out');
  });

  test('show their error although the questions are found later, until they are wanted again', async () => {
    let reply: () => void = () => undefined;
    const bridge = withTotals().fail('count_questions', { code: 'storage_busy' });
    bridge.on('search_questions', () => {
      const found = { questions: [past], more: false, count: 1, answered: 0, unreadable: 0, medianMillis: null };
      return new Promise((done) => (reply = () => done(found)));
    });
    const { user } = await openTotals(bridge);
    await vi.waitFor(() => expect(screen.getByRole('alert')).toBeVisible());
    reply();
    await settle();
    expect(screen.getByRole('group')).toHaveTextContent('Timed out');
    expect(screen.getByRole('alert')).toBeVisible();
    bridge.on('count_questions', ({ days }) => month(days.length - 1));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'Last 7 days');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(figure('Time to answer')).toHaveAttribute('aria-busy', 'false');
  });

  test('of an outdated filter or period are ignored', () => {
    const filter = { query: '', session: null, outcome: null };
    const totals = { bounds: [0, DAY], counts: month(1) };
    const known = (state = initialState()) => state.history.questions.totals;
    const counted = { type: 'questions_counted', filter, span: 30, totals, usage: [] } as const;
    expect(known(reduce(initialState(), counted))).toBe(totals);
    expect(known(reduce(initialState(), { ...counted, span: 7 }))).toBeNull();
    expect(known(reduce(initialState(), { ...counted, filter: { ...filter, query: 'old' } }))).toBeNull();
  });
});

test.each([
  [0, [1]],
  [1, [1]],
  [2, [1, 2]],
  [3, [1, 2, 3]],
  [4, [2, 4]],
  [7, [5, 10]],
  [17, [10, 20]],
  [52, [20, 40, 60]],
  [60, [20, 40, 60]],
  [61, [50, 100]],
  [3_000, [1_000, 2_000, 3_000]],
])('the lines of a plot up to %i are round and few', (most, expected) => {
  expect(linesUpTo(most)).toEqual(expected);
});
