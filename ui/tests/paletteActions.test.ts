import { cleanup, screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { showChanges, withChanges } from '../src/gallery/changes';
import { auth, base, scenes } from '../src/gallery/scenes';
import { tenSessions } from '../src/gallery/tenSessions';
import type { Session } from '../src/generated/wire';
import { sight } from '../src/feature/panel/reading.svelte';
import { actionIds } from '../src/shared/actions.svelte';
import { arming } from '../src/shared/arming';
import { sessionOf } from '../src/store/select';
import { aRequest, aSession } from '../src/testing/builders';
import { type FakeBridge, settle } from '../src/testing/fakeBridge';
import { openPage } from './open';
import { matchingMedia } from './jsdom';

type Opened = Awaited<ReturnType<typeof openPage>>;

/** Buttons that are no actions of the window, by the reason. */
const excluded: Record<string, string> = {
  'A row or pill leads to a session or request, which the palette lists by its own name.':
    '[data-inbox-view] .working button, [data-inbox-view] .from button, [data-session], [data-row]:not([data-row="s1"]) *, [aria-label="Waiting in this session"] *, [data-past] *, .row',
  'The counts of changes lead to the changes, which the palette lists as Show changes.': '[data-changes-chip]',
  'A changed line or file, and a comment, has buttons of its own.': '[data-diff] *, [role=treeitem]',
  'Entries and queued messages have buttons of their own.': '[data-entry] *, [data-queue] *',
  'What answers a question or decides a permission takes its own key or click.': '[data-card] *, [data-approval] *',
  'Only its own button or key sends a message.': '[data-send]',
  'The button of a form belongs to what was typed there.': 'form *',
  'The strip unfolds the side, which is an action of its own, and counts what waits.': 'aside > .strip',
  'The palette is open already.': '[title^="Search and commands"]',
  'The items of a menu are actions, not its button.': '[aria-haspopup="menu"]:not([data-mode], [data-model])',
};

const press =
  (name: string | RegExp) =>
  async ({ user }: Opened) => {
    await user.click(screen.getAllByRole('button', { name })[0] as HTMLElement);
  };

/** The gallery's window, with changes to its first session. */
function changed(change: Partial<Session>, bridge = base([])): FakeBridge {
  bridge.snapshot.sessions = bridge.snapshot.sessions.map((session) => (session.id === 's1' ? { ...session, ...change } : session));
  return bridge;
}

function scene(name: string): FakeBridge {
  const build = scenes[name];
  if (!build) throw new Error(`no scene ${name}`);
  return build();
}

const at = 0;
/** The window in the states in which it offers different actions. */
const windows: Record<string, { bridge: () => FakeBridge; go?: (opened: Opened) => Promise<void> }> = {
  'an idle session': { bridge: () => changed({ state: { state: 'idle' } }) },
  'a session in a worktree': {
    bridge: () => changed({ worktree: { repository: '/code/api', path: '/code/x', branch: 'x', base: 'main' } }),
  },
  'a working session that is muted': {
    bridge: () => changed({ state: { state: 'working' }, attention: { muted: true, private: true }, place: 3 }),
  },
  'an ended session': {
    bridge: () => changed({ state: { state: 'ended', end: { end: 'app_quit' }, at }, resumable: true, unusableLines: 2 }),
    go: async ({ commands }) => {
      await commands.navigation.showSession('s1');
      await settle();
    },
  },
  'a question': { bridge: () => base([aRequest({ questions: [auth] })]) },
  'a permission': { bridge: () => scene('approval') },
  'a collapsed panel': { bridge: () => base([aRequest({ questions: [auth] })]), go: press('Fold side') },
  'the inbox': { bridge: () => base([]), go: press(/^Inbox/) },
  'a narrow window': {
    bridge: () => {
      matchingMedia.add('(width < 900px)');
      return base([]);
    },
  },
  'an inbox with requests': {
    bridge: () => {
      matchingMedia.add('(width >= 1100px)');
      return scene('inbox');
    },
    go: press(/^Inbox/),
  },
  'an inbox of one session': {
    bridge: () => base([]),
    go: async ({ commands }) => {
      commands.dispatch({ type: 'inbox_opened', at });
      commands.dispatch({ type: 'inbox_filtered', session: 's1', at });
      await settle();
    },
  },
  'past sessions': { bridge: () => base([]), go: press('History') },
  'past questions': {
    bridge: () => scene('asked'),
    go: async (opened) => {
      await press('History')(opened);
      await press('Questions')(opened);
    },
  },
  'a past session': {
    bridge: () => changed({ state: { state: 'ended', end: { end: 'finished' }, at } }),
    go: async ({ commands }) => {
      await commands.history.show('s1', null);
      await settle();
    },
  },
  'a new session': { bridge: () => base([]), go: press('New session') },
  'a start without its agent': { bridge: () => scene('start_missing') },
  'the first start': { bridge: () => scene('first') },
  // Last, as each opening takes long: what the other windows offer too has been tried by then.
  'the changes of a session': {
    bridge: () => withChanges(tenSessions()),
    go: async ({ store }) => {
      await showChanges(store);
    },
  },
};

/** The name on a button, without counts. */
function nameOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  copy.querySelectorAll('.badge, .unseen, kbd, [data-count], .count, .meta, [aria-hidden=true]').forEach((part) => part.remove());
  // A button of the narrow sidebar shows its icon only.
  return (element.getAttribute('aria-label') ?? (copy.textContent?.trim() || element.querySelector('.unseen')?.textContent) ?? '').trim();
}

