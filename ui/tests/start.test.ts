import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { monogram } from '../src/feature/start/offer';
import type { AgentVersion, LaunchOverrides, Session } from '../src/generated/wire';
import { defaultOptions } from '../src/store/commands/start';
import { handoverOf } from '../src/store/sync/handover';
import { aFound, agentsWith, aValue, claudeCode, codex, demo, demoFound, missing, of, openCode } from '../src/testing/agents';
import { aSession } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, held, openPage, radio, settle, skippableTime, texts } from './open';

const field = (name: string) => screen.getByLabelText(name);

/** Opens the form, with an app that starts sessions. */
async function openStart(bridge = new FakeBridge({ sessions: [] }).on('start_session', () => aSession())) {
  bridge.agents = { reading: false, agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };
  bridge.versions = { claude_code: '2.1.0' };
  const opened = await openPage(bridge);
  if (bridge.snapshot.sessions.length > 0) await opened.user.click(button('New session'));
  await settle();
  return opened;
}

test('an agent shows its version as soon as its program says it, whatever another program does', async () => {
  const hangs = new Promise<AgentVersion>(() => undefined);
  const bridge = new FakeBridge({ sessions: [], agents: [claudeCode, codex, demo] });
  bridge.on('read_agent_version', ({ agent }) => (agent === codex.id ? hangs : { version: '2.1.0', fit: { fit: 'tested' } }));
  bridge.agents = {
    reading: false,
    agents: [aFound({ agent: codex.id, program: '/usr/bin/codex' }), aFound({ program: '/usr/bin/claude' }), demoFound],
  };
  await openPage(bridge);
  await settle();
  expect(radio('Claude Code')).toHaveAccessibleDescription('Installed 2.1.0');
  expect(radio('Codex')).toHaveAccessibleDescription('Installed');
});

describe('case 137: an installed version', () => {
  async function openWith(fit: AgentVersion['fit']) {
    const bridge = new FakeBridge({ sessions: [], agents: [openCode, demo] });
    bridge.agents = { reading: false, agents: [aFound({ agent: openCode.id, program: '/usr/bin/opencode' }), demoFound] };
    bridge.versions = { opencode: '2.3.2' };
    bridge.fits = fit ? { opencode: fit } : {};
    const opened = await openPage(bridge.on('start_session', () => aSession()));
    await settle();
    return opened;
  }

  test('that isn’t verified is named before a session, and starts', async () => {
    const install = 'npm install -g opencode-ai@1.18.33';
    const { bridge, user } = await openWith({ fit: 'not_verified', good: '1.18.33', install });
    expect(radio('OpenCode')).toHaveAccessibleDescription('Installed 2.3.2');
    const words = 'Askdesk knows OpenCode 2.3.2 only from its public description and hasn’t been tested with it. 1.18.33 is tested.';
    expect(screen.getByText(words)).toBeVisible();
    expect(screen.getByText(install)).toBeVisible();
    await user.click(screen.getByText('More options'));
    await user.type(field('Program path'), '/opt/opencode-1');
    expect(screen.queryByText(install), 'nothing is said about a program the user didn’t name').toBeNull();
    await user.clear(field('Program path'));
    await user.type(field('First message'), 'Add auth');
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: 'opencode', prompt: 'Add auth' }]);
  });

  test('that is newer than the tested one starts, and one sentence says so', async () => {
    const { bridge, user } = await openWith({ fit: 'newer', tested: '1.18.33' });
    expect(radio('OpenCode')).toHaveAccessibleDescription('Installed 2.3.2');
    expect(screen.getByText('Tested up to 1.18.33. Askdesk shows what it doesn’t understand.')).toBeVisible();
    await user.click(button('Start session'));
    expect(bridge.sent('start_session')).toHaveLength(1);
  });

  test.each([null, { fit: 'tested' as const }])('that is tested or can’t be compared is only shown: %s', async (fit) => {
    await openWith(fit);
    expect(screen.queryByText(/Tested up to|doesn’t work/)).toBeNull();
    expect(button('Start session')).toBeEnabled();
  });
});

