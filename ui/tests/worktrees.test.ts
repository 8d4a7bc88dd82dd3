import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { messageOfBranch } from '../src/feature/worktree/commitMessage';
import type { Session, WorktreeRefused, WorktreeState, WorktreeUnavailable } from '../src/generated/wire';
import { aFound, demoFound } from '../src/testing/agents';
import { aPlan, aRequest, aSession, aTree } from '../src/testing/builders';
import { anError, FakeBridge, settle } from '../src/testing/fakeBridge';
import { button, checkbox, expectNoViolations, held, openPage, radio, texts } from './open';

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const inTree: Partial<Session> = {
  name: 'shop-api',
  state: { state: 'idle' },
  folder: '/home/ada/code/shop-api.worktrees/rate-limits',
  worktree: {
    repository: '/home/ada/code/shop-api',
    path: '/home/ada/code/shop-api.worktrees/rate-limits',
    branch: 'rate-limits',
    base: 'main',
  },
};
const refusedFor = (why: WorktreeRefused) => ({ code: 'worktree_refused', detail: { detail: 'worktree', why } }) as const;
const noWorktree = (why: WorktreeUnavailable) => ({ code: 'worktree_unavailable', detail: { detail: 'no_worktree', why } }) as const;
const listed = (...first: string[]) => ({ count: first.length, first });

describe('the branch of a session', () => {
  test('is in its row, its header, and the inbox', async () => {
    const heads = [{ session: 's1', head: { head: 'branch' as const, name: 'oauth-login' } }];
    const { bridge, user } = await openPage(new FakeBridge({ sessions: [aSession()], heads, requests: [aRequest()] }));
    const branches = () => [...document.querySelectorAll('[data-branch]')].map((one) => one.textContent);
    expect(branches()).toEqual(['Branch oauth-login', 'Branch oauth-login']);
    await bridge.push({ change: 'checked_out', session: 's1', head: { head: 'detached', commit: '1a2b3c4d' } });
    await waitFor(() => expect(branches()).toEqual(['Commit 1a2b3c4d', 'Commit 1a2b3c4d']));
    await user.click(button(/^Inbox/));
    await waitFor(() => expect(document.querySelector('[data-inbox-view] [data-branch]')).toHaveTextContent('1a2b3c4d'));
    await bridge.push({ change: 'checked_out', session: 's1', head: null });
    await waitFor(() => expect(branches()).toEqual([]));
  });
});

