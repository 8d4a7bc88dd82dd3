import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { linesUpTo } from '../src/feature/history/plot';
import { plottedUsage } from '../src/feature/history/usageBars';
import type { ContextUse, Session, SessionUsage, UsageSum } from '../src/generated/wire';
import { spoken } from '../src/shared/messages/language.svelte';
import { cost, shortCost, tokenCount } from '../src/shared/usage';
import { agentsWith, claudeCode, demo, of } from '../src/testing/agents';
import { anEntry, aSession, aUsage, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, openPage } from './open';

const sum = aUsage({ turns: 3, inputTokens: 264_000, outputTokens: 900, cachedTokens: 263_000, cost: 1.84 });
const context = (used: number): ContextUse => ({ used, size: 200_000 });

function using(usage: Partial<SessionUsage>, changes: Partial<Session> = {}): FakeBridge {
  return new FakeBridge({ sessions: [aSession({ state: { state: 'idle' }, ...changes })], agents: agentsWith() }).on(
    'read_session_usage',
    () => ({ sum: aUsage(), context: null, ...usage }),
  );
}

const meter = () => screen.queryByRole('button', { name: /^(Context|Cost)/ });
const hint = () => screen.queryByText(/^Context .* full$/);

describe('the meter of a session', () => {
  test('case 99: shows the share of the context and the cost, with details in its tooltip', async () => {
    await openPage(using({ sum, context: context(84_000) }));
    expect(meter()).toHaveAccessibleName('Context 42% Cost $1.84');
    expect(meter()).toHaveTextContent(/42%.*\$1\.84/);
    expect(meter()?.title.split('\n')).toEqual([
      'Context: 84,000 of 200,000 tokens',
      'Input tokens: 264,000, 263,000 of them cached',
      'Output tokens: 900',
      'Cost of this session: $1.84, as estimated by the agent',
    ]);
  });

  test('follows the context while a turn runs, and disappears while it is unknown', async () => {
    const { bridge } = await openPage(using({ context: context(84_000) }));
    await bridge.push({ change: 'context', changed: { session: 's1', context: context(100_000) } });
    expect(meter()).toHaveAccessibleName('Context 50%');
    await bridge.push({ change: 'context', changed: { session: 's2', context: context(200_000) } });
    expect(meter()).toHaveAccessibleName('Context 50%');
    await bridge.push({ change: 'context', changed: { session: 's1', context: null } });
    expect(meter()).toBeNull();
  });

  test.each<[string, Partial<SessionUsage>, string | null]>([
    ['an agent that reports nothing has none', {}, null],
    ['a context without a size has none', { context: { used: 5, size: 0 } }, null],
    ['tokens without a cost have none', { sum: { ...sum, cost: null } }, null],
    ['never more than a full context', { context: context(300_000) }, 'Context 100%'],
  ])('%s', async (_, usage, shown) => {
    await openPage(using(usage));
    if (shown === null) expect(meter()).toBeNull();
    else expect(meter()).toHaveAccessibleName(shown);
  });

  test('calls a cost that the agent does not estimate by its name, and leads to History', async () => {
    const exact = { ...claudeCode, capabilities: { ...claudeCode.capabilities, costIsEstimate: false } };
    const bridge = using({ sum });
    bridge.snapshot.agents = [exact];
    const { user, store } = await openPage(bridge);
    expect(meter()?.title).toContain('Cost of this session: $1.84');
    expect(meter()?.title).not.toContain('estimated');
    await user.click(meter() as HTMLElement);
    expect(store.state.navigation.place.at).toBe('history');
  });

  test('is read again when a turn ends', async () => {
    let used = sum;
    const bridge = using({}).on('read_session_usage', () => ({ sum: used, context: null }));
    await openPage(bridge);
    expect(meter()).toHaveAccessibleName('Cost $1.84');
    used = { ...sum, cost: 2.5 };
    await bridge.push({ change: 'entry', session: 's1', entry: anEntry(9, turnEnded) });
    await waitFor(() => expect(meter()).toHaveAccessibleName('Cost $2.50'));
  });
});