test('the agent that was used last stays chosen while its link leads nowhere', async () => {
  const bridge = new FakeBridge({ agents: [claudeCode, codex, demo], sessions: [aSession(of(codex))] });
  const broken = { failure: 'not_started', program: '/bin/codex', problem: 'broken_link', error: 'No such file' } as const;
  bridge.agents = { reading: false, agents: [aFound({ program: '/bin/claude' }), aFound({ agent: codex.id, problem: broken }), demoFound] };
  const { user } = await openPage(bridge);
  await user.click(button('New session'));
  expect(radio('Codex')).toBeChecked();
  expect(radio('Codex')).toHaveAccessibleDescription('Can’t start');
  expect(screen.getByText(/\/bin\/codex couldn’t start.*broken link/)).toBeVisible();
});

test('an agent that is found while a message is written doesn’t get it', async () => {
  const bridge = new FakeBridge({ sessions: [], agents: [claudeCode, codex, demo] });
  const absent = aFound({ problem: missing({ place: 'file', path: '/opt/claude' }) });
  bridge.agents = { reading: false, agents: [absent, aFound({ agent: codex.id, program: '/bin/codex' }), demoFound] };
  const { user } = await openPage(bridge);
  expect(radio('Codex')).toBeChecked();
  await user.keyboard('Add auth');
  bridge.agents = { ...bridge.agents, agents: [aFound({ program: '/bin/claude' }), ...bridge.agents.agents.slice(1)] };
  await user.click(button('Look again'));
  expect(radio('Codex')).toBeChecked();
  expect(screen.getByText('Looked again: Claude Code found')).toBeVisible();
});

test('options are below the message, and more options are collapsed, with a summary of changed values', async () => {
  const { bridge, user } = await openStart();
  await user.selectOptions(field('Permission mode'), 'Plan mode');
  expect(field('Permission mode')).toHaveAccessibleDescription(/.+/);
  await user.type(field('Model'), 'opus');
  await user.selectOptions(field('Reasoning effort'), 'High');
  expect(field('Questions')).not.toBeVisible();
  await user.click(screen.getByText('More options'));
  await user.selectOptions(field('Questions'), 'No questions');
  expect(field('Name (optional)')).toHaveAttribute('placeholder', 'From the first message');
  await user.type(field('Name (optional)'), 'auth');
  await user.click(screen.getByText('More options'));
  expect(screen.getByText('auth · No questions')).toBeVisible();
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([
    {
      folder: '/home/ada',
      name: 'auth',
      options: { config: { mode: 'plan', model: 'opus', effort: 'high' }, questions: 'never', program: null },
    },
  ]);
});

test('a suggested model is chosen from a menu', async () => {
  const { user } = await openStart();
  await user.click(button('Suggestions for Model'));
  expect(texts(screen.getAllByRole('menuitemradio'))).toEqual(['Agent default', 'sonnet', 'opus', 'haiku']);
  await user.click(screen.getByRole('menuitemradio', { name: 'opus' }));
  expect(field('Model')).toHaveValue('opus');
  await user.click(button('Suggestions for Model'));
  await user.click(screen.getByRole('menuitemradio', { name: 'Agent default' }));
  expect(field('Model')).toHaveValue('');
});

test('bypassing permissions needs a confirmation each time, and isn’t remembered', async () => {
  const bridge = new FakeBridge({ sessions: [aSession()] }).on('start_session', () => aSession({ id: 's9' }));
  const { user } = await openStart(bridge);
  await user.selectOptions(field('Permission mode'), 'Bypass permissions');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toEqual([]);
  const tick = screen.getByRole('checkbox', { name: /I understand the risk/ });
  expect(screen.getByRole('alert')).toHaveTextContent('Select this checkbox');
  expect(tick).toHaveFocus();
  await user.click(tick);
  await user.click(button(/^api .*Working/));
  await user.click(button('New session'));
  expect(field('Permission mode')).toHaveValue('bypass');
  expect(screen.getByRole('checkbox', { name: /I understand the risk/ })).not.toBeChecked();
  await user.click(screen.getByRole('checkbox', { name: /I understand the risk/ }));
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ options: { config: { mode: 'bypass' } } }]);
  await user.click(button('New session'));
  expect(field('Permission mode')).toHaveValue('');
});

