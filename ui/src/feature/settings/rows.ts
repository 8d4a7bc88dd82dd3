import type { AgentDescriptor, Setting, Settings } from '../../generated/wire';
import { nameOfAgent } from '../../shared/agentNames';
import { clientNames } from '../../shared/clientWords';
import { plural, t } from '../../shared/messages';
import { languageNames } from '../../shared/messages/language.svelte';
import { momentTime } from '../../shared/time';

/** One value a setting can have. */
export interface Choice {
  /** Stands for the change in the list's control. */
  value: string;
  words: string;
  change: Setting;
}

interface Named {
  /** Unique among the rows. */
  id: string;
  section:
    | 'settings.appearance'
    | 'settings.notifications'
    | 'settings.questions'
    | 'settings.window'
    | 'settings.agents'
    | 'settings.data';
  name: string;
  help: string;
}

/** A setting that has one of a few values. */
export interface ChoiceRow extends Named {
  kind: 'choice';
  current: string;
  choices: readonly Choice[];
}

/** A setting that is a list of texts. */
export interface ArgumentsRow extends Named {
  kind: 'arguments';
  current: readonly string[];
  change: (to: string[]) => Setting;
}

/** A setting that is a list of names with their values. */
export interface VariablesRow extends Named {
  kind: 'variables';
  current: Readonly<Record<string, string>>;
  change: (to: Record<string, string>) => Setting;
}

/** A setting that is a combination of keys. */
export interface ShortcutRow extends Named {
  kind: 'shortcut';
  current: string;
  change: (to: string) => Setting;
}

/** One setting as it stands on the screen. */
export type Row = ChoiceRow | ArgumentsRow | VariablesRow | ShortcutRow;

/** Keys that no common desktop has for itself; the one for the next question stands among them. */
export const SUGGESTED = 'Ctrl+Alt+J';

const QUIET_HOURS = ['off', '20:00-08:00', '21:00-07:00', '22:00-07:00', '23:00-08:00'];
const REMIND_MINUTES = [0, 5, 15, 60];
/** The hour of the morning at which a pause until tomorrow ends, as in the tray. */
const MORNING = 8;
const KEEP_DAYS = [0, 30, 90, 365];
const UNDO_SECONDS = [1, 2, 3, 5, 10, 30];
const TEXT_SIZES = [80, 90, 100, 110, 125, 150, 175, 200];