interface Action {
  name: string;
  /** The button that opens the menu with the item. */
  menu: string | null;
  /** Whether it leads to what is shown or chosen already, and so may do nothing. */
  current: boolean;
}

const CURRENT = '[aria-current], [aria-pressed=true], [aria-checked=true]';
const isCurrent = (element: Element) => element.matches(CURRENT) || nameOf(element) === 'Attach files';

/** The items of the open menu, of which one may be the current choice. */
const itemsOfMenu = () => [...document.querySelectorAll('[role^=menuitem]')];

/** Every enabled button that is an action of the window, and every item of a menu. */
async function actionsOf({ user }: Opened): Promise<Action[]> {
  const buttons = screen.getAllByRole('button').filter((element) => element.matches(':enabled'));
  // Skipping answers nothing.
  const isAction = (element: Element) =>
    nameOf(element) === 'Skip' || !Object.values(excluded).some((selector) => element.matches(selector));
  const actions: Action[] = buttons.filter(isAction).map((element) => ({ name: nameOf(element), menu: null, current: isCurrent(element) }));
  const own = screen.queryAllByRole('button', {
    name: /^(Actions for api|Session menu|Open in…|More ways to skip|Sessions grouped by: State|Export|Example: .*)$/,
  });
  for (const menu of own.filter((element) => element.matches(':enabled')).map(nameOf)) {
    await user.click(screen.getAllByRole('button', { name: menu })[0] as HTMLElement);
    actions.push(...itemsOfMenu().map((item) => ({ name: nameOf(item), menu, current: isCurrent(item) })));
    await user.keyboard('{Escape}');
  }
  return actions;
}

/** What the window has done and shows: what it asked of the app, its place, and what opened. */
function effects({ bridge, store }: Opened) {
  const { navigation, overlay, start, sideFolded, inbox, history, sidebar, drafts, failures } = store.state;
  const asked = bridge.calls
    // The menu of programs looks for new ones when it opens, and usage, a worktree, and drafts take a while.
    .filter(
      ({ command }) => !command.startsWith('note_') && !['list_programs', 'count_usage', 'plan_worktree', 'save_draft'].includes(command),
    )
    .map(({ command, input }) => ({ command, input: { ...(input as object), requestId: null } }));
  return {
    asked,
    place: navigation.place,
    overlay,
    start,
    sideFolded,
    shown: [inbox.kind, inbox.session, inbox.newestFirst, history.part, sidebar, store.state.diffForm],
    deleting: history.excerpt?.deleting,
    drafts,
    failures: failures.length,
    opened: [...screen.queryAllByRole('menu'), ...screen.queryAllByRole('alertdialog'), ...screen.queryAllByRole('alert')].map(
      (element) => element.textContent,
    ),
    guides: bridge.guides,
    numbers: screen.queryByRole('button', { name: 'Show numbers' })?.getAttribute('aria-pressed'),
    copied: document.querySelector('.copy [role=status]:not(:empty)')?.textContent,
    renaming: document.querySelector('[data-rename]') !== null,
  };
}