describe('the use of today', () => {
  const today = (used: UsageSum) => new FakeBridge().on('count_usage', () => ({ days: [used] }));

  test('case 99: is at the foot of the sidebar, beside what was there, and leads to History', async () => {
    const { user, store } = await openPage(today(aUsage({ turns: 9, inputTokens: 3_300_000, outputTokens: 90_000, cost: 11.2 })));
    expect(button('Today $11.20 · 3.4M tokens')).toBeVisible();
    expect(button('Settings')).toBeVisible();
    expect(button(/^Sessions grouped by/)).toBeVisible();
    await user.click(button('Today $11.20 · 3.4M tokens'));
    expect(store.state.navigation.place.at).toBe('history');
  });

  test('shows only tokens if no agent reports a cost, and nothing before the first turn', async () => {
    const { unmount } = await openPage(today(aUsage({ turns: 1, inputTokens: 900, outputTokens: 80 })));
    expect(button('Today 980 tokens')).toBeVisible();
    unmount();
    await openPage(today(aUsage()));
    expect(screen.queryByRole('button', { name: /^Today/ })).toBeNull();
  });

  test('covers the local day, is counted again at each end of a turn, and at midnight', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 23, 23, 59, 58) });
    try {
      const { bridge } = await openPage(new FakeBridge());
      const asked = () => bridge.sent('count_usage').map(({ days }) => days[0]);
      expect(asked()).toEqual([new Date(2026, 10, 23).getTime()]);
      await bridge.push({ change: 'entry', session: 's1', entry: anEntry(9, turnEnded) });
      expect(asked()).toHaveLength(2);
      vi.setSystemTime(new Date(2026, 10, 24, 0, 0, 1));
      await waitFor(() => expect(asked().at(-1)).toBe(new Date(2026, 10, 24).getTime()));
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a context that is nearly full', () => {
  test('case 99: is a quiet hint, and compacting is one command that leaves the draft alone', async () => {
    const { bridge, user, store } = await openPage(using({ context: context(180_000) }));
    expect(hint()).toHaveTextContent('Context 90% full');
    await user.type(composer(), 'half a message');
    await user.click(button('Compact'));
    expect(bridge.sent('compact_session')).toMatchObject([{ session: 's1' }]);
    expect(bridge.sent('send_message')).toEqual([]);
    expect(composer()).toHaveValue('half a message');
    expect(store.state.announced.news).toEqual([]);
  });

  test.each<[string, number, Partial<Session>, [hint: boolean, compact: boolean]]>([
    ['is no hint with 84 %', 0.84, {}, [false, false]],
    ['is a hint with 85 %', 0.85, {}, [true, true]],
    ['offers no compacting while the agent works', 0.9, { state: { state: 'working' } }, [true, false]],
    ['offers no compacting if the agent cannot', 0.9, of(demo), [true, false]],
    ['is no hint in an ended session', 0.9, { state: { state: 'ended', end: { end: 'finished' }, at: 1 } }, [false, false]],
  ])('%s', async (_, share, session, expected) => {
    await openPage(using({ context: context(share * 200_000) }, session));
    expect([hint() !== null, screen.queryByRole('button', { name: 'Compact' }) !== null]).toEqual(expected);
  });
});