/** All settings with what they are set to, in the order of the screen. */
export function rowsOf(settings: Settings, agents: readonly AgentDescriptor[]): Row[] {
  return [
    {
      kind: 'choice',
      id: 'language',
      section: 'settings.appearance',
      name: t('settings.language'),
      help: t('settings.language.help'),
      current: settings.language,
      choices: [
        choice(t('settings.language.system'), { setting: 'language', value: 'system' }),
        ...(['en', 'zh', 'de'] as const).map((value) =>
          choice(languageNames[value], { setting: 'language', value }),
        ),
      ],
    },
    {
      kind: 'choice',
      id: 'theme',
      section: 'settings.appearance',
      name: t('settings.theme'),
      help: t('settings.theme.help'),
      current: settings.theme,
      choices: [
        choice(t('settings.theme.system'), { setting: 'theme', value: 'system' }),
        choice(t('settings.theme.light'), { setting: 'theme', value: 'light' }),
        choice(t('settings.theme.dark'), { setting: 'theme', value: 'dark' }),
      ],
    },
    {
      kind: 'choice',
      id: 'text_size',
      section: 'settings.appearance',
      name: t('settings.text_size'),
      help: t('settings.text_size.help'),
      current: String(settings.textSize),
      choices: withCurrent(TEXT_SIZES, settings.textSize).map((value) =>
        choice(t('settings.text_size.percent', { percent: value }), { setting: 'text_size', value }),
      ),
    },
    {
      kind: 'choice',
      id: 'density',
      section: 'settings.appearance',
      name: t('settings.density'),
      help: t('settings.density.help'),
      current: settings.density,
      choices: [
        choice(t('settings.density.comfortable'), { setting: 'density', value: 'comfortable' }),
        choice(t('settings.density.compact'), { setting: 'density', value: 'compact' }),
      ],
    },
    {
      kind: 'choice',
      id: 'notify_questions',
      section: 'settings.notifications',
      name: t('settings.notify_questions'),
      help: t('settings.notify_questions.help'),
      current: settings.notifyQuestions,
      choices: [
        choice(t('settings.notify_questions.unseen'), { setting: 'notify_questions', value: 'unseen' }),
        choice(t('settings.notify_questions.never'), { setting: 'notify_questions', value: 'never' }),
      ],
    },
    {
      kind: 'choice',
      id: 'notify_subagents',
      section: 'settings.notifications',
      name: t('settings.notify_subagents'),
      help: t('settings.notify_subagents.help'),
      current: settings.notifySubagents,
      choices: [
        choice(t('settings.on'), { setting: 'notify_subagents', value: 'on' }),
        choice(t('settings.off'), { setting: 'notify_subagents', value: 'off' }),
      ],
    },
    {
      kind: 'choice',
      id: 'notify_finished',
      section: 'settings.notifications',
      name: t('settings.notify_finished'),
      help: t('settings.notify_finished.help'),
      current: settings.notifyFinished,
      choices: [
        choice(t('settings.on'), { setting: 'notify_finished', value: 'on' }),
        choice(t('settings.off'), { setting: 'notify_finished', value: 'off' }),
      ],
    },
    {
      kind: 'choice',
      id: 'paused_until',
      section: 'settings.notifications',
      name: t('settings.paused_until'),
      help: t('settings.paused_until.help'),
      current: String(pausedUntil(settings)),
      choices: pauses(settings),
    },
    {
      kind: 'choice',
      id: 'quiet_hours',
      section: 'settings.notifications',
      name: t('settings.quiet_hours'),
      help: t('settings.quiet_hours.help'),
      current: settings.quietHours,
      choices: [...new Set([...QUIET_HOURS, settings.quietHours])].map((value) =>
        choice(value === 'off' ? t('settings.quiet_hours.off') : value.replace('-', ' – '), {
          setting: 'quiet_hours',
          value,
        }),
      ),
    },
    {
      kind: 'choice',
      id: 'remind_minutes',
      section: 'settings.notifications',
      name: t('settings.remind_minutes'),
      help: t('settings.remind_minutes.help'),
      current: String(settings.remindMinutes),
      choices: REMIND_MINUTES.map((value) =>
        choice(
          value === 0
            ? t('settings.remind_minutes.off')
            : t('settings.remind_minutes.minutes', { minutes: value }),
          { setting: 'remind_minutes', value },
        ),
      ),
    },
    {
      kind: 'choice',
      id: 'notify_sound',
      section: 'settings.notifications',
      name: t('settings.notify_sound'),
      help: t('settings.notify_sound.help'),
      current: settings.notifySound,
      choices: [
        choice(t('settings.on'), { setting: 'notify_sound', value: 'on' }),
        choice(t('settings.off'), { setting: 'notify_sound', value: 'off' }),
      ],
    },
    {
      kind: 'choice',
      id: 'quick_answer',
      section: 'settings.questions',
      name: t('settings.quick_answer'),
      help: t('settings.quick_answer.help'),
      current: settings.quickAnswer,
      choices: [
        choice(t('settings.on'), { setting: 'quick_answer', value: 'on' }),
        choice(t('settings.off'), { setting: 'quick_answer', value: 'off' }),
      ],
    },
    {
      kind: 'choice',
      id: 'undo_seconds',
      section: 'settings.questions',
      name: t('settings.undo_seconds'),
      help: t('settings.undo_seconds.help'),
      current: String(settings.undoSeconds),
      choices: withCurrent(UNDO_SECONDS, settings.undoSeconds).map((value) =>
        choice(plural('settings.undo_seconds', value), { setting: 'undo_seconds', value }),
      ),
    },
    {
      kind: 'choice',
      id: 'auto_advance',
      section: 'settings.questions',
      name: t('settings.auto_advance'),
      help: t('settings.auto_advance.help'),
      current: settings.autoAdvance,
      choices: [
        choice(t('settings.on'), { setting: 'auto_advance', value: 'on' }),
        choice(t('settings.off'), { setting: 'auto_advance', value: 'off' }),
      ],
    },
    {
      kind: 'choice',
      id: 'on_close',
      section: 'settings.window',
      name: t('settings.on_close'),
      help: t('settings.on_close.help'),
      current: settings.onClose,
      choices: [
        choice(t('settings.on_close.keep_running'), { setting: 'on_close', value: 'keep_running' }),
        choice(t('settings.on_close.quit'), { setting: 'on_close', value: 'quit' }),
      ],
    },
    {
      kind: 'choice',
      id: 'start_at_login',
      section: 'settings.window',
      name: t('settings.start_at_login'),
      help: t('settings.start_at_login.help'),
      current: settings.startAtLogin,
      choices: [
        choice(t('settings.on'), { setting: 'start_at_login', value: 'on' }),
        choice(t('settings.off'), { setting: 'start_at_login', value: 'off' }),
      ],
    },
    {
      kind: 'shortcut',
      id: 'global_shortcut',
      section: 'settings.window',
      name: t('settings.global_shortcut'),
      help: t('settings.global_shortcut.help'),
      current: settings.globalShortcut,
      change: (value) => ({ setting: 'global_shortcut', value }),
    },
    ...agents.filter(({ capabilities }) => capabilities.launchOverrides).flatMap((agent) => rowsOfStart(settings, agent, agents)),
    {
      kind: 'choice',
      id: 'keep_days',
      section: 'settings.data',
      name: t('settings.keep_days'),
      help: t('settings.keep_days.help'),
      current: String(settings.keepDays),
      choices: KEEP_DAYS.map((value) =>
        choice(value === 0 ? t('settings.keep_days.all') : t('settings.keep_days.days', { days: value }), {
          setting: 'keep_days',
          value,
        }),
      ),
    },
  ];
}