test('a mode in which a model decides has its own warning, and the agent’s default is named', async () => {
  const { bridge, user } = await openStart();
  expect(field('Permission mode')).toHaveAccessibleDescription('As in the agent’s own settings; without one: Ask before changes.');
  await user.selectOptions(field('Permission mode'), 'Auto');
  expect(screen.getByRole('group', { name: /A model decides, in your place/ })).not.toHaveTextContent('runs any command');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toEqual([]);
});

test('an error is shown at its field, which gets the focus', async () => {
  const detail = { detail: 'validation', error: { validation: 'no_model' } } as const;
  const { bridge, user } = await openStart();
  bridge.fail('start_session', { code: 'invalid', field: 'options.config.model', detail });
  await user.click(button('Start session'));
  expect(field('Model')).toHaveFocus();
  expect(field('Model')).toHaveAccessibleDescription('Not accepted: that isn’t a valid model name.');
  bridge.fail('start_session', { code: 'folder_missing', message: '/home/ada is not there.' });
  await user.click(button('Start session'));
  expect(field('Folder')).toHaveFocus();
  expect(field('Folder')).toHaveAccessibleDescription(/The folder doesn’t exist/);
  expect(field('Folder')).toHaveValue('/home/ada');
});

test('recent and picked folders fill the field, and the form keeps its input', async () => {
  const bridge = new FakeBridge({
    sessions: [aSession(), aSession({ id: 's2', folder: '/srv/web/', name: 'w', startedAt: 1 }), aSession({ id: 's3', startedAt: 2 })],
  });
  const { user } = await openStart(bridge);
  const recent = within(screen.getByRole('region', { name: 'Recent folders' }));
  const folders = () => recent.getAllByRole('button').map((one) => one.querySelector('code')?.textContent);
  expect(folders()).toEqual(['~/projects/api', '/srv/web/']);
  // The folder used last.
  expect(field('Folder')).toHaveValue('/home/ada/projects/api');
  await user.clear(field('Folder'));
  await user.click(button('Start session'));
  expect(field('Folder')).toHaveAccessibleDescription('Choose a folder for the agent to work in.');
  await user.click(recent.getByRole('button', { name: /^\/srv\/web/ }));
  expect(field('Folder')).toBeValid();
  expect(field('Folder')).toHaveValue('/srv/web/');
  expect(recent.getByRole('button', { name: /^\/srv\/web/ })).toHaveAttribute('aria-pressed', 'true');
  await user.click(button('Browse…'));
  expect(field('Folder')).toHaveValue('/srv/web/');
  bridge.folder = '/home/ada/chosen';
  await user.click(button('Browse…'));
  expect(field('Folder')).toHaveValue('/home/ada/chosen');
  await user.type(field('First message'), 'Half a thought');
  await user.click(button(/^w .*Working/));
  await user.click(button('New session'));
  expect(field('Folder')).toHaveValue('/home/ada/chosen');
  expect(field('First message')).toHaveValue('Half a thought');
});

const added = { arguments: ['--add-dir', '/srv/shared docs'], environment: { API_KEY: 'hush', EDITOR: 'vi' } };

function withExtras(bridge: FakeBridge, extras: LaunchOverrides) {
  bridge.agents = { ...bridge.agents, agents: bridge.agents.agents.map((one) => (one.agent === 'claude_code' ? { ...one, extras } : one)) };
}

const extrasShown = () => screen.queryByRole('region', { name: 'Added from Settings' });

test('launch overrides are shown in full, with secrets hidden, and sent with the start', async () => {
  const { bridge, commands, user } = await openStart();
  expect(extrasShown()).toBeNull();
  withExtras(bridge, added);
  await commands.start.listAgents();
  await settle();
  const lines = () =>
    within(extrasShown()!)
      .getAllByRole('listitem')
      .map((item) => item.querySelector('code')?.textContent);
  expect(lines()).toEqual(['--add-dir', '/srv/shared docs', 'API_KEY=••••••••', 'EDITOR=vi']);
  const show = button('Show the value of API_KEY');
  expect(show).toHaveAttribute('aria-pressed', 'false');
  await user.click(show);
  expect(lines()).toContain('API_KEY=hush');
  await user.click(button('Start session'));
  expect(bridge.sent('start_session')).toMatchObject([{ options: { extras: added } }]);
});

