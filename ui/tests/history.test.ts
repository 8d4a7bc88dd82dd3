import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { SearchHit, Session } from '../src/generated/wire';
import { selectedSession } from '../src/store/select';
import { anEntry, answered, aRequest, aSession, delivered, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, expectNoViolations, held, openPage, settle } from './open';

const field = () => screen.getByRole('searchbox', { name: 'Search transcripts' });
const past: Session['state'] = { state: 'ended', end: { end: 'stopped' }, at: 5 };

function aHit(n: number, changes: Partial<SearchHit> = {}): SearchHit {
  return {
    session: 's1',
    name: 'api',
    folder: '/home/ada/projects/api',
    n,
    at: 1,
    kind: 'agent',
    before: 'the ',
    match: 'lighthouse',
    after: ' stands',
    ...changes,
  };
}

/** An app with a past session and a running one, each with a transcript. */
function withPast(hits: SearchHit[] = [aHit(2)], more = false, length = 3): FakeBridge {
  const sessions = [aSession({ state: past }), aSession({ id: 's2', name: 'web' })];
  const entries = Array.from({ length }, (_, index) => anEntry(index + 1, { kind: 'agent', text: `entry ${index + 1}` }));
  const bridge: FakeBridge = new FakeBridge({ sessions });
  return bridge
    .on('search_history', () => ({ hits, more }))
    .on('delete_session', ({ session }) => {
      bridge.push({ change: 'session_deleted', session });
      return {};
    })
    .on('read_transcript', ({ before, limit }) => {
      const known = entries.filter((entry) => before === null || entry.n < before);
      const page = known.slice(-limit);
      return { entries: page, more: page.length < known.length, requests: [], approvals: [] };
    });
}

async function openHistory(bridge: FakeBridge) {
  const opened = await openPage(bridge);
  await opened.user.click(button('History'));
  await opened.user.click(button('Transcripts'));
  return opened;
}

async function search(bridge: FakeBridge, text = 'light') {
  const opened = await openHistory(bridge);
  await fireEvent.input(field(), { target: { value: text } });
  await waitFor(() => expect(bridge.sent('search_history')).not.toEqual([]));
  await settle();
  return opened;
}

async function openExcerpt(bridge: FakeBridge) {
  const opened = await search(bridge);
  await opened.user.click(button(/lighthouse/));
  bridge.calls.length = 0;
  return opened;
}

const excerpt = (name = 'api') => screen.getByRole('region', { name: `Transcript excerpt: ${name}` });
const shown = () => [...excerpt().querySelectorAll('[data-entry]')].map((entry) => entry.getAttribute('data-entry'));