describe('a start in a new worktree', () => {
  async function openStart(bridge: FakeBridge) {
    bridge.agents = { reading: false, agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };
    return openPage(bridge);
  }

  const planned = (changes: Parameters<typeof aPlan>[0] = {}, setup = '') =>
    new FakeBridge({ sessions: [] })
      .on('plan_worktree', ({ branch, base, path, message }) =>
        aPlan(
          {
            branch: branch ?? (message === '' ? 'askdesk/session' : `askdesk/${message}`),
            ...(base === null ? {} : { base }),
            ...(path === null ? {} : { path }),
            ...changes,
          },
          setup,
        ),
      )
      .on('start_session', () => aSession({ id: 's9', ...inTree }));

  /** Opens the form and turns the switch on. */
  async function openOn(bridge: FakeBridge) {
    const opened = await openStart(bridge);
    await opened.user.click(await screen.findByRole('switch', { name: 'New worktree' }));
    return opened;
  }

  /** Opens the list of bases. */
  async function openBases(branches?: Parameters<typeof aPlan>[0]) {
    const opened = await openOn(planned(branches));
    const base = await screen.findByRole('combobox', { name: 'Base branch' });
    await opened.user.click(base);
    return { ...opened, base };
  }

  test('suggests its branch from the message, and sends what the form shows', async () => {
    const { bridge, user } = await openOn(planned());
    await user.type(field('First message'), 'fix');
    await waitFor(() => expect(field('New branch')).toHaveValue('askdesk/fix'));
    await user.type(field('Setup command'), 'npm ci');
    await user.click(button('Start session'));
    await waitFor(() => expect(bridge.sent('start_session')).toHaveLength(1));
    expect(bridge.sent('start_session')[0]?.worktree).toEqual({
      base: 'main',
      branch: 'askdesk/fix',
      path: '/home/ada/code/shop-api.worktrees/askdesk-session',
      setup: 'npm ci',
      made: false,
    });
  });

  test('without the switch starts in the folder itself', async () => {
    const { bridge, user } = await openStart(planned());
    await screen.findByRole('switch', { name: 'New worktree' });
    expect(screen.queryByLabelText('New branch')).toBeNull();
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')[0]?.worktree).toBeNull();
  });

  test('chooses its base from a list that can be filtered with the keyboard', async () => {
    const { bridge, user, base } = await openBases();
    const options = () => texts(within(screen.getByRole('listbox', { name: 'Branches' })).getAllByRole('option'));
    expect(options()).toEqual(['main', 'oauth-login', 'release/2.1']);
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(within(screen.getByRole('listbox')).getByRole('option', { selected: true })).toHaveTextContent('oauth-login');
    await user.keyboard('REL');
    expect(options()).toEqual(['release/2.1']);
    await user.keyboard('{Enter}');
    expect(screen.queryByRole('listbox')).toBeNull();
    await waitFor(() => expect(bridge.sent('plan_worktree').at(-1)?.base).toBe('release/2.1'));
    expect(base).toHaveValue('release/2.1');
    await user.click(base);
    await user.keyboard('nothing{Escape}');
    expect(base).toHaveValue('release/2.1');
    expect(bridge.sent('start_session')).toEqual([]);
  });

  test('takes the base whose whole name is typed, not a newer branch that contains it', async () => {
    const { bridge, user } = await openBases({ branches: ['fix/release/2.1-notes', 'main', 'release/2.1'] });
    await user.keyboard('release/2.1{Enter}');
    await waitFor(() => expect(bridge.sent('plan_worktree').at(-1)?.base).toBe('release/2.1'));
  });

  test('keeps its base if nothing is chosen, also one that isn’t drawn in the list', async () => {
    const branches = [...Array.from({ length: 60 }, (_, n) => `topic-${n}`), 'main'];
    const { bridge, user, base } = await openBases({ branches });
    expect(within(screen.getByRole('listbox')).queryByRole('option', { selected: true })).toBeNull();
    expect(screen.getByText('11 more branches. Type to find them.')).toBeVisible();
    await user.keyboard('{Enter}');
    expect(screen.queryByRole('listbox')).toBeNull();
    expect(base).toHaveValue('main');
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ worktree: { base: 'main' } }]);
  });

  test.each([
    ['Enter', '{ArrowDown}{Enter}'],
    ['Tab', '{Tab}'],
  ])('takes a base that is too old to be listed, with %s', async (_, keys) => {
    const { bridge, user } = await openBases({ branches: ['main', 'legacy-2'], unlisted: 3 });
    expect(screen.getByText('3 older branches aren’t listed. Type the whole name of one.')).toBeVisible();
    expect(screen.queryByText(/more branch/)).toBeNull();
    await user.keyboard('legacy');
    await user.keyboard(keys);
    await waitFor(() => expect(bridge.sent('plan_worktree').at(-1)?.base).toBe('legacy'));
  });

  test('says at once what is wrong, and starts nothing', async () => {
    const { bridge, user } = await openOn(planned({ flaws: [{ flaw: 'branch_taken', with: 'main' }, { flaw: 'path_taken' }] }));
    const branch = await screen.findByLabelText('New branch');
    await user.clear(branch);
    await user.type(branch, 'main');
    await waitFor(() => expect(branch).toHaveAccessibleDescription('The branch main exists already. Choose another name.'));
    expect(field('Worktree folder')).toHaveAccessibleDescription('This folder exists already. Choose another one.');
    await user.click(button('Start session'));
    await waitFor(() => expect(branch).toHaveFocus());
    expect(bridge.sent('start_session')).toEqual([]);
  });

  test('isn’t offered without a repository, and says why a repository can have none', async () => {
    const { bridge, user } = await openStart(new FakeBridge({ sessions: [] }));
    await waitFor(() => expect(bridge.sent('plan_worktree')).toHaveLength(1));
    expect(screen.queryByRole('switch')).toBeNull();
    bridge.fail('plan_worktree', noWorktree({ unavailable: 'no_git' }));
    await user.type(field('Folder'), '/a');
    await waitFor(() => expect(bridge.sent('plan_worktree')).toHaveLength(2));
    expect(screen.queryByRole('switch')).toBeNull();
    bridge.fail('plan_worktree', noWorktree({ unavailable: 'no_commit' }));
    await user.type(field('Folder'), '/b');
    const choice = await screen.findByRole('switch', { name: 'New worktree' });
    expect(choice).toBeDisabled();
    expect(choice).toHaveAccessibleDescription(/no commits yet/);
  });

  describe('with the switch on', () => {
    /** Plans for every folder but one. */
    function failingIn(folder: string, why: WorktreeUnavailable) {
      return planned().on('plan_worktree', (wanted) => {
        if (wanted.folder === folder) throw anError(noWorktree(why));
        return aPlan();
      });
    }

    async function goTo(user: Awaited<ReturnType<typeof openStart>>['user'], bridge: FakeBridge, folder: string) {
      await user.clear(field('Folder'));
      await user.type(field('Folder'), folder);
      await waitFor(() => expect(bridge.sent('plan_worktree').at(-1)?.folder).toBe(folder));
      await settle();
    }

    test.each(['no_git', 'no_repository', 'no_commit', 'folder_gone'] as const)(
      'starts in a folder that can have no worktree: %s',
      async (unavailable) => {
        const { bridge, user } = await openOn(failingIn('/srv', { unavailable }));
        await goTo(user, bridge, '/srv');
        expect(screen.queryByRole('switch', { checked: true })).toBeNull();
        await user.click(button('Start session'));
        expect(bridge.sent('start_session')).toMatchObject([{ folder: '/srv', worktree: null }]);
      },
    );

    test('says why it can’t plan, and starts in the folder itself once the user turns it off', async () => {
      const { bridge, user } = await openOn(failingIn('/srv', { unavailable: 'timed_out', seconds: 10 }));
      await goTo(user, bridge, '/srv');
      const choice = screen.getByRole('switch', { name: 'New worktree' });
      expect(choice).toBeChecked();
      expect(choice).toHaveAccessibleDescription(/longer than 10 seconds/);
      await user.click(button('Start session'));
      expect(screen.getByRole('alert')).toHaveTextContent('longer than 10 seconds');
      expect(bridge.sent('start_session')).toEqual([]);
      await user.click(screen.getByRole('switch', { name: 'New worktree' }));
      await user.click(button('Start session'));
      expect(bridge.sent('start_session')).toMatchObject([{ folder: '/srv', worktree: null }]);
    });

    test('case_143 starts in the folder that was sent, whatever is typed while its worktree is planned', async () => {
      const { bridge, user } = await openOn(planned());
      await screen.findByLabelText('New branch');
      const { promise: asked, give: plan } = held();
      bridge.on('plan_worktree', ({ message }) => asked.then(() => aPlan({ branch: `askdesk/${message}` })));
      await user.type(field('First message'), 'first');
      await user.click(button('Start session'));
      await user.type(field('First message'), 'second');
      plan();
      await waitFor(() => expect(bridge.sent('start_session')).toHaveLength(1));
      expect(bridge.sent('start_session')).toMatchObject([{ folder: '/home/ada', prompt: 'first', worktree: { branch: 'askdesk/first' } }]);
      expect(field('First message')).toHaveValue('second');
    });
  });
});

