import { tick } from 'svelte';

import type { Question, Request, UpdateRead } from '../generated/wire';
import { t } from '../shared/messages';
import type { Store } from '../store/store.svelte';
import { inbound } from '../testing/agents';
import { anAvailableUpdate, anEntry, aQuestion, aRequest, NOW, withdrawn } from '../testing/builders';
import type { FakeBridge } from '../testing/fakeBridge';
import { showChanges, withChanges } from './changes';
import { emptyInbox, mixedInbox } from './inbox';
import { withFirst, withPast } from './past';
import { answered, at, auth, base, helpers, over, providers, runs, scenes, settled, shell } from './scenes';
import { tenSessions } from './tenSessions';

const release = {
  version: '0.3.0',
  notes: [
    '## New',
    '- **Answers** arrive in half the time.',
    '- The inbox finds questions by their folder.',
    '',
    'More is in the [guide](https://example.org/guide).',
  ].join('\n'),
  size: 8_700_000,
};

function withUpdate(bridge: FakeBridge, changes: Partial<UpdateRead> = {}): FakeBridge {
  bridge.update = anAvailableUpdate({ phase: { phase: 'available', release }, ...changes });
  return bridge;
}

const openUpdate = (part: 'news' | 'install') => (store: Store) =>
  store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'update', part } });

interface Shown {
  scene: () => FakeBridge;
  /** Brings the scene into the state. */
  act?: (store: Store, bridge: FakeBridge) => Promise<void> | void;
  /** The selector of an element that exists once the state is shown. */
  shows: string;
}

/** The shortest realistic transcript. */
const talk = [
  anEntry(1, { kind: 'user', text: 'Add authentication to the API. Keep the public routes public.', attachments: [] }),
  anEntry(2, { kind: 'agent', text: 'The routes are in `src/routes.rs`. Before I go on I need to know how people sign in.' }),
];

function withRequests(...requests: Request[]): FakeBridge {
  const bridge = base(requests);
  const asked = requests.filter(({ session }) => session === 's1');
  bridge.entries['s1'] = [...talk, ...asked.map(({ id }, index) => anEntry(3 + index, { kind: 'request', request: id }))];
  return bridge;
}

const asks = (...questions: Question[]) => aRequest({ questions, askedAt: at(NOW - 42_000) });
const asking = (...questions: Question[]) => withRequests(asks(...questions));

/** Clicks an element by its visible text, like a user. */
async function press(name: string): Promise<void> {
  await tick();
  const targets = [...document.querySelectorAll<HTMLElement>('aside :is(button, label)')];
  const found = targets.find((target) => target.textContent.trim().startsWith(name));
  if (!found) throw new Error(`there is nothing called ${name}`);
  found.click();
  await tick();
}

async function submit(): Promise<void> {
  await press('JWT');
  await press(t('question.submit'));
}

const held = () => ({ since: Date.now(), until: Date.now() + 30_000 });

const openMissed = () => document.querySelector<HTMLElement>('aside [data-missed] summary')?.click();

/** Disables timers of a second or more, so that temporary elements stay visible. */
function holdTime(): void {
  const later = window.setTimeout;
  window.setTimeout = ((act: TimerHandler, millis = 0, ...rest: unknown[]) =>
    millis >= 1000 ? 0 : later(act, millis, ...rest)) as typeof window.setTimeout;
}

async function openHistory(): Promise<void> {
  await tick();
  const names = [...document.querySelectorAll<HTMLElement>('button')];
  names.find((button) => button.textContent.trim() === t('history.title'))?.click();
  await tick();
}

const inTwoSessions = () =>
  withRequests(asks(auth), aRequest({ id: 'p2', session: 's2', questions: [providers], askedAt: at(NOW - 30_000) }));

const ofQuestion = { session: 'shop-api', waiting: { what: 'question', id: 'r1' } } as const;