describe('the history', () => {
  test('opens from the sidebar with past sessions, and no session is in view', async () => {
    const { bridge, user } = await openHistory(withPast());
    expect(field()).toHaveFocus();
    expect(screen.getByRole('heading', { name: 'History' })).toBeVisible();
    expect(within(screen.getByRole('region', { name: 'Past sessions' })).getAllByRole('listitem')).toHaveLength(1);
    expect(screen.queryByRole('complementary')).toBeNull();
    expect(bridge.sent('note_view').at(-1)?.session).toBeNull();
    await expectNoViolations();
    await user.click(button(/^web/));
    expect(screen.getByRole('heading', { name: 'web' })).toBeVisible();
    expect(screen.queryByRole('heading', { name: 'History' })).toBeNull();
  });

  test('opens from the first screen, which has no sidebar', async () => {
    await openHistory(new FakeBridge({ sessions: [] }));
    expect(screen.getByText('No past sessions yet')).toBeVisible();
  });

  test('searches when typing pauses', async () => {
    const { bridge, user } = await openHistory(withPast());
    await user.type(field(), 'the lig');
    expect(bridge.sent('search_history')).toEqual([]);
    await waitFor(() => expect(bridge.sent('search_history')).not.toEqual([]));
    expect(bridge.sent('search_history')).toEqual([{ query: 'the lig', limit: 30, offset: 0 }]);
  });

  test('groups matches by session and shows them as text', async () => {
    const markup = aHit(7, { after: ' <img src=x>', kind: 'request' });
    await search(withPast([aHit(2), aHit(3, { session: 's2', name: 'web', folder: '/srv/web' }), markup]));
    expect(screen.getByText('3 matches')).toBeVisible();
    const api = within(screen.getByRole('region', { name: 'api' }));
    expect(api.getAllByRole('button').map((hit) => hit.querySelector('.words')?.textContent)).toEqual([
      'the lighthouse stands',
      'the lighthouse <img src=x>',
    ]);
    expect(api.getByText('Question')).toBeVisible();
    expect(document.querySelector('img')).toBeNull();
    expect(within(screen.getByRole('region', { name: 'web' })).getAllByRole('button')).toHaveLength(1);
  });

  test('says if nothing was found, and lists the sessions again for an empty query', async () => {
    const { user } = await search(withPast([]));
    expect(screen.getByRole('status')).toHaveTextContent('No results for “light”');
    await user.clear(field());
    expect(screen.getByRole('region', { name: 'Past sessions' })).toBeVisible();
  });

  test('ignores the result of an outdated query', async () => {
    const late = held<{ hits: SearchHit[]; more: boolean }>();
    const slow = withPast().on('search_history', ({ query }) =>
      query === 'one' ? late.promise : { hits: [aHit(2, { match: 'second' })], more: false },
    );
    const { user } = await search(slow, 'one');
    await user.clear(field());
    await user.type(field(), 'two');
    await waitFor(() => expect(button(/second/)).toBeVisible());
    late.give({ hits: [aHit(1, { match: 'first' })], more: false });
    await settle();
    expect(screen.queryByRole('button', { name: /first/ })).toBeNull();
  });

  test('loads more matches on demand', async () => {
    const bridge = withPast([aHit(1), aHit(2)], true);
    const { user } = await search(bridge);
    bridge.on('search_history', () => ({ hits: [aHit(2), aHit(3)], more: false }));
    await user.click(button('Show more matches'));
    expect(bridge.sent('search_history').at(-1)).toEqual({ query: 'light', limit: 30, offset: 2 });
    expect(screen.getAllByRole('button', { name: /lighthouse/ })).toHaveLength(3);
  });

  test('shows an error if a search fails, and keeps the query', async () => {
    const bridge = withPast().fail('search_history', { code: 'storage_busy' });
    await search(bridge);
    await waitFor(() => expect(screen.getByRole('alert')).toBeVisible());
    expect(field()).toHaveValue('light');
  });
});