describe('the menu of a session in a worktree', () => {
  const press = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });

  async function open(item: string, tree: Partial<WorktreeState> = {}, session: Partial<Session> = {}) {
    const bridge = new FakeBridge({ sessions: [aSession({ ...inTree, ...session })] }).on('read_worktree', () => aTree(tree));
    const opened = await openPage(bridge);
    await opened.user.click(button('Session menu'));
    await opened.user.click(screen.getByRole('menuitem', { name: item }));
    const dialog = await screen.findByRole('dialog');
    await waitFor(() => expect(within(dialog).queryByText('Reading the worktree…')).toBeNull());
    return { ...opened, bridge, dialog };
  }

  test('is absent for other sessions', async () => {
    const { user } = await openPage(new FakeBridge({ sessions: [aSession()] }));
    await user.click(button('Session menu'));
    expect(screen.queryByRole('menuitem', { name: /worktree|Merge|Rebase/ })).toBeNull();
  });

  test('case_84_merges what is committed, after showing it', async () => {
    const { bridge, user, dialog } = await open('Merge into main…', { commits: listed('1a2b Add limits') });
    expect(dialog).toHaveAccessibleName('Merge rate-limits into main?');
    expect(within(dialog).getByText('1a2b Add limits')).toBeVisible();
    expect(within(dialog).queryByLabelText('Commit message')).toBeNull();
    await user.click(press('Merge'));
    expect(bridge.sent('merge_worktree')).toMatchObject([{ session: 's1', seen: 'a1', message: null }]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('case_84_commits first only with a message that the user sees and can change', async () => {
    const changes = { uncommitted: listed('a.ts'), untracked: listed('b.ts') };
    const { bridge, user, dialog } = await open('Rebase onto main…', { ...changes, behind: 2 });
    expect(dialog).toHaveTextContent('main has 2 commits that the branch doesn’t have.');
    expect(dialog).toHaveTextContent('a.ts');
    const message = within(dialog).getByLabelText('Commit message');
    expect(message).toHaveValue('Rate limits');
    await user.clear(message);
    expect(press('Commit and rebase')).toBeDisabled();
    await user.type(message, 'Limit requests');
    await user.click(press('Commit and rebase'));
    expect(bridge.sent('rebase_worktree')).toMatchObject([{ message: 'Limit requests' }]);
  });

  test('case_84_keeps a commit message that was typed while the agent takes a turn', async () => {
    const { bridge, user, dialog } = await open('Merge into main…', { uncommitted: listed('a.ts') });
    const message = () => within(dialog).findByLabelText('Commit message');
    await user.clear(await message());
    await user.type(await message(), 'Limit requests');
    bridge.on('read_worktree', () => aTree({ merge: { blocked: 'working' } }));
    await bridge.push({ change: 'session', session: aSession({ ...inTree, state: { state: 'working' } }) });
    expect(await within(dialog).findByText(/An agent is working/)).toBeVisible();
    bridge.on('read_worktree', () => aTree({ uncommitted: listed('a.ts', 'b.ts') }));
    await bridge.push({ change: 'session', session: aSession(inTree) });
    expect(await message()).toHaveValue('Limit requests');
    expect(dialog).toHaveTextContent('b.ts');
  });

  test('is read again only if its session or its branch has changed', async () => {
    const { bridge } = await open('Merge into main…', { uncommitted: listed('a.ts') });
    const reads = () => bridge.sent('read_worktree').length;
    const before = reads();
    await bridge.push({ change: 'session', session: aSession({ ...inTree, name: 'another name' }) });
    expect(reads()).toBe(before);
    await bridge.push({ change: 'session', session: aSession({ ...inTree, state: { state: 'working' } }) });
    await waitFor(() => expect(reads()).toBe(before + 1));
  });

  test('says that the changes were committed if only the merge was refused, and still asks the agent to rebase', async () => {
    const { bridge, user, dialog } = await open('Merge into main…', { commits: listed('1a2b Add limits') });
    const why: WorktreeRefused = { refused: 'after_commit', why: { refused: 'conflict', files: ['src/a.ts'] } };
    bridge.fail('merge_worktree', refusedFor(why));
    await user.click(press('Merge'));
    const alert = await within(dialog).findByRole('alert');
    expect(alert).toHaveTextContent('The changes were committed to the branch');
    expect(alert).toHaveTextContent('src/a.ts');
    expect(press('Ask the agent to rebase')).toBeVisible();
  });

  test('case_84_names the files of a conflict and asks the agent to rebase', async () => {
    const { bridge, user, dialog } = await open('Merge into main…', { commits: listed('1a2b Add limits') });
    bridge.fail('merge_worktree', refusedFor({ refused: 'conflict', files: ['src/a.ts', 'b.ts'] }));
    await user.click(press('Merge'));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('src/a.ts');
    await user.click(press('Ask the agent to rebase'));
    const [sent] = bridge.sent('queue_message');
    expect(sent?.text).toContain('- src/a.ts\n- b.ts');
    expect(sent?.text).toContain('Rebase your branch onto main');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  describe('while git is running for a dialog that was closed', () => {
    async function closeAndReopen() {
      const opened = await open('Merge into main…', { commits: listed('1a2b Add limits') });
      const { bridge, user, dialog } = opened;
      const { promise: ended, give: end } = held<() => Record<string, never>>();
      bridge.on('merge_worktree', async () => (await ended)());
      await user.click(press('Merge'));
      await within(dialog).findByText('Git is running…');
      await user.click(press('Cancel'));
      await user.click(button('Session menu'));
      await user.click(screen.getByRole('menuitem', { name: 'Remove worktree…' }));
      const remove = await screen.findByRole('button', { name: 'Remove worktree' });
      return { ...opened, end, remove };
    }

    test('case_84_another one begins nothing, and shows afterwards what has become of the worktree', async () => {
      const { bridge, commands, end, remove } = await closeAndReopen();
      await waitFor(() => expect(remove).toBeDisabled());
      expect(screen.getByText('Git is running…')).toBeVisible();
      const removal = { session: 's1', seen: 'a1', losses: [], branch: 'stays' as const };
      expect(await commands.worktrees.change('remove_worktree', removal)).toBe('running');
      expect(bridge.sent('remove_worktree')).toEqual([]);
      bridge.on('read_worktree', () => aTree({ untracked: listed('left.ts') }));
      end(() => ({}));
      expect(await screen.findByText('1 untracked file')).toBeVisible();
      expect(button('Remove worktree')).toBeEnabled();
      expect(screen.queryByText('Git is running…')).toBeNull();
    });

    test('case_84_its failure is shown by the window', async () => {
      const { store, end } = await closeAndReopen();
      end(() => {
        throw anError(refusedFor({ refused: 'failed', error: 'the hook says no' }));
      });
      expect(await screen.findByText(/the hook says no/)).toBeVisible();
      expect(store.state.failures).toHaveLength(1);
      await waitFor(() => expect(button('Remove worktree')).toBeEnabled());
    });
  });

  test('case_84_removes a worktree with something to lose only after a second choice', async () => {
    const { bridge, user, dialog } = await open('Remove worktree…', {
      uncommitted: listed('a.ts'),
      untracked: listed('notes.md'),
      ignored: listed('.env'),
      commits: listed('1a2b Add limits', '3c4d More'),
      losses: ['uncommitted', 'untracked'],
    });
    const remove = press('Remove worktree');
    expect(remove).toBeDisabled();
    expect(press('Cancel')).toHaveFocus();
    expect(dialog).toHaveTextContent('Deletes the folder ~/code/shop-api.worktrees/rate-limits.');
    expect(dialog).toHaveTextContent('1 ignored file or folder, deleted as well');
    expect(within(dialog).getByText('.env')).toBeVisible();
    expect(radio('Keep rate-limits')).toBeChecked();
    await expectNoViolations();
    await user.click(checkbox(/^Discard 1 changed file that isn’t committed and 1 untracked file/));
    await user.click(remove);
    const sent = bridge.sent('remove_worktree');
    expect(sent).toMatchObject([{ session: 's1', seen: 'a1', losses: ['uncommitted', 'untracked'], branch: 'stays' }]);
  });

  test('case_84_says how many commits go with the branch', async () => {
    const { bridge, user } = await open('Remove worktree…', { commits: listed('1a2b Add limits', '3c4d More') });
    await user.click(radio('Delete rate-limits, with 2 commits that aren’t in main'));
    await user.click(press('Remove worktree'));
    expect(bridge.sent('remove_worktree')).toMatchObject([{ losses: [], branch: 'deleted' }]);
  });

  test.each([
    ['whose folder is gone', null, '2 commits that aren’t in main'],
    ['without a branch', { head: 'detached' as const, commit: '3c4d' }, '2 commits that are on no branch'],
  ])('case_84_says where the commits of a worktree %s are', async (_, head, words) => {
    const { dialog } = await open('Remove worktree…', { head, commits: listed('1a2b Add limits', '3c4d More') });
    expect(within(dialog).getByText(words)).toBeVisible();
  });

  test('case_84_asks again about a worktree that has changed meanwhile', async () => {
    const { bridge, user, dialog } = await open('Remove worktree…', { untracked: listed('a'), losses: ['untracked'] });
    bridge
      .fail('remove_worktree', refusedFor({ refused: 'changed' }))
      .on('read_worktree', () => aTree({ seen: 'b2', untracked: listed('a', 'b'), losses: ['untracked'] }));
    await user.click(checkbox(/^Discard/));
    await user.click(press('Remove worktree'));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('has changed since it was shown');
    await waitFor(() => expect(checkbox(/^Discard 2 untracked files/)).not.toBeChecked());
  });

  test('case_84_offers to end the session before its worktree is removed', async () => {
    const { bridge, user, dialog } = await open('Remove worktree…', { remove: { blocked: 'agent_runs' } });
    expect(dialog).toHaveTextContent('End the session first.');
    await user.click(press('End session'));
    expect(bridge.sent('stop_session')).toHaveLength(1);
    bridge.on('read_worktree', () => aTree());
    const end = { state: 'ended' as const, end: { end: 'stopped' as const }, at: 0 };
    await bridge.push({ change: 'session', session: aSession({ ...inTree, state: end }) });
    expect(await within(dialog).findByRole('button', { name: 'Remove worktree' })).toBeEnabled();
  });

  test('says what stops an action', async () => {
    const { dialog } = await open('Merge into main…', { merge: { blocked: 'locked', reason: 'on a stick' } });
    expect(dialog).toHaveTextContent('The worktree is locked (on a stick).');
    expect(within(dialog).queryByRole('button', { name: 'Merge' })).toBeNull();
  });

  test('says that git can’t read the worktree', async () => {
    const { user } = await openPage(
      new FakeBridge({ sessions: [aSession(inTree)] }).fail('read_worktree', noWorktree({ unavailable: 'no_git' })),
    );
    await user.click(button('Session menu'));
    await user.click(screen.getByRole('menuitem', { name: 'Remove worktree…' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('Install Git');
  });
});

test.each([
  ['askdesk/add-rate-limits', 'Add rate limits'],
  ['fix_it', 'Fix it'],
  ['größe', 'Größe'],
  ['', ''],
])('a commit message is suggested from the branch %s', (branch, message) => {
  expect(messageOfBranch(branch)).toBe(message);
});
