import { screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { anEntry, aSession, aTool } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, expectNoViolations, openPage, settle, skippableTime } from './open';

const Usual = globalThis.ResizeObserver;
afterEach(() => {
  globalThis.ResizeObserver = Usual;
});

/** Reports sizes only on demand; until then, the list renders no entries. */
class LateResizeObserver extends Usual {
  static readonly late: (() => void)[] = [];

  override observe(target: Element): void {
    LateResizeObserver.late.push(() => super.observe(target));
  }
}

test('a transcript is busy until an entry is rendered', async () => {
  globalThis.ResizeObserver = LateResizeObserver;
  const bridge = new FakeBridge({ sessions: [aSession()] }).with({ entries: { s1: [anEntry(1, { kind: 'agent', text: 'Here I am.' })] } });
  const { store, getByRole, queryByRole } = await openPage(bridge);
  store.dispatch({ type: 'session_selected', session: 's1' });
  await settle();
  expect(queryByRole('article')).toBeNull();
  expect(getByRole('feed').getAttribute('aria-busy')).toBe('true');

  while (LateResizeObserver.late.length > 0) {
    for (const tell of LateResizeObserver.late.splice(0)) tell();
    await settle();
  }
  expect(queryByRole('article')).not.toBeNull();
  await waitFor(() => expect(getByRole('feed').getAttribute('aria-busy')).toBe('false'));
});

describe('Page Up and Page Down', () => {
  skippableTime();

  async function opened() {
    const bridge = new FakeBridge({ sessions: [aSession()] });
    const read = (n: number) => anEntry(n, aTool({ toolUse: `t${n}`, summary: `src/${n}.ts`, output: 'one\ntwo' }));
    bridge.entries['s1'] = [
      anEntry(1, { kind: 'user', text: 'Add auth', attachments: [] }),
      read(2),
      read(3),
      anEntry(4, { kind: 'agent', text: 'Done.' }),
      read(5),
    ];
    const page = await openPage(bridge);
    const feed = within(screen.getByRole('feed'));
    await waitFor(() => expect(feed.getAllByRole('article')).toHaveLength(4));
    screen.getByRole('region', { name: /^Transcript of/ }).focus();
    const press = async (key: string) => {
      await page.user.keyboard(key);
      await settle();
    };
    return { ...page, feed, press };
  }

  const focused = () => document.activeElement?.getAttribute('data-entry');

  test('move between the entries from the edge of the view, and stop at both ends', async () => {
    const { press, feed } = await opened();
    await press('{PageUp}');
    expect(focused()).toBe('5');
    for (const entry of ['4', '2', '1', '1']) {
      await press('{PageUp}');
      expect(focused()).toBe(entry);
    }
    await press('{PageDown}');
    expect(focused()).toBe('2');
    expect(document.activeElement).toHaveAccessibleName('Read 2 files');
    expect(feed.getByRole('article', { name: 'You' })).toHaveAttribute('aria-posinset', '1');
    expect(feed.getByRole('article', { name: 'Claude Code' })).toHaveAttribute('aria-setsize', '5');
    await expectNoViolations();
  });

  test('start at the entry that has the focus inside', async () => {
    const { press, feed } = await opened();
    feed.getByText('Read 2 files').closest('summary')?.focus();
    await press('{PageDown}');
    expect(focused()).toBe('4');
  });

  test('leave a long text inside an entry, and combinations, alone', async () => {
    const { press, feed, user } = await opened();
    await press('{Control>}{PageUp}{/Control}');
    expect(focused()).toBeNull();
    await user.click(feed.getByText('src/5.ts'));
    const output = feed.getByRole('article', { name: /src\/5\.ts/ }).querySelector<HTMLElement>('[tabindex="0"]');
    output?.focus();
    expect(output).toHaveFocus();
    await press('{PageUp}');
    expect(output).toHaveFocus();
  });

  test('don’t take the focus from where it went while earlier entries were loading', async () => {
    const page = (n: number, more: boolean) => ({
      entries: [anEntry(n, { kind: 'agent', text: `Entry ${n}` })],
      more,
      requests: [],
      approvals: [],
    });
    let give = (_: ReturnType<typeof page>) => {};
    const bridge = new FakeBridge({ sessions: [aSession()] }).on('read_transcript', ({ before }) =>
      before === null ? page(2, true) : new Promise((resolve) => (give = resolve)),
    );
    const { user } = await openPage(bridge);
    await screen.findByText('Entry 2');
    screen.getByRole('region', { name: /^Transcript of/ }).focus();
    await user.keyboard('{PageUp}');
    await waitFor(() => expect(focused()).toBe('2'));
    expect(bridge.sent('read_transcript')).toHaveLength(1);
    await user.keyboard('{PageUp}');
    expect(bridge.sent('read_transcript')).toHaveLength(2);
    composer().focus();
    give(page(1, false));
    await screen.findByText('Entry 1');
    // Longer than an entry is waited for.
    await vi.advanceTimersByTimeAsync(500);
    expect(composer()).toHaveFocus();
  });
});