test('a start with launch overrides that weren’t shown is rejected, shows them, and works on the next click', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('start_session', ({ options }) => {
    if (options.extras.arguments.length === 0) throw anError({ code: 'extras_changed', message: 'changed' });
    return aSession();
  });
  const { user } = await openStart(bridge);
  withExtras(bridge, added);
  await user.click(button('Start session'));
  expect(screen.getByRole('alert')).toHaveTextContent(
    'The settings for this agent changed after this form was shown. Review them, then start again.',
  );
  expect(extrasShown()).toBeVisible();
  await user.click(button('Start session'));
  expect(bridge.sent('start_session').map(({ options }) => options.extras)).toEqual([defaultOptions.extras, added]);
  expect(new Set(bridge.sent('start_session').map(({ requestId }) => requestId)).size).toBe(2);
});

test('the form shows changed launch overrides immediately', async () => {
  const { bridge, commands } = await openStart();
  bridge.set({ launchOverrides: { claude_code: added } });
  await commands.settings.read();
  await settle();
  expect(within(extrasShown()!).getByText('/srv/shared docs')).toBeVisible();
});

test('the message has the focus, plain Enter adds a line, and Ctrl+Enter starts from any field', async () => {
  const { bridge, user } = await openStart();
  expect(field('First message')).toHaveFocus();
  await user.keyboard('Add auth{Enter}and tests');
  expect(bridge.sent('start_session')).toEqual([]);
  await user.click(field('Folder'));
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(bridge.sent('start_session')).toMatchObject([{ agent: 'claude_code', prompt: 'Add auth\nand tests' }]);
});

test('Ctrl+Enter starts only one session while the start is being sent', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('start_session', () => new Promise(() => undefined));
  const { user } = await openStart(bridge);
  await user.keyboard('{Control>}{Enter}{Enter}{/Control}');
  expect(screen.getByText('Starting…')).toBeVisible();
  expect(bridge.sent('start_session')).toHaveLength(1);
});

