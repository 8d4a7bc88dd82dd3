import { screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { settingDescriptors } from '../src/generated/wire';
import { isSecret } from '../src/shared/secret';
import { aFound, claudeCode, codex, openCode } from '../src/testing/agents';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openSettings, settle, showCategory, texts } from './open';

afterEach(() => void vi.useRealTimers());

const dialog = () => screen.getByRole('dialog', { name: 'Settings' });
const setting = (name: string) => within(dialog()).getByRole('combobox', { name });
const toggle = (name: string) => within(dialog()).getByRole<HTMLInputElement>('switch', { name });
const search = () => within(dialog()).getByRole('searchbox', { name: 'Search settings' });
const categories = () => within(within(dialog()).getByRole('navigation', { name: 'Categories' })).getAllByRole('button');
const names = () => [...within(dialog()).queryAllByRole('combobox'), ...within(dialog()).queryAllByRole('switch')].map(({ id }) => id);

test('case 137: the settings say which installed agent isn’t verified, and which is newer than tested', async () => {
  const bridge = new FakeBridge({ agents: [claudeCode, codex, openCode] });
  bridge.agents = {
    reading: false,
    agents: [claudeCode, codex, openCode].map(({ id }) => aFound({ agent: id, program: `/usr/bin/${id}` })),
  };
  bridge.versions = { claude_code: '2.1.329', codex: '0.180.0', opencode: '2.3.2' };
  bridge.fits = {
    claude_code: { fit: 'tested' },
    codex: { fit: 'newer', tested: '0.171.0' },
    opencode: { fit: 'not_verified', good: '1.18.33', install: 'npm install -g opencode-ai@1.18.33' },
  };
  await openSettings(bridge, 'Agents');
  await settle();
  expect(screen.getByRole('group', { name: 'Codex 0.180.0' })).toHaveTextContent('Tested up to 0.171.0.');
  expect(screen.getByRole('group', { name: 'OpenCode 2.3.2' })).toHaveTextContent('hasn’t been tested with it. 1.18.33 is tested.');
  expect(screen.queryByRole('group', { name: 'Claude Code 2.1.329' })).toBeNull();
});

