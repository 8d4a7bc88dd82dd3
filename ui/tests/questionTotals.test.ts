import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { linesUpTo } from '../src/feature/history/plot';
import type { PastQuestion, QuestionTotals } from '../src/generated/wire';
import { reduce } from '../src/store/reducer';
import { initialState } from '../src/store/state';
import { claudeCode, of } from '../src/testing/agents';
import { aRequest, ended, totalsOf } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage, settle } from './open';

const DAY = 86_400_000;

const past: PastQuestion = {
  name: 'shop-api',
  folder: '/home/ada/code/shop-api',
  origin: of(claudeCode).origin,
  request: aRequest({ state: ended({ outcome: 'expired' }) }),
};

/** 12 answers, most in 15 to 30 seconds. */
const some = totalsOf([1, 2, 6, 2, 1], 24_000);

function withTotals(totals: QuestionTotals = some): FakeBridge {
  return new FakeBridge()
    .on('search_questions', () => ({ questions: [past], more: false, count: 1, answered: 0, unreadable: 0, medianMillis: null }))
    .on('count_questions', () => totals);
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
    expect(within(figure('Time to answer')).getByRole('img')).toHaveAccessibleName('12 answers. Median: 24 s. Most common: 15 s to 30 s.');
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

  test('are shown as pictures or as numbers', async () => {
    const { user } = await openTotals();
    await user.click(button('Show numbers'));
    expect(button('Show numbers')).toHaveAttribute('aria-pressed', 'true');
    expect(screen.queryByRole('img', { name: /Median/ })).toBeNull();
    expect(within(screen.getByRole('region', { name: 'Time to answer' })).getAllByRole('row')).toHaveLength(9);
    expect(screen.getByRole('region', { name: 'Time to answer' })).toHaveAttribute('tabindex', '0');
    await user.click(button('Show numbers'));
    expect(screen.getByRole('img', { name: /Median/ })).toBeVisible();
  });

  test('can cover 7 or 90 days', async () => {
    const { bridge, user } = await openTotals();
    for (const [words, days] of [
      ['Last 7 days', 7],
      ['Last 90 days', 90],
    ] as const) {
      await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), words);
      expect(counted(bridge)!.days).toHaveLength(days + 1);
    }
    expect(bridge.sent('search_questions')).toHaveLength(1);
  });

  test('are counted again when a new day starts', async () => {
    const { bridge } = await openTotals();
    const before = counted(bridge)!.days;
    vi.spyOn(Date, 'now').mockReturnValue(before.at(-1)!);
    await waitFor(() => expect(bridge.sent('count_questions')).toHaveLength(2));
    expect(counted(bridge)!.days.slice(0, -1)).toEqual(before.slice(1));
    expect(bridge.sent('search_questions')).toHaveLength(2);
  });

  test('follow the filter', async () => {
    const { bridge, user } = await openTotals();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'Skipped');
    await waitFor(() => expect(counted(bridge)!.wanted.outcomes).toEqual(['declined']));
  });

  test('say if there are no answered questions in the period', async () => {
    await openTotals(withTotals(totalsOf()));
    expect(figure('Time to answer')).toHaveTextContent('No answered questions in this period');
    expect(figure('Time to answer')).not.toHaveTextContent('median');
    expect(within(figure('Time to answer')).queryByRole('img')).toBeNull();
    expect(screen.getByRole('group')).toHaveTextContent('Timed out');
  });

  test('are not shown before there is any question', async () => {
    await openTotals(new FakeBridge());
    expect(screen.queryByRole('figure')).toBeNull();
    expect(screen.getByText(/the question and your answer appear here/)).toBeVisible();
  });

  test('keep their place while they load', async () => {
    let reply: () => void = () => undefined;
    const bridge = withTotals().on('count_questions', () => new Promise((done) => (reply = () => done(some))));
    await openTotals(bridge);
    const busy = () => screen.getAllByRole('figure').map((plot) => plot.getAttribute('aria-busy'));
    expect(busy()).toEqual(['true', 'true']);
    expect(screen.queryByText(/median of/)).toBeNull();
    reply();
    await settle();
    expect(busy()).toEqual(['false', 'false']);
  });

  test('show their error although the questions are found later, until they are wanted again', async () => {
    let reply: () => void = () => undefined;
    const bridge = withTotals().fail('count_questions', { code: 'storage_busy' });
    bridge.on('search_questions', () => {
      const found = { questions: [past], more: false, count: 1, answered: 0, unreadable: 0, medianMillis: null };
      return new Promise((done) => (reply = () => done(found)));
    });
    const { user } = await openTotals(bridge);
    await waitFor(() => expect(screen.getByRole('alert')).toBeVisible());
    reply();
    await settle();
    expect(screen.getByRole('group')).toHaveTextContent('Timed out');
    expect(screen.getByRole('alert')).toBeVisible();
    bridge.on('count_questions', () => some);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Period' }), 'Last 7 days');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(figure('Time to answer')).toHaveAttribute('aria-busy', 'false');
  });

  test('of an outdated filter or period are ignored', () => {
    const filter = { query: '', session: null, outcome: null };
    const totals = { bounds: [0, DAY], counts: some, usage: [] };
    const known = (state = initialState()) => state.history.questions.totals;
    const counted = { type: 'questions_counted', filter, span: 30, totals } as const;
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