describe('an excerpt of a transcript', () => {
  test('opens at the match, with the entries around it', async () => {
    await openExcerpt(withPast([aHit(100)], false, 200));
    expect([shown().at(0), shown().at(-1)]).toEqual(['61', '120']);
    expect(document.activeElement).toHaveAttribute('data-place', '100');
    expect(document.activeElement).toHaveClass('found');
  });

  test('loads later entries up to the last one', async () => {
    const { user } = await openExcerpt(withPast([aHit(40)], false, 100));
    expect([shown().at(0), shown().at(-1)]).toEqual(['1', '60']);
    expect(screen.queryByText('Show earlier entries')).toBeNull();
    await user.click(screen.getByText('Show later entries'));
    expect([shown().at(-1), shown().length]).toEqual(['100', 100]);
    expect(screen.queryByText('Show later entries')).toBeNull();
  });

  test('of a past session opens at its end and loads earlier entries', async () => {
    const { user } = await openHistory(withPast([], false, 100));
    await user.click(within(screen.getByRole('main')).getByRole('button', { name: /^api/ }));
    expect(shown()).toEqual(['41', ...Array.from({ length: 59 }, (_, index) => String(index + 42))]);
    expect(document.activeElement).toHaveAttribute('data-place', '100');
    await user.click(screen.getByText('Show earlier entries'));
    expect([shown().at(0), shown().length]).toEqual(['1', 100]);
    expect(screen.queryByText('Show earlier entries')).toBeNull();
  });

  test('case_46_shows_question_options_choice_words_and_who_ended_it', async () => {
    const said = [{ question: 'q1', chosen: ['q1o2'], other: 'with refresh tokens' }];
    const request = answered(aRequest(), said, delivered);
    const bridge = withPast([aHit(1, { kind: 'request' })]).on('read_transcript', () => ({
      entries: [anEntry(1, { kind: 'request', request: 'r1' })],
      more: false,
      requests: [request],
      approvals: [],
    }));
    const { user } = await openExcerpt(bridge);
    await user.click(within(excerpt()).getByText('Questions and options'));
    for (const words of ['Question 1?', 'OAuth 2.0', 'JWT', 'with refresh tokens', 'Closed by you · ']) {
      expect(excerpt()).toHaveTextContent(words);
    }
  });

  test('leads to its session and back to the matches', async () => {
    const { user } = await openExcerpt(withPast());
    await user.click(button('Back to History'));
    expect(field()).toHaveValue('light');
    await user.click(button(/lighthouse/));
    await user.click(button('Open session'));
    expect(screen.getByRole('region', { name: 'Transcript of api' })).toBeVisible();
  });

  test('of a closed session can be opened, too', async () => {
    const closed = aSession({ id: 's9', name: 'old', state: past });
    await openExcerpt(withPast([aHit(2, { session: 's9', name: 'old' })]).on('read_past_sessions', () => ({ sessions: [closed] })));
    expect(excerpt('old')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Open session' })).toBeNull();
  });

  test('is exported to a file that the user chooses', async () => {
    const { bridge, user } = await openExcerpt(withPast().on('save_export', () => ({ path: '/home/ada/api.md' })));
    await user.click(button('Export as Markdown'));
    expect(bridge.sent('save_export')).toEqual([{ session: 's1', format: 'markdown' }]);
    expect(screen.getByText('Exported to /home/ada/api.md')).toHaveRole('status');
    bridge.on('save_export', () => ({ path: null }));
    await user.click(button('Export as JSON'));
    expect(screen.queryByText('Exported to /home/ada/api.md')).toBeNull();
    bridge.fail('save_export', { code: 'file_not_written', message: '/root/api.md: denied' });
    await user.click(button('Export as Markdown'));
    expect(screen.getByRole('alert')).toHaveTextContent('Couldn’t write the file. /root/api.md: denied');
  });
});

describe('deleting a session', () => {
  test('says first what is deleted and what stays, and shows an error if it fails', async () => {
    const { bridge, user } = await openExcerpt(withPast());
    await user.click(button('Delete…'));
    const dialog = screen.getByRole('dialog', { name: 'Delete “api” permanently?' });
    expect(dialog).toHaveTextContent('This deletes its transcript, questions and answers');
    expect(dialog).toHaveTextContent('/home/ada/projects/api stay');
    // The window's own keys do nothing meanwhile.
    await user.keyboard('{Control>}k{/Control}');
    expect(screen.getAllByRole('dialog')).toEqual([dialog]);
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bridge.sent('delete_session')).toEqual([]);
    bridge.fail('delete_session', { code: 'storage_full' });
    await user.click(button('Delete…'));
    await user.click(button('Delete permanently'));
    expect(screen.getByRole('alert')).toHaveTextContent('The disk is full');
    expect(excerpt()).toBeVisible();
  });

  test('removes it from the sidebar, the matches, and the list', async () => {
    const { bridge, user, store } = await openExcerpt(withPast());
    await bridge.push({ change: 'entry', session: 's1', entry: anEntry(4, turnEnded) });
    expect(store.state.finished).toHaveProperty('s1');
    await user.click(button('Delete…'));
    await user.click(button('Delete permanently'));
    expect(bridge.sent('delete_session')).toMatchObject([{ session: 's1' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(field()).toHaveFocus();
    expect(screen.queryByRole('button', { name: /lighthouse|^api/ })).toBeNull();
    expect(selectedSession(store.state)).toBe('s2');
    expect(JSON.stringify({ ...store.state, failures: [] })).not.toContain('s1"');
  });

  test('of the only session leaves none, although the sidebar closes its own dialog when it goes', async () => {
    const bridge = withPast();
    bridge.snapshot = { ...bridge.snapshot, sessions: [aSession({ state: past })] };
    const { user, store } = await openExcerpt(bridge);
    await user.click(button('Delete…'));
    await user.click(button('Delete permanently'));
    expect(store.state.sessions).toEqual([]);
    expect(field()).toBeVisible();
  });

  test('isn’t offered while it runs', async () => {
    await openExcerpt(withPast([aHit(2, { session: 's2', name: 'web' })]));
    expect(button('Delete…')).toBeDisabled();
    expect(button('Delete…')).toHaveAccessibleDescription(/^End this session before you delete it/);
  });
});