describe('the settings', () => {
  test('each has a name, a help text, and its value', async () => {
    const { user } = await openSettings();
    expect(setting('Theme')).toHaveDisplayValue('System default');
    expect(setting('Theme')).toHaveAccessibleDescription('Light or dark appearance.');
    let count = 0;
    for (const category of categories()) {
      await user.click(category);
      for (const control of [...within(dialog()).queryAllByRole('combobox'), ...within(dialog()).queryAllByRole('switch')]) {
        expect(control).toHaveAccessibleName();
        expect(control).toHaveAccessibleDescription();
        count += 1;
      }
    }
    // The shortcut and the rules have several controls, and a command is a text field.
    const others = settingDescriptors.filter(({ kind }) => kind === 'shortcut' || kind === 'command' || kind === 'rules');
    expect(count).toBe(settingDescriptors.length - others.length);
  });

  test('one category is shown at a time, and the arrow keys move between them', async () => {
    const { user } = await openSettings();
    const names = 'Appearance, Notifications, Questions, Permissions, Window, Open in, Agents, Connected apps, Data, Updates';
    expect(texts(categories()).join(', ')).toBe(names);
    const heading = () => texts(within(dialog()).getAllByRole('heading', { level: 3 }));
    expect(heading()).toEqual(['Appearance']);
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(heading()).toEqual(['Questions']);
    expect(within(dialog()).getByRole('button', { name: 'Questions' })).toHaveFocus();
    expect(within(dialog()).getByRole('button', { name: 'Questions' })).toHaveAttribute('aria-current', 'true');
    await user.keyboard('{End}{ArrowDown}');
    expect(heading()).toEqual(['Updates']);
    await user.keyboard('{Home}{ArrowUp}');
    expect(heading()).toEqual(['Appearance']);
    await user.tab();
    expect(setting('Language')).toHaveFocus();
  });

  test('a change is sent and shown', async () => {
    const { bridge, user } = await openSettings();
    await user.selectOptions(setting('Text size'), '150%');
    await user.selectOptions(setting('Density'), 'Compact');
    expect(bridge.sent('change_setting')).toEqual([
      { change: { setting: 'text_size', value: 150 } },
      { change: { setting: 'density', value: 'compact' } },
    ]);
    expect(setting('Text size')).toHaveDisplayValue('150%');
    expect(document.documentElement.dataset.density).toBe('compact');
  });

  test('a change that can’t be saved shows an error and the old value, of a switch too', async () => {
    const bridge = new FakeBridge().fail('change_setting', { code: 'settings_not_written', message: 'The disk is full.' });
    const { user } = await openSettings(bridge, 'Appearance');
    await user.selectOptions(setting('Theme'), 'Dark');
    expect(within(dialog()).getByRole('alert')).toHaveTextContent('The setting wasn’t saved. The disk is full.');
    expect(setting('Theme')).toHaveDisplayValue('System default');
    await showCategory(user, 'Questions');
    await user.click(toggle('Quick answers'));
    expect(bridge.sent('change_setting')).toHaveLength(2);
    expect(within(dialog()).getByRole('alert')).toHaveTextContent('The setting wasn’t saved. The disk is full.');
    expect(toggle('Quick answers')).toBeChecked();
  });

  test('a setting that the system can’t apply shows why, and the chosen value', async () => {
    const bridge = new FakeBridge();
    const error = 'autostart: Permission denied\u202e';
    bridge.on('change_setting', () => ({
      ...bridge.set({ startAtLogin: 'on' }).settings,
      unmet: [{ setting: 'start_at_login', why: { why: 'system', error } }],
    }));
    const { user } = await openSettings(bridge, 'Window');
    expect(toggle('Start at login')).not.toBeChecked();
    await user.click(toggle('Start at login'));
    expect(bridge.sent('change_setting')).toEqual([{ change: { setting: 'start_at_login', value: 'on' } }]);
    expect(toggle('Start at login')).toBeChecked();
    expect(toggle('Start at login')).toHaveAccessibleDescription(
      /The system rejected this setting: autostart: Permission denied⟨U\+202E⟩$/,
    );
    expect(within(dialog()).getAllByRole('alert')).toHaveLength(1);
  });

  test('a search finds settings of every category by name, help, and choices', async () => {
    const { user } = await openSettings(new FakeBridge(), 'Data');
    for (const [words, found] of [
      ['DARK', 'setting-theme'],
      ['closing tray', 'setting-on_close'],
      ['sound', 'setting-notify_sound'],
    ] as const) {
      await user.type(search(), words);
      expect(names()).toEqual([found]);
      expect(categories().filter((category) => category.hasAttribute('aria-current'))).toEqual([]);
      await user.clear(search());
    }
    await user.type(search(), 'notification log');
    expect(within(dialog()).getByRole('button', { name: 'Notification log' })).toBeVisible();
    await user.clear(search());
    await user.type(search(), 'quokka');
    expect(within(dialog()).getByText('No settings match “quokka”')).toBeVisible();
    await user.clear(search());
    expect(names()).toEqual(['setting-keep_days']);
  });

  test('a slash goes to the search, but a field takes it as text', async () => {
    const { user } = await openSettings(new FakeBridge(), 'Questions');
    await user.keyboard('/');
    expect(search()).toHaveFocus();
    expect(search()).toHaveValue('');
    await user.keyboard('and/or');
    expect(search()).toHaveValue('and/or');
    await showCategory(user, 'Agents');
    expect(search()).toHaveValue('');
    await user.click(within(dialog()).getByRole('button', { name: 'Add argument' }));
    await user.keyboard('/srv');
    expect(within(dialog()).getByRole('textbox', { name: 'Argument 1' })).toHaveValue('/srv');
  });

  test('a value that is set in the file and not among the choices is offered', async () => {
    const { bridge, user } = await openSettings(new FakeBridge().set({ quietHours: '22:30-06:45' }), 'Notifications');
    expect(setting('Do not disturb hours')).toHaveDisplayValue('22:30–06:45');
    await user.selectOptions(setting('Do not disturb hours'), '22:00–07:00');
    expect(bridge.sent('change_setting')).toEqual([{ change: { setting: 'quiet_hours', value: '22:00-07:00' } }]);
  });

  test('a pause starts when it is chosen, says when it ends, and can be ended', async () => {
    // An hour from now is still the same day.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 12) });
    const { bridge, user } = await openSettings(new FakeBridge(), 'Notifications');
    const pause = setting('Pause notifications');
    expect(pause).toHaveDisplayValue('Not paused');
    const before = Math.floor(Date.now() / 1000);
    await user.selectOptions(pause, 'For 1 hour');
    const [sent] = bridge.sent('change_setting');
    expect(sent?.change.setting).toBe('paused_until');
    expect(Number(sent?.change.value) - before).toBeGreaterThanOrEqual(3600);
    expect(Number(sent?.change.value) - before).toBeLessThan(3660);
    expect(pause).toHaveDisplayValue(/^Until .*\d/);
    await user.selectOptions(pause, 'Until tomorrow at 8:00');
    const tomorrow = new Date(Number(bridge.sent('change_setting')[1]?.change.value) * 1000);
    expect([tomorrow.getHours(), tomorrow.getMinutes()]).toEqual([8, 0]);
    expect(tomorrow.getTime()).toBeGreaterThan(Date.now());
    await user.selectOptions(pause, 'Not paused');
    expect(bridge.sent('change_setting')[2]).toEqual({ change: { setting: 'paused_until', value: 0 } });
    expect(pause).toHaveDisplayValue('Not paused');
  });

  const about = <What extends 'question' | 'permission'>(what: What, id: string) => ({ waiting: { what, id } });

  test('the notification log is loaded on demand, with the reason for each entry', async () => {
    const bridge = new FakeBridge().on('read_notification_log', () => ({
      entries: [
        { at: 4, session: 'docs', waiting: null, occasion: 'finished', decision: { decision: 'nothing', why: 'waits' } },
        { at: 3, session: 'docs', waiting: null, occasion: 'finished', decision: { decision: 'suppressed', why: 'muted' } },
        {
          ...about('question', 'r2'),
          at: 2,
          session: 'web',
          occasion: 'reminder',
          decision: { decision: 'badge_only', why: 'quiet_hours' },
        },
        { ...about('permission', 'a1'), at: 1, session: 'api', occasion: 'asked', decision: { decision: 'nothing', why: 'in_view' } },
      ],
    }));
    const { user } = await openSettings(bridge, 'Notifications');
    expect(bridge.sent('read_notification_log')).toEqual([]);
    const log = within(dialog()).getByRole('button', { name: 'Notification log' });
    expect(log).toHaveAttribute('aria-expanded', 'false');
    await user.click(log);
    expect(log).toHaveAttribute('aria-expanded', 'true');
    const inLog = within(within(dialog()).getByRole('region', { name: 'Notification log' }));
    const decided = inLog.getAllByRole('listitem').map((item) => item.textContent);
    const [waits, muted, ...asked] = decided;
    expect(waits).toMatch(/docs finished its turn.*Not notified: the session is still waiting for you\./);
    expect(muted).toMatch(/docs finished its turn.*Not notified: the session is muted\./);
    expect(asked[0]).toMatch(/Question from web \(reminder\).*Count only: do not disturb hours\./);
    expect(asked[1]).toMatch(/Permission request from api.*Not notified: the session was in view\./);
  });

  test('a test notification comes from a question in its own session, or shows why it can’t be asked', async () => {
    const { bridge, user } = await openSettings(new FakeBridge(), 'Notifications');
    await user.click(within(dialog()).getByRole('button', { name: 'Send test notification' }));
    const [start] = bridge.sent('start_session');
    expect(start).toMatchObject({ agent: 'demo', name: 'Test question', options: { config: { example: 'reach' } } });
    expect(start?.prompt?.split('\n')).toHaveLength(4);
    expect(within(dialog()).getByText('Asking in 3 seconds. Switch to another window now.')).toBeVisible();
    expect(document.querySelector('main')).not.toHaveTextContent('Test question');

    bridge.fail('start_session', { code: 'not_started', message: 'No more processes.' });
    await user.click(within(dialog()).getByRole('button', { name: 'Send test notification' }));
    expect(within(dialog()).getByRole('alert')).toHaveTextContent('No more processes.');
  });

  test('ignored entries of the file are listed with the reason', async () => {
    const bridge = new FakeBridge();
    bridge.settings = {
      ...bridge.settings,
      ignored: [
        {
          key: 'appearance.theme',
          why: { why: 'unfit', value: '"pink"', flaw: { unfit: 'none_of', choices: ['system', 'light', 'dark'] } },
        },
      ],
    };
    await openSettings(bridge);
    const note = within(dialog()).getByRole('note');
    expect(note).toHaveTextContent('appearance.theme');
    expect(note).toHaveTextContent('invalid value "pink" (must be one of these: system, light, and dark)');
  });
});