const long = 'a way that takes into account what was said about it earlier, and everything that nobody has thought of yet';

/** Every state that a question can be in, and every display variant, by name. */
export const states: Record<string, Shown> = {
  loading: {
    scene: () => {
      const bridge = base([]);
      bridge.subscribe = () => new Promise(() => undefined);
      return bridge;
    },
    shows: 'main h1',
  },
  folded: { scene: () => withRequests(), act: (store) => store.dispatch({ type: 'side_folded', folded: true }), shows: 'aside.strip' },
  empty: { scene: () => withRequests(), act: (store) => store.dispatch({ type: 'side_folded', folded: false }), shows: 'aside .empty' },
  skipping: {
    scene: () => {
      const bridge = asking(auth);
      bridge.snapshot.held = [{ request: 'r1', end: { end: 'canceled' }, ...held(), error: null }];
      return bridge;
    },
    shows: 'aside [data-held]',
  },
  closing: {
    scene: () => asking(auth),
    act: (store) => store.dispatch({ type: 'message_written', session: 's1', text: 'Use whatever the gateway uses.' }),
    shows: '[data-act=reply]',
  },
  replying: {
    scene: () => asking(auth),
    act: (store) => {
      store.dispatch({ type: 'message_written', session: 's1', text: 'Use whatever the gateway uses.' });
      store.dispatch({ type: 'reply_held', session: 's1', reply: { closes: ['r1'], ...held() } });
    },
    shows: '[data-held-reply]',
  },
  helpers: { scene: helpers, shows: '[data-helper]' },
  one: { scene: () => asking(auth), shows: 'aside [data-option=q1o3]' },
  many: {
    scene: () => {
      const bridge = withRequests(asks(auth, providers), aRequest({ id: 'r2', questions: [providers], askedAt: at(NOW - 8_000) }));
      bridge.snapshot.approvals = [shell];
      return bridge;
    },
    shows: 'aside .request',
  },
  error: {
    scene: () => asking(auth).fail('answer_question', { code: 'storage_full' }),
    act: submit,
    shows: 'aside [data-card=r1] [role=alert]',
  },
  sending: {
    scene: () => asking(auth).on('answer_question', () => new Promise(() => undefined)),
    act: submit,
    shows: 'aside [data-card=r1][data-state=sending]',
  },
  delivered: {
    scene: () => withRequests(over('r1', answered, { delivery: 'pending' })),
    act: (_, bridge) => {
      holdTime();
      bridge.push({ change: 'request', request: over('r1', answered) });
    },
    shows: 'aside [data-card=r1][data-state=delivered]',
  },
  parked: {
    scene: () => {
      const parked = { ...over('r1', answered, { delivery: 'parked' }), session: 's5' };
      const bridge = withRequests(parked);
      bridge.entries['s5'] = [...talk, anEntry(3, { kind: 'request', request: parked.id })];
      return bridge;
    },
    act: (store) => store.dispatch({ type: 'session_selected', session: 's5' }),
    shows: 'aside [data-kept=r1]',
  },
  expired: {
    scene: () => withRequests(over('r1', { outcome: 'expired' })),
    act: openMissed,
    shows: 'main [data-request=r1][data-state=expired]',
  },
  orphaned: {
    scene: () => withRequests(over('r1', { outcome: 'orphaned', why: 'agent_ended' }, null)),
    act: openMissed,
    shows: 'aside [data-missed=r1] fieldset',
  },
  left_by_client: {
    scene: () => {
      const bridge = withRequests({ ...over('r1', { outcome: 'orphaned', why: 'caller_gone' }, null), askedBy: 'codex' });
      const [first, ...others] = bridge.snapshot.sessions;
      const codex = { ...inbound('mcp', 'codex'), name: 'codex · api', model: null };
      if (first) bridge.snapshot.sessions = [{ ...first, ...codex, version: '0.169.0', state: { state: 'idle' } }, ...others];
      return bridge;
    },
    act: openMissed,
    shows: 'aside [data-missed=r1] fieldset',
  },
  declined: {
    scene: () => withRequests(over('r1', { outcome: 'declined', words: 'Ask me tomorrow' })),
    shows: 'main [data-request=r1][data-state=declined]',
  },
  withdrawn: { scene: () => withRequests(over('r1', withdrawn(), null)), shows: 'main [data-request=r1][data-state=withdrawn]' },
  replied: {
    scene: () => withRequests(over('r1', { outcome: 'replied_in_chat', text: 'Use whatever the gateway uses' })),
    shows: 'main [data-request=r1][data-state=replied_in_chat]',
  },
  secret: {
    scene: () => asking(aQuestion(1, { header: 'Token', kind: 'secret', options: [], text: 'Which token may I use?' })),
    act: () => type('aside input[type=password]', 'not a real token'),
    shows: 'aside input[type=password]',
  },
  text: {
    scene: () => asking(aQuestion(1, { header: null, kind: 'text', options: [], text: 'What should the release be called?' })),
    act: () => type('aside fieldset textarea', 'Winter,\nthe second'),
    shows: 'aside fieldset textarea',
  },
  confirm: {
    scene: () =>
      asking(aQuestion(1, { header: 'Publish', kind: 'confirm', options: ['Yes', 'No'], allowsOther: false, text: 'Publish it now?' })),
    shows: 'aside [data-option=q1o2]',
  },
  preview: {
    scene: () => asking(auth),
    act: () => document.querySelector<HTMLElement>('aside [data-option=q1o1] input')?.focus(),
    shows: 'aside .preview',
  },
  note: {
    scene: () => asking(auth),
    act: async () => {
      await press('Session-based');
      await press(t('question.note_add'));
      await type('aside .note textarea', 'Only for the public routes');
    },
    shows: 'aside .note textarea',
  },
  right_to_left: {
    scene: () =>
      asking(
        aQuestion(1, {
          header: 'طريقة الدخول',
          text: 'أي طريقة تسجيل دخول نستخدم لواجهة API العامة؟',
          options: [
            { label: 'OAuth 2.0 (Recommended)', description: 'معيار معروف، ويعمل مع مزود الهوية الحالي.' },
            { label: 'رموز JWT', description: 'رموز بلا حالة، توقعها الواجهة نفسها.' },
            { label: 'עוגיה וטבלת הפעלות', description: 'פשוט לביטול' },
          ],
        }),
      ),
    shows: 'aside [data-option=q1o3]',
  },
  long_texts: {
    scene: () =>
      asking(
        ...[1, 2, 3, 4].map((place) =>
          aQuestion(place, {
            header: `A header of its own, number ${place}`,
            text: `Question ${place}: which of these ways should be taken, given that each is ${long}?`,
            options: [1, 2, 3, 4].map((n) => ({
              label: `Way ${n}: ${long}`,
              description: `It is ${long}; and_a_word_of_its_own_without_any_place_to_break_it_anywhere_at_all_${n}.`,
            })),
          }),
        ),
      ),
    shows: 'aside [data-step=summary]',
  },
  forty_options: {
    scene: () =>
      asking(
        aQuestion(1, {
          header: 'Region',
          kind: 'multi',
          text: 'In which regions should it run?',
          options: Array.from({ length: 40 }, (_, n) => ({ label: `Region ${n + 1}`, description: `Zone ${(n % 7) + 1}` })),
        }),
      ),
    shows: 'aside [data-option=q1o40]',
  },
  signed_out: { scene: () => scenes['start_signed_out']?.() ?? base([]), shows: '[data-sign-in] button' },
  banners: { scene: () => scenes['storage']?.() ?? base([]), shows: '[data-gateway]' },
  update: { scene: () => withUpdate(asking(auth), { inTheWay: ['question_open', 'agent_works'] }), shows: '[data-update=available]' },
  update_blocked: {
    scene: () => withUpdate(asking(auth), { inTheWay: ['question_open', 'agent_works'] }),
    act: openUpdate('install'),
    shows: 'dialog[open] [role=status] li',
  },
  update_install: {
    scene: () => withUpdate(base([]), { byHand: { page: 'https://example.org', command: 'sudo apt install ./Askdesk_0.3.0_amd64.deb' } }),
    act: openUpdate('install'),
    shows: 'dialog[open][data-update-dialog=install] code',
  },
  update_news: { scene: () => withUpdate(base([])), act: openUpdate('news'), shows: 'dialog[open] strong' },
  update_download: {
    scene: () => withUpdate(base([]), { phase: { phase: 'downloading', release, received: 3_100_000, total: 8_700_000 } }),
    act: openUpdate('install'),
    shows: 'dialog[open] progress',
  },
  settings_updates: {
    scene: () => withUpdate(base([])),
    act: (store) => openSettings(store, 'settings.updates'),
    shows: 'dialog[open] [data-updates]',
  },
  narrow: {
    scene: () => asking(auth, providers),
    act: (store) => store.dispatch({ type: 'panel_resized', width: 320 }),
    shows: 'aside [data-step=summary]',
  },
  runs: { scene: runs, shows: 'main [data-kind=run]' },
  settled: { scene: settled, shows: 'main [data-request=r18] summary' },
  history: { scene: () => withPast(base([])), act: openHistory, shows: 'main [data-past]' },
  history_numbers: {
    scene: () => withPast(base([])),
    act: async () => {
      await openHistory();
      (await waitFor('main [aria-pressed]')).click();
    },
    shows: 'main td',
  },
  history_first: { scene: () => withFirst(base([])), act: openHistory, shows: 'main [data-past]' },
  history_empty: { scene: () => base([]), act: openHistory, shows: 'main .empty' },
  inbox: {
    scene: mixedInbox,
    act: async (store) => {
      openInbox(store);
      (await waitFor('[data-inbox-item=q1] [data-option=q1o1] input')).focus();
    },
    shows: 'main [data-inbox-item=q1].current',
  },
  inbox_empty: { scene: emptyInbox, act: openInbox, shows: 'main [data-inbox-view] [role=status]' },
  large_text: { scene: () => asking(auth), shows: 'aside [data-option=q1o3]' },
  settings: {
    scene: () => base([]),
    act: (store) => openSettings(store, 'settings.notifications'),
    shows: 'dialog[open] #setting-notify_sound',
  },
  settings_agents: {
    scene: () =>
      base([]).set({
        launchOverrides: {
          claude_code: {
            arguments: ['--add-dir', '~/code/shop-api'],
            environment: { HTTPS_PROXY: 'http://proxy.example:3128', ANTHROPIC_API_KEY: 'an invented key' },
          },
        },
      }),
    act: (store) => openSettings(store, 'settings.agents'),
    shows: 'dialog[open] #setting-claude_code_environment-name',
  },
  settings_connected: {
    scene: () => scenes['clients']?.() ?? base([]),
    act: (store) => openSettings(store, 'clients.title'),
    shows: 'dialog[open] [data-client=zed]',
  },
  settings_search: {
    scene: () => base([]),
    act: async (store) => {
      await openSettings(store, 'settings.appearance');
      await type('dialog[open] input[type=search]', 'ask');
    },
    shows: 'dialog[open] .result',
  },
  settings_not_saved: {
    scene: () => base([]).fail('change_setting', { code: 'settings_not_written', message: 'The disk is full.' }),
    act: async (store) => {
      await openSettings(store, 'settings.window');
      document.querySelector<HTMLElement>('#setting-start_at_login')?.click();
    },
    shows: 'dialog[open] [role=alert]',
  },
  notification_log: {
    scene: () =>
      base([]).on('read_notification_log', () => ({
        entries: [
          { ...ofQuestion, at: at(NOW - 60_000), occasion: 'reminder', decision: { decision: 'notify', why: 'whole' } },
          { ...ofQuestion, at: at(NOW - 360_000), occasion: 'asked', decision: { decision: 'nothing', why: 'in_view' } },
          {
            at: at(NOW - 540_000),
            session: 'billing-worker',
            waiting: { what: 'permission', id: 'a1' },
            occasion: 'asked',
            decision: { decision: 'badge_only', why: 'quiet_hours' },
          },
        ],
      })),
    act: async (store) => {
      await openSettings(store, 'settings.notifications');
      document.querySelector<HTMLElement>('dialog[open] [aria-controls=notification-log]')?.click();
    },
    shows: '#notification-log li',
  },
  session_log: {
    scene: () =>
      base([]).on('read_log', () => ({
        lines: [
          { at: at(NOW - 120_000), kind: 'note', text: 'claude 2.1.0, pid 41872, in ~/code/shop-api' },
          { at: at(NOW - 90_000), kind: 'stderr', text: 'Warning: no stdin data received in 3s, proceeding without it.' },
          {
            at: at(NOW - 60_000),
            kind: 'unusable',
            text: '{"type":"telemetry","event":"turn_started","session":"4f1c","model":"claude-sonnet-4-5"}',
          },
        ],
      })),
    act: (store) => store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'log', session: 's1' } }),
    shows: 'dialog[open] [data-kind=stderr]',
  },
  settings_forced_colors: {
    scene: () => base([]),
    act: async (store) => {
      forceColors();
      await openSettings(store, 'settings.notifications');
    },
    shows: 'dialog[open] #setting-notify_sound',
  },
  forced_colors: {
    scene: () => asking(auth, providers),
    act: async () => {
      forceColors();
      await press('JWT');
      await press('Auth');
    },
    shows: 'aside [data-option=q1o2] input:checked',
  },
  changes: { scene: () => withChanges(tenSessions()), act: showChanges, shows: '[data-diff] textarea' },
  changes_unified: {
    scene: () => withChanges(tenSessions()),
    act: async (store) => {
      store.dispatch({ type: 'diff_form_chosen', form: 'unified' });
      await showChanges(store);
    },
    shows: '[data-diff] textarea',
  },
  palette: {
    scene: inTwoSessions,
    act: (store) => store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'palette' } }),
    shows: 'dialog [role=option]',
  },
  palette_found: {
    scene: inTwoSessions,
    act: async (store) => {
      store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'palette' } });
      await type('dialog [role=combobox]', 'se');
    },
    shows: 'dialog [role=option] b',
  },
};

async function openSettings(store: Store, category: string): Promise<void> {
  store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings' } });
  (await waitFor(`dialog[open] [data-category='${category}']`)).click();
  await tick();
}

function openInbox(store: Store): void {
  store.dispatch({ type: 'inbox_opened', at: Date.now() });
}

async function type(css: string, text: string): Promise<void> {
  const field = (await waitFor(css)) as HTMLInputElement | HTMLTextAreaElement;
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await tick();
}

/** Waits until a selector finds an element. */
export async function waitFor(css: string): Promise<HTMLElement> {
  const began = performance.now();
  for (;;) {
    const element = document.querySelector<HTMLElement>(css);
    if (element) return element;
    if (performance.now() - began > 10_000) throw new Error(`timed out waiting for ${css}`);
    await new Promise(requestAnimationFrame);
  }
}

/** WebKit has no forced colors mode, so this applies the `forced-colors` rules unconditionally. */
function forceColors(): void {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const forced = rules.filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes('forced-colors'));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(forced.flatMap((rule) => [...(rule as CSSMediaRule).cssRules].map(({ cssText }) => cssText)).join('\n'));
  document.adoptedStyleSheets.push(sheet);
}