describe('a start that takes a while', () => {
  skippableTime();

  async function openStarting(bridge = new FakeBridge({ sessions: [aSession()] })) {
    const { promise, give } = held<Session>();
    const opened = await openStart(bridge.on('start_session', () => promise));
    await opened.user.type(field('First message'), 'Add auth');
    await opened.user.click(button('Start session'));
    const finish = async () => {
      give(aSession({ id: 's9', name: 'fresh' }));
      await settle();
    };
    return { ...opened, finish };
  }

  test('opens its session and empties the form', async () => {
    const { user, finish } = await openStarting();
    await finish();
    expect(screen.getByRole('heading', { name: 'fresh' })).toBeVisible();
    await user.click(button('New session'));
    expect(field('First message')).toHaveValue('');
  });

  test('leaves the user where they went, in the middle of a message', async () => {
    const { user, finish } = await openStarting();
    await user.click(button(/^api .*Working/));
    await user.type(composer(), 'Half a');
    await finish();
    expect(composer()).toHaveFocus();
    await user.keyboard(' thought');
    expect(composer()).toHaveValue('Half a thought');
    expect(screen.getByRole('heading', { name: 'api' })).toBeVisible();
    expect(button(/^fresh .*Working/)).toBeVisible();
  });

  test.each([0, 800])('case_143 a second session written %i ms later goes to its own agent', async (pace) => {
    const { bridge, user, finish } = await openStarting();
    const wait = () => vi.advanceTimersByTimeAsync(pace);
    await user.keyboard('{Control>}n{/Control}');
    await wait();
    expect(field('First message')).toHaveValue('');
    await user.keyboard('SECOND');
    await wait();
    await finish();
    expect(field('First message')).toHaveValue('SECOND');
    bridge.on('start_session', () => aSession({ id: 's10', name: 'second' }));
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(bridge.sent('start_session').map(({ prompt }) => prompt)).toEqual(['Add auth', 'SECOND']);
    expect(bridge.sent('send_message')).toEqual([]);
    expect(screen.getByRole('heading', { name: 'second' })).toBeVisible();
  });

  test('case_143 the form stays with what is written for the next session when the first one of all has started', async () => {
    const { bridge, user, finish } = await openStarting(new FakeBridge({ sessions: [] }));
    field('First message').focus();
    await user.keyboard('SEC');
    await bridge.push({ change: 'session', session: aSession({ id: 's9', name: 'fresh' }) });
    await finish();
    await user.keyboard('OND');
    expect(field('First message')).toHaveValue('SECOND');
  });

  test('an agreement to its risk holds for no other', async () => {
    const { user } = await openStarting();
    const bypass = () => user.selectOptions(field('Permission mode'), 'Bypass permissions');
    const tick = () => screen.getByRole('checkbox', { name: /I understand the risk/ });
    await bypass();
    await user.click(tick());
    await user.type(field('First message'), 'second{Control>}{Enter}{/Control}');
    await bypass();
    expect(tick()).not.toBeChecked();
  });

  test.each([
    ['asked for with Ctrl+N', '{Control>}n{/Control}', ''],
    ['written in', 'SEC', 'SEC'],
  ])('case_143 a form that is %s stays when the session before has started', async (_, keys, written) => {
    const { user, finish } = await openStarting();
    field('First message').focus();
    await user.keyboard(keys);
    await finish();
    await user.keyboard('OND');
    expect(field('First message')).toHaveValue(`${written}OND`);
    expect(screen.queryByRole('heading', { name: 'fresh' })).toBeNull();
  });

  test('case_143 what was refused while another is written stays beside the form, and changes places with it', async () => {
    const bridge = new FakeBridge({ sessions: [aSession()] });
    const { promise, refuse } = held<Session>();
    bridge.on('start_session', () => promise);
    const { user } = await openStart(bridge);
    await user.keyboard('first{Control>}{Enter}{/Control}SECOND');
    refuse(anError({ code: 'folder_missing' }));
    await settle();
    expect(field('First message')).toHaveValue('SECOND');
    expect(screen.getByText('first')).toBeVisible();
    await user.click(button('Edit'));
    expect(field('First message')).toHaveValue('first');
    expect(field('Folder')).toHaveAccessibleDescription(/The folder doesn’t exist/);
    await user.click(button('Edit'));
    expect(field('First message')).toHaveValue('SECOND');
  });

  test('opens the first session of the page, also if it is in the list before', async () => {
    const { bridge, finish } = await openStarting(new FakeBridge({ sessions: [] }));
    await bridge.push({ change: 'session', session: aSession({ id: 's9', name: 'fresh' }) });
    await finish();
    expect(screen.getByRole('heading', { name: 'fresh' })).toBeVisible();
  });
});

test('the screen takes no focus from a field that the user is in', async () => {
  const bridge = new FakeBridge({ sessions: [aSession()] });
  const { store } = await openPage(bridge);
  const search = document.body.appendChild(document.createElement('input'));
  search.focus();
  store.dispatch({ type: 'start_opened' });
  await settle();
  expect(field('First message')).toBeVisible();
  expect(search).toHaveFocus();
  search.remove();
});

test('an ended session is resumed with one click', async () => {
  const ended = (id: string, name: string, at: number, resumable = true) =>
    aSession({ id, name, resumable, state: { state: 'ended', end: { end: 'finished' }, at } });
  const sessions = [aSession(), ended('s2', 'older', 10), ended('s3', 'newer', 20), ended('s4', 'lost', 30, false)];
  const { bridge, user } = await openStart(new FakeBridge({ sessions }).on('resume_session', () => aSession({ id: 's3', name: 'newer' })));
  const list = within(screen.getByRole('region', { name: 'Pick up where you left off' }));
  expect(list.getAllByRole('button').map((one) => one.getAttribute('aria-label'))).toEqual(['Resume newer', 'Resume older']);
  await user.click(list.getByRole('button', { name: 'Resume newer' }));
  expect(bridge.sent('resume_session')).toMatchObject([{ session: 's3' }]);
  expect(screen.getByRole('heading', { name: 'newer' })).toBeVisible();
});