/** Opens the palette and types into it. */
async function ask({ user }: Opened, asked: string) {
  await user.keyboard('{Control>}k{/Control}');
  screen.getByRole('combobox', { name: 'Search sessions, actions, and settings' }).focus();
  if (asked !== '') await user.keyboard(asked);
}

const tried = new Set<string>();

async function open(window: (typeof windows)[string]): Promise<Opened> {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
  const opened = await openPage(window.bridge().on('start_session', () => aSession({ id: 's9' })));
  await window.go?.(opened);
  return opened;
}

for (const [title, window] of Object.entries(windows)) {
  test(`case_82 every action of ${title} is found in the palette by its name and run by keyboard alone`, { timeout: 240_000 }, async () => {
    const actions = await actionsOf(await open(window));
    expect(actions.length).toBeGreaterThan(2);
    for (const action of actions) {
      const key = `${action.menu === null ? '' : 'menu '}${action.name}`;
      if (tried.has(key)) continue;
      tried.add(key);

      const clicked = await open(window);
      const before = effects(clicked);
      if (action.menu !== null) await clicked.user.click(screen.getAllByRole('button', { name: action.menu })[0] as HTMLElement);
      const shown = action.menu === null ? screen.getAllByRole('button') : itemsOfMenu();
      // The list of sessions comes first, and repeats what the place in view offers.
      const named = shown.filter((element) => nameOf(element) === action.name && element.matches(':enabled'));
      const target = named.find((element) => !element.closest('nav')) ?? named[0];
      await clicked.user.click(target as HTMLElement);
      const expected = effects(clicked);

      const opened = await open(window);
      await ask(opened, action.name.replace(/[{[]/g, '$&$&'));
      const options = screen.queryAllByRole('option').filter((option) => option.dataset['found'] !== undefined);
      const found = options.findIndex((option) => actionIds.some((id) => option.dataset['found']?.startsWith(`${id} `)));
      expect(
        found,
        `the palette finds “${action.name}” (${options.map((option) => option.textContent).join(' | ')})`,
      ).toBeGreaterThanOrEqual(0);
      await opened.user.keyboard(`${'{ArrowDown}'.repeat(found)}{Enter}`);
      expect(effects(opened), action.name).toEqual(expected);
      if (!action.current) expect(expected, `“${action.name}” does something`).not.toEqual(before);
    }
  });
}

test('case_82 the palette neither answers a question nor decides a permission', async () => {
  const opened = await openPage(base([aRequest({ questions: [auth] })], scene('approval').snapshot.approvals));
  await ask(opened, '');
  const names = screen.getAllByRole('option').map((option) => option.textContent ?? '');
  for (const forbidden of [/^Allow/, /^Deny/, /^Submit/, /^Send$/, /^Approve/]) {
    expect(names.filter((name) => forbidden.test(name.trim()))).toEqual([]);
  }
  await opened.user.keyboard('{Enter}');
  expect([...opened.bridge.sent('answer_question'), ...opened.bridge.sent('decide_approval')]).toEqual([]);
});

test('case_82 a setting is found by its name, also in English, and gets the focus', async () => {
  const opened = await openPage(base([]));
  for (const [asked, focused] of [
    ['text size', '#setting-text_size'],
    ['do not disturb hours', '#setting-quiet_hours'],
    ['notification log', '[data-part="notification_log"][aria-expanded="true"]'],
    ['connected apps', '[data-category="clients.title"][aria-current]'],
    ['settings notifications', '[data-category="settings.notifications"][aria-current]'],
  ] as const) {
    await ask(opened, `${asked}{Enter}`);
    expect(document.querySelector(focused), asked).toHaveFocus();
    expect(document.activeElement).toBeVisible();
    await opened.user.click(screen.getByRole('button', { name: 'Close' }));
  }
});

describe('case_82 values in the palette', () => {
  test('a value of a setting is found by its words and set, and is not listed before', async () => {
    const opened = await openPage(base([]));
    await ask(opened, '');
    expect(screen.queryByRole('option', { name: /^Theme:/ })).toBeNull();
    await opened.user.keyboard('dark');
    expect(screen.getAllByRole('option')[0]).toHaveTextContent('Theme: Dark');
    await opened.user.keyboard('{Enter}');
    expect(opened.bridge.sent('change_setting')).toEqual([{ change: { setting: 'theme', value: 'dark' } }]);
  });

  test('a switch is turned by its name', async () => {
    const opened = await openPage(base([]));
    await ask(opened, 'sound on');
    await opened.user.click(screen.getByRole('option', { name: /^Notification sound: On/ }));
    expect(opened.bridge.sent('change_setting')).toEqual([{ change: { setting: 'notify_sound', value: 'on' } }]);
  });

  test('a model and a mode of the session are set, and a mode that never asks is confirmed first', async () => {
    const opened = await openPage(changed({ state: { state: 'idle' } }));
    const { config } = sessionOf(opened.store.state, 's1') as Session;
    const model = config.find(({ category }) => category === 'model')?.values[1];
    const mode = config.find(({ category }) => category === 'mode');
    const asks = mode?.values.find(({ id, risk }) => risk !== 'unattended' && id !== mode.current);
    const never = mode?.values.find(({ risk }) => risk === 'unattended');
    await ask(opened, `model ${model?.name}`);
    await opened.user.keyboard('{Enter}');
    expect(opened.bridge.sent('set_config').at(-1)).toMatchObject({ session: 's1', value: model?.id });
    await ask(opened, `permission mode ${asks?.name}`);
    await opened.user.keyboard('{Enter}');
    expect(opened.bridge.sent('set_config').at(-1)).toMatchObject({ session: 's1', option: mode?.id, value: asks?.id });
    const sent = opened.bridge.sent('set_config').length;
    await ask(opened, `permission mode ${never?.name}`);
    await opened.user.keyboard('{Enter}');
    expect(opened.bridge.sent('set_config')).toHaveLength(sent);
    expect(screen.getByRole('checkbox', { name: /understand/ })).toHaveFocus();
  });

  test('the folder of the session is copied, and an export is offered in both forms', async () => {
    const opened = await openPage(changed({ state: { state: 'idle' } }));
    await ask(opened, 'copy folder path');
    await opened.user.keyboard('{Enter}');
    expect(await navigator.clipboard.readText()).toBe(sessionOf(opened.store.state, 's1')?.folder);
    await ask(opened, 'export');
    expect(screen.getByRole('option', { name: /^Export as Markdown/ })).toBeVisible();
    expect(screen.getByRole('option', { name: /^Export as JSON/ })).toBeVisible();
  });
});

describe('case_82 a permission in the palette', () => {
  const decisions = ({ bridge }: Opened) => bridge.sent('decide_approval').map(({ decision }) => decision.options);

  test('is allowed and denied by the row that names it, which only typing finds', async () => {
    const opened = await openPage(scene('approval'));
    await ask(opened, '');
    expect(screen.queryByRole('option', { name: /^Allow once/ })).toBeNull();
    await opened.user.keyboard('allow once{Enter}');
    expect(decisions(opened)).toHaveLength(1);
    cleanup();
    const again = await openPage(scene('approval'));
    await ask(again, 'deny{Enter}');
    expect(decisions(again)).toHaveLength(1);
  });

  test('that was not on screen as a whole is shown instead of allowed', async () => {
    const before = sight.of;
    sight.of = () => ({ width: 300, height: 1000, now: { from: 0, to: 400 }, line: 20 });
    try {
      const opened = await openPage(scene('approval'));
      await ask(opened, 'allow once');
      expect(screen.getByRole('option', { name: /^Allow once/ })).toHaveTextContent('shows the request first');
      await opened.user.keyboard('{Enter}');
      expect(decisions(opened)).toEqual([]);
      expect(document.querySelector('[data-card]')).toHaveFocus();
    } finally {
      sight.of = before;
    }
  });

  test('that has changed since the palette opened, or does not take clicks yet, is shown instead of decided', async () => {
    const opened = await openPage(scene('approval'));
    await ask(opened, 'allow once');
    const [approval] = opened.bridge.snapshot.approvals;
    if (!approval) throw new Error('no permission');
    await opened.bridge.push({
      change: 'approval',
      approval: { ...approval, subject: { detail: 'command', command: 'rm -r /', description: null } },
    });
    await settle();
    await opened.user.keyboard('{Enter}');
    expect(decisions(opened)).toEqual([]);
    cleanup();

    arming.delay = 60_000;
    try {
      const unarmed = await openPage(scene('approval'));
      await ask(unarmed, 'allow once{Enter}');
      await ask(unarmed, 'deny{Enter}');
      expect(decisions(unarmed)).toEqual([]);
    } finally {
      arming.delay = 0;
    }
  });
});