/** What is added to every start of one agent. */
function rowsOfStart(settings: Settings, { id }: AgentDescriptor, agents: readonly AgentDescriptor[]): Row[] {
  const agent = nameOfAgent(agents, id);
  const added = settings.launchOverrides[id];
  // Ids of fields are told apart by spaces.
  const key = encodeURIComponent(id);
  return [
    {
      kind: 'arguments',
      id: `${key}_arguments`,
      section: 'settings.agents',
      name: t('settings.agent_arguments', { agent }),
      help: t('settings.agent_arguments.help'),
      current: added?.arguments ?? [],
      change: (words) => ({ setting: 'agent_arguments', value: { agent: id, arguments: words } }),
    },
    {
      kind: 'variables',
      id: `${key}_environment`,
      section: 'settings.agents',
      name: t('settings.agent_environment', { agent }),
      help: t('settings.agent_environment.help'),
      current: added?.environment ?? {},
      change: (environment) => ({ setting: 'agent_environment', value: { agent: id, environment } }),
    },
  ];
}

/** The rows that hold every word of a search, in name, help or choices. */
export function found(rows: readonly Row[], search: string): Row[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const texts = [t(row.section), row.name, row.help, row.id, ...valuesOf(row)];
    const text = texts.join(' ').toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Whether a search is about other programs whose agents can ask. */
export function speaksOfClients(search: string): boolean {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const texts = [t('settings.agents'), t('clients.title'), t('clients.help'), ...Object.values(clientNames)];
  const text = texts.join(' ').toLocaleLowerCase();
  return words.every((word) => text.includes(word));
}

/** The values that are no secrets: those of variables stay out of it. */
function valuesOf(row: Row): readonly string[] {
  switch (row.kind) {
    case 'choice':
      return row.choices.map(({ words }) => words);
    case 'arguments':
      return row.current;
    case 'shortcut':
      return [row.current];
    case 'variables':
      return Object.keys(row.current);
  }
}

function choice(words: string, change: Setting): Choice {
  return { value: String(change.value), words, change };
}

/** When a pause ends, in seconds since 1970; 0 where nothing is paused any more. */
function pausedUntil(settings: Settings): number {
  return settings.pausedUntil * 1000 > Date.now() ? settings.pausedUntil : 0;
}

function pauses(settings: Settings): Choice[] {
  const until = (words: string, end: () => number): Choice => ({
    value: words,
    words,
    // It ends an hour after it was chosen, not after the page was drawn.
    get change() {
      return { setting: 'paused_until' as const, value: Math.floor(end() / 1000) };
    },
  });
  const now = pausedUntil(settings);
  const end = now && momentTime(now * 1000, Date.now());
  return [
    choice(t('settings.paused_until.off'), { setting: 'paused_until', value: 0 }),
    ...(end ? [choice(t('settings.paused_until.until', { end }), { setting: 'paused_until', value: now })] : []),
    until(t('settings.paused_until.hour'), () => Date.now() + 3_600_000),
    until(t('settings.paused_until.tomorrow'), () => {
      const day = new Date();
      return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, MORNING).getTime();
    }),
  ];
}

/** What was set by hand may be none of the usual ones. */
function withCurrent(usual: readonly number[], current: number): number[] {
  return [...new Set([...usual, current])].sort((a, b) => a - b);
}