test('the demo is a link once an agent is found, and apps that can only connect lead to their settings', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('start_session', () => aSession({ ...of(demo), id: 's9', name: 'fresh' }));
  const { user } = await openStart(bridge);
  expect(screen.getAllByRole('radio')).toHaveLength(1);
  expect(screen.queryByText('New to Askdesk?')).toBeNull();
  const connect = button('Connect Codex, Gemini CLI, OpenCode, and 6 more');
  expect(connect).toHaveAttribute('title', expect.stringMatching(/^Codex, .*Cursor, .* and Zed$/));
  await user.click(connect);
  const settings = within(await screen.findByRole('dialog', { name: 'Settings' }));
  expect(await settings.findByRole('button', { name: 'Check again' })).toBeVisible();
  await user.click(button('Close'));
  await user.click(button('Try the demo'));
  expect(bridge.sent('start_session')).toMatchObject([{ agent: 'demo', options: { config: { example: 'demo' } } }]);
});

describe('with no agent installed', () => {
  const problem = missing({ place: 'path_variable', value: '/usr/bin' }, { place: 'file', path: '/opt/claude' });

  async function openMissing(bridge = new FakeBridge({ sessions: [] })) {
    bridge.agents = { reading: false, agents: [aFound({ problem }), demoFound] };
    return openPage(bridge);
  }

  test('case_86 the screen offers the demo, and says where it looked for an agent', async () => {
    const { user } = await openMissing();
    expect(screen.getByRole('region', { name: 'New to Askdesk?' })).toBeVisible();
    expect(button('Try the demo')).toHaveClass('primary');
    expect(screen.getByText('claude: /opt/claude')).not.toBeVisible();
    await user.click(screen.getByText('Where Askdesk looked'));
    expect(screen.getByText('claude: /opt/claude')).toBeVisible();
  });

  test('an example of the demo can be chosen', async () => {
    const bridge = new FakeBridge({ sessions: [], agents: agentsWith(aValue('two', { name: 'Two questions', description: 'A pair' })) });
    const { user } = await openMissing(bridge.on('start_session', () => aSession(of(demo))));
    await user.click(button('Example'));
    await user.click(screen.getByRole('menuitem', { name: 'Two questions: A pair' }));
    expect(bridge.sent('start_session')).toMatchObject([{ agent: 'demo', options: { config: { example: 'two' } }, folder: null }]);
  });

  test('case_142 an agent that only the shell knows is found once it has answered', async () => {
    const { promise: answered, give: answer } = held();
    const bridge = new FakeBridge({ sessions: [] }).on('list_agents', async ({ latest }) => {
      if (!latest) return { reading: true, agents: [aFound({ problem }), demoFound] };
      await answered;
      return { reading: false, agents: [aFound({ program: '/new/claude' }), demoFound] };
    });
    await openPage(bridge);
    expect(screen.getByRole('region', { name: 'Install a coding agent' })).toBeVisible();
    window.dispatchEvent(new Event('focus'));
    await settle();
    answer();
    await settle();
    expect(radio('Claude Code')).toHaveAccessibleDescription('Installed');
    expect(bridge.sent('list_agents').filter(({ latest }) => latest)).toHaveLength(1);
  });

  test('case_142 Look again asks the shell, says what it found, and keeps the focus', async () => {
    const { bridge, user } = await openMissing();
    const looked = () => screen.getByText(/^Looked again/);
    await user.click(button('Look again'));
    expect(bridge.sent('read_environment')).toEqual([{ again: true }]);
    expect(looked()).toHaveTextContent('Looked again: nothing new');
    expect(looked()).toHaveRole('status');

    const { promise: answered, give: answer } = held();
    bridge.on('read_environment', async () => {
      await answered;
      return bridge.environment;
    });
    bridge.agents = { ...bridge.agents, agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };
    await user.click(button('Look again'));
    await user.click(button('Looking…'));
    expect(bridge.sent('read_environment')).toHaveLength(2);
    answer();
    await settle();
    expect(looked()).toHaveTextContent('Looked again: Claude Code found');
    expect(radio('Claude Code')).toBeChecked();
    expect(button('Look again')).toHaveFocus();
  });

  test('a message begun before the search has ended stays in view, with the focus', async () => {
    const agents = { reading: false, agents: [aFound({ problem }), demoFound] };
    const { promise, give } = held<typeof agents>();
    const { user } = await openPage(new FakeBridge({ sessions: [] }).on('list_agents', () => promise));
    await user.keyboard('Add auth');
    give(agents);
    await settle();
    expect(screen.getByRole('region', { name: 'Install a coding agent' })).toBeVisible();
    expect(field('First message')).toBeVisible();
    expect(field('First message')).toHaveValue('Add auth');
    expect(field('First message')).toHaveFocus();
  });

  test('case_143 whoever types a path stays in its field when the search finds an agent', async () => {
    const { bridge, user } = await openMissing();
    await user.click(screen.getByText('Choose a program…'));
    await user.clear(field('Folder'));
    await user.type(field('Folder'), '/srv/');
    bridge.agents = { ...bridge.agents, agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };
    window.dispatchEvent(new Event('focus'));
    await settle();
    expect(screen.queryByRole('region', { name: 'Install a coding agent' })).toBeNull();
    await user.keyboard('shop');
    expect(field('Folder')).toHaveValue('/srv/shop');
    expect(field('First message')).toHaveValue('');
  });

  test('what was typed for a program of the user’s own stays in view', async () => {
    const { store, user, unmount, bridge } = await openMissing();
    await user.click(screen.getByText('Choose a program…'));
    expect(document.querySelectorAll('main .primary')).toHaveLength(1);
    await user.type(field('Program path'), '/opt/claude');
    expect(store.state.start.program).toBe('/opt/claude');
    bridge.handover = handoverOf(store.state);
    unmount();
    await openPage(bridge);
    expect(field('Program path')).toBeVisible();
    expect(field('Program path')).toHaveValue('/opt/claude');
  });
});