describe('the plot of cost', () => {
  const month = (days: number, last: readonly Partial<UsageSum>[]) =>
    Array.from({ length: days }, (_, index) => aUsage({ ...last[index - days + last.length] }));
  const figure = (name: string) => screen.getByRole('figure', { name });

  async function openPlot(last: readonly Partial<UsageSum>[], dailyBudget = 0, count = 0) {
    const bridge = new FakeBridge().on('count_usage', ({ days }) => ({ days: month(days.length - 1, last) }));
    bridge.on('search_questions', () => ({ questions: [], more: false, count, answered: 0, unreadable: 0, medianMillis: null }));
    bridge.settings = { ...bridge.settings, settings: { ...bridge.settings.settings, dailyBudget } };
    const opened = await openPage(bridge);
    await opened.user.click(button('History'));
    await opened.user.click(button('Questions'));
    return opened;
  }

  const days = [
    { turns: 2, inputTokens: 1_000_000, cost: 12.5 },
    { turns: 1, inputTokens: 500_000, outputTokens: 1_000, cost: 16.4 },
    { turns: 1, inputTokens: 9_000, cost: null },
  ];

  test('case 99: shows the cost of each day, with the budget as a line and in words', async () => {
    await openPlot(days, 15);
    const plot = await screen.findByRole('figure', { name: 'Cost a day' });
    expect(plot).toHaveTextContent('$28.90');
    expect(plot).toHaveTextContent('1.5M tokens');
    expect(plot).toHaveTextContent('Budget $15');
    expect(within(plot).getByRole('img').getAttribute('aria-label')).toMatch(
      /^\$28\.90 in 30 days\. Most on one day: Yesterday, \$16\.40\. 1 day over the budget of \$15\.$/,
    );
    const labels = [...plot.querySelectorAll('.labels > span')].map((label) => label.textContent);
    expect(labels.filter((label) => label !== '')).toEqual([expect.any(String), expect.any(String), 'Today']);
  });

  test('has a table of the same numbers', async () => {
    const { user } = await openPlot(days, 15);
    await user.click(button('Show numbers'));
    const rows = within(figure('Cost a day')).getAllByRole('row').slice(-3);
    expect(rows.map((row) => row.lastElementChild?.textContent)).toEqual(['$12.50', '$16.40', '$0.00']);
    expect(rows.slice(-2).map((row) => row.firstElementChild?.textContent)).toEqual(['Yesterday', 'Today']);
    expect(within(figure('Cost a day')).getByRole('columnheader', { name: 'Cost' })).toBeVisible();
  });

  test('shows tokens if there is no cost, without a budget, and says when there is nothing', async () => {
    const { unmount } = await openPlot([{ turns: 1, inputTokens: 9_000 }], 15);
    expect(await screen.findByRole('figure', { name: 'Tokens a day' })).toHaveTextContent('9K');
    expect(screen.queryByText('Budget $15')).toBeNull();
    unmount();
    await openPlot([], 0, 1);
    expect(await screen.findByText('No finished turns in this period')).toBeVisible();
  });

  test('adds up the days', () => {
    expect(plottedUsage([aUsage({ cost: 1 }), aUsage({ inputTokens: 5 }), aUsage({ cost: 0.5 })])).toEqual({
      by: 'cost',
      days: [1, 0, 0.5],
      cost: 1.5,
      tokens: 5,
    });
    expect(plottedUsage([aUsage({ cost: 0, outputTokens: 5 })])).toMatchObject({ by: 'tokens', days: [5] });
  });

  test.each([
    [0.003, [0.01]],
    [0.25, [0.1, 0.2, 0.3]],
    [16.4, [10, 20]],
    [15, [5, 10, 15]],
  ])('has lines of amounts up to %d', (most, lines) => expect(linesUpTo(most, false)).toEqual(lines));
});

test('a passed budget’s notification leads to the plots in History', async () => {
  const { bridge, store } = await openPage(new FakeBridge());
  store.dispatch({ type: 'history_part_shown', part: 'said' });
  await bridge.openDeepLink('history');
  expect(store.state.navigation.place.at).toBe('history');
  expect(store.state.history.part).toBe('questions');
  expect(bridge.target).toBeNull();
});

test('amounts and counts follow the language', async () => {
  const shown = () => [cost(11.2), cost(0.0004), shortCost(15), tokenCount(3_400_000)].map((text) => text.replaceAll('\u00a0', ' '));
  expect(shown()).toEqual(['$11.20', '$0.0004', '$15', '3.4M']);
  try {
    await spoken.speak('de');
    expect(shown()).toEqual(['11,20 $', '0,0004 $', '15 $', '3,4 Mio.']);
    await spoken.speak('zh');
    expect(shown()).toEqual(['US$11.20', 'US$0.0004', 'US$15', '340万']);
  } finally {
    await spoken.speak('en');
  }
});