describe('launch overrides', () => {
  const inDialog = () => within(dialog());
  const list = (name: string) => within(inDialog().getByRole('group', { name }));
  const press = (name: string) => inDialog().getByRole('button', { name });
  const box = (name: string) => inDialog().getByRole('textbox', { name });
  const values = (bridge: FakeBridge) =>
    bridge.sent('change_setting').map(({ change }) => {
      if (change.setting === 'agent_arguments') return change.value.arguments;
      return change.setting === 'agent_environment' ? change.value.environment : change.value;
    });

  /** Refuses an argument that is a flag of Askdesk’s own. */
  function refuse(bridge: FakeBridge, n: number) {
    const error = { validation: 'unfit', flaw: { unfit: 'argument', n, flaw: { extra: 'own_flag', flag: '-p' } } } as const;
    bridge.fail('change_setting', { code: 'invalid', detail: { detail: 'validation', error } });
  }

  async function openWith(words: string[], environment: Record<string, string>) {
    const opened = await openSettings(
      new FakeBridge().set({ launchOverrides: { claude_code: { arguments: words, environment } } }),
      'Agents',
    );
    /** Replaces the text of a field and leaves the field. */
    const fill = async (name: string, text: string) => {
      await opened.user.clear(box(name));
      await opened.user.type(box(name), text);
      await opened.user.tab();
    };
    return { ...opened, fill };
  }

  test('arguments are added, changed, and removed, each saved immediately', async () => {
    const { bridge, user, fill } = await openWith(['--add-dir', '/a'], {});
    expect(inDialog().getByRole('group', { name: 'Claude Code arguments' })).toHaveAccessibleDescription(
      /Added each time Claude Code starts/,
    );
    await user.click(press('Add argument'));
    expect(box('Argument 3')).toHaveFocus();
    await fill('Argument 3', '--debug');
    await fill('Argument 2', '/b');
    await user.click(press('Remove argument 1'));
    expect(values(bridge)).toEqual([
      ['--add-dir', '/a', '--debug'],
      ['--add-dir', '/b', '--debug'],
      ['/b', '--debug'],
    ]);
    expect(
      list('Claude Code arguments')
        .getAllByRole('textbox')
        .map((it) => (it as HTMLInputElement).value),
    ).toEqual(['/b', '--debug']);
  });

  test('a new field left empty adds no argument, but an existing empty argument stays', async () => {
    const { bridge, user, fill } = await openWith(['--setting-sources', ''], {});
    await user.click(press('Add argument'));
    await fill('Argument 1', '--settings');
    expect(values(bridge)).toEqual([['--settings', '']]);
    expect(box('Argument 3')).toHaveValue('');
  });

  test('a rejected argument shows its error at its field and stays there', async () => {
    const { bridge, user, fill } = await openWith(['--debug'], {});
    refuse(bridge, 2);
    await user.click(press('Add argument'));
    await fill('Argument 2', '-p');
    expect(box('Argument 2')).toBeInvalid();
    expect(box('Argument 2')).toHaveAccessibleDescription('Not accepted: argument 2: -p is set by Askdesk.');
    expect(box('Argument 2')).toHaveValue('-p');
    await fill('Argument 1', '--verbose');
    expect([box('Argument 1'), box('Argument 2')].map((it) => it.getAttribute('aria-invalid'))).toEqual(['false', 'true']);
  });

  test('a rejected argument stays while another category or a search is shown', async () => {
    const { bridge, user, fill } = await openWith([], {});
    refuse(bridge, 1);
    await user.click(press('Add argument'));
    await fill('Argument 1', '-p');
    await showCategory(user, 'Data');
    expect(inDialog().queryByRole('textbox', { name: 'Argument 1' })).toBeNull();
    await user.type(search(), 'theme');
    await user.clear(search());
    await showCategory(user, 'Agents');
    expect(box('Argument 1')).toHaveValue('-p');
    expect(box('Argument 1')).toHaveAccessibleDescription('Not accepted: argument 1: -p is set by Askdesk.');
  });

  test('variables are set by name and value, in order', async () => {
    const { bridge, user } = await openWith([], { PAGER: 'less' });
    await user.click(press('Add variable'));
    expect(box('Name of variable 2')).toHaveFocus();
    await user.keyboard('EDITOR');
    await user.tab();
    expect(box('Value of EDITOR')).toHaveFocus();
    await user.keyboard('vi');
    await user.tab();
    await user.click(press('Remove PAGER'));
    expect(values(bridge)).toEqual([{ PAGER: 'less', EDITOR: '' }, { PAGER: 'less', EDITOR: 'vi' }, { EDITOR: 'vi' }]);
  });

  test('a duplicate name shows an error, and neither value is lost', async () => {
    const { bridge, fill } = await openWith([], { A: '1', B: '2' });
    await fill('Name of variable 2', 'A');
    expect(box('Name of variable 2')).toHaveAccessibleDescription('A variable named A already exists.');
    expect(values(bridge)).toEqual([]);
    await fill('Name of variable 2', 'C');
    expect(values(bridge)).toEqual([{ A: '1', C: '2' }]);
    expect(inDialog().queryByRole('alert')).toBeNull();
  });

  test('a secret is hidden until it is revealed', async () => {
    const { user } = await openWith([], { API_KEY: 'hush', EDITOR: 'vi' });
    const value = () => inDialog().getByLabelText('Value of API_KEY');
    expect(value()).toHaveAttribute('type', 'password');
    expect(inDialog().getByLabelText('Value of EDITOR')).toHaveAttribute('type', 'text');
    await user.click(press('Show the value of API_KEY'));
    expect(value()).toHaveAttribute('type', 'text');
    expect(value()).toHaveValue('hush');
  });

  test('a search finds them by name, help, and value, but not by a secret', async () => {
    const { user } = await openWith(['--add-dir'], { API_KEY: 'hush' });
    const groups = () => inDialog().queryAllByRole('group').length;
    for (const [words, count] of [
      ['agents claude', 3],
      ['add-dir', 1],
      ['api_key', 1],
      ['hush', 0],
    ] as const) {
      await user.clear(search());
      await user.type(search(), words);
      expect(groups(), words).toBe(count);
    }
  });
});

test('secrets are recognized by their names', () => {
  const secret = ['ANTHROPIC_API_KEY', 'github_token', 'CLIENT_SECRET', 'DbPassword', 'ANTHROPIC_CUSTOM_HEADERS'];
  expect(secret.filter((name) => !isSecret(name))).toEqual([]);
  expect(['HTTPS_PROXY', 'EDITOR', 'PATH'].filter(isSecret)).toEqual([]);
});