test.each([
  ['Claude Code', 'cc'],
  ['Codex', 'cx'],
  ['OpenCode', 'oc'],
  ['Gemini CLI', 'gc'],
  ['pi', 'pi'],
  ['七', '七'],
])('the mark of %s is %s', (name, mark) => {
  expect(monogram(name)).toBe(mark);
});

describe('sessions begun elsewhere', () => {
  const own = { nativeSession: 'n1', title: 'Mend the door', updatedAt: Date.now() - 3_600_000 };
  const open = async (bridge: FakeBridge) => {
    const opened = await openStart(bridge);
    await opened.user.click(screen.getByText('Continue a session begun elsewhere'));
    await waitFor(() => expect(screen.queryByText('Looking for sessions…')).toBeNull());
    return opened;
  };

  test('case 124: they are listed once the user asks for them, and continued with what the form holds', async () => {
    const bridge = new FakeBridge({ sessions: [] }).on('start_session', () => aSession());
    bridge.on('list_own_sessions', () => ({ sessions: [own, { ...own, nativeSession: 'n2', title: '' }], problem: null }));
    const { user } = await openStart(bridge);
    expect(bridge.sent('list_own_sessions')).toEqual([]);
    await user.click(screen.getByText('Continue a session begun elsewhere'));
    const first = await screen.findByRole('button', { name: /Mend the door/ });
    expect(bridge.sent('list_own_sessions')).toEqual([{ agent: 'claude_code', folder: '/home/ada', program: null }]);
    expect(screen.getByRole('button', { name: /Untitled session/ })).toBeVisible();
    await user.type(field('First message'), 'Go on');
    await user.click(first);
    expect(bridge.sent('start_session')).toMatchObject([
      { continues: 'n1', name: 'Mend the door', prompt: 'Go on', folder: '/home/ada', worktree: null },
    ]);
  });

  test('an agent that can’t list them says why, and is asked again', async () => {
    let asked = 0;
    const bridge = new FakeBridge({ sessions: [] }).on('list_own_sessions', () => {
      asked += 1;
      return { sessions: [], problem: asked === 1 ? { problem: 'timed_out', seconds: 20 } : null };
    });
    const { user } = await open(bridge);
    expect(screen.getByText('Claude Code didn’t list its sessions within 20 seconds.')).toBeVisible();
    expect(button('Start session')).toBeEnabled();
    await user.click(button('Try again'));
    expect(await screen.findByText('Claude Code has no other sessions for this folder.')).toBeVisible();
  });
});
