import {
  settingDescriptors,
  type AgentDescriptor,
  type Language,
  type PermissionRule,
  type Program,
  type ProgramsFound,
  type Setting,
  type Settings,
} from '../../generated/wire';
import { textOfRule } from '../../entities/permission/ruleText';
import { nameOfAgent } from '../../shared/agentNames';
import { contains } from '../../shared/match';
import { plural, t } from '../../shared/messages';
import { hours, percent } from '../../shared/messages/formats';
import { languageNames } from '../../shared/messages/language.svelte';
import { kindOfProgram, nameOfProgram } from '../../shared/programs';
import { TEXT_SIZES } from '../../shared/textSizes';
import { momentTime } from '../../shared/time';
import { shortCost } from '../../shared/usage';

/** A value that a setting can take. */
export interface Choice {
  /** Identifies the change in the select element. */
  value: string;
  words: string;
  change: Setting;
}

interface Named {
  /** Unique among all rows. */
  id: string;
  section: 'settings.agents' | `settings.${Descriptor['category']}`;
  /** The heading of its group within the section. */
  group: 'settings.when_to_notify' | 'settings.silence' | null;
  name: string;
  help: string;
}

/** A setting with a few possible values. */
export interface ChoiceRow extends Named {
  kind: 'choice';
  current: string;
  choices: readonly Choice[];
}

/** A setting that is on or off. */
export interface SwitchRow extends Named {
  kind: 'switch';
  on: boolean;
  change: (on: boolean) => Setting;
}

/** A setting that holds a list of texts. */
export interface ArgumentsRow extends Named {
  kind: 'arguments';
  current: readonly string[];
  change: (to: string[]) => Setting;
}

/** A setting that holds names and their values. */
export interface VariablesRow extends Named {
  kind: 'variables';
  current: Readonly<Record<string, string>>;
  change: (to: Record<string, string>) => Setting;
}

/** A setting that holds a key combination. */
export interface ShortcutRow extends Named {
  kind: 'shortcut';
  current: string;
  change: (to: string) => Setting;
}

/** A setting that holds a command line. */
export interface CommandRow extends Named {
  kind: 'command';
  current: string;
  example: string;
  change: (to: string) => Setting;
}

/** A setting that holds permission rules. */
export interface RulesRow extends Named {
  kind: 'rules';
  current: readonly PermissionRule[];
}

/** A setting as shown in the dialog. */
export type Row = RulesRow | CommandRow | ChoiceRow | SwitchRow | ArgumentsRow | VariablesRow | ShortcutRow;

/** A combination that no common desktop reserves; J is also the key for the next question. */
export const SUGGESTED = 'Ctrl+Alt+J';

type Descriptor = (typeof settingDescriptors)[number];
type SettingId = Descriptor['id'];

/** The hour at which "until tomorrow" ends, the same as in the tray. */
const MORNING = 8;

/** The offered values of settings with too many possible values for a list. Others can be set in the file. */
const OFFERED: Partial<Record<SettingId, readonly (number | string)[]>> = {
  text_size: TEXT_SIZES,
  undo_seconds: [1, 2, 3, 5, 10, 30],
  daily_budget: [0, 5, 10, 15, 20, 30, 50, 100, 200],
  quiet_hours: ['off', '20:00-08:00', '21:00-07:00', '22:00-07:00', '23:00-08:00'],
};

const GROUPS: Partial<Record<SettingId, Named['group']>> = {
  notify_questions: 'settings.when_to_notify',
  notify_subagents: 'settings.when_to_notify',
  notify_finished: 'settings.when_to_notify',
  daily_budget: 'settings.when_to_notify',
  remind_minutes: 'settings.when_to_notify',
  paused_until: 'settings.silence',
  quiet_hours: 'settings.silence',
  notify_sound: 'settings.silence',
};

/** The labels of a setting's values, unless they are under `settings.<id>.<value>`. */
const WORDS: Partial<Record<SettingId, (value: Value) => string>> = {
  language: (value) => (value === 'system' ? t('settings.language.system') : languageNames[value as Language]),
  text_size: (size) => percent(Number(size) / 100),
  undo_seconds: (seconds) => plural('settings.undo_seconds', Number(seconds)),
  quiet_hours: (range) => (range === 'off' ? t('settings.quiet_hours.off') : hours(String(range))),
  remind_minutes: (minutes) => (minutes === 0 ? t('settings.remind_minutes.off') : t('settings.remind_minutes.minutes', { minutes })),
  daily_budget: (budget) => (budget === 0 ? t('settings.daily_budget.off') : shortCost(Number(budget))),
  keep_days: (days) => (days === 0 ? t('settings.keep_days.all') : t('settings.keep_days.days', { days })),
};

type Value = number | string;

/** All settings with their values, in display order. */
export function rowsOf(settings: Settings, agents: readonly AgentDescriptor[], programs: ProgramsFound | null): Row[] {
  const rows = settingDescriptors.map((descriptor) => rowOf(settings, descriptor, programs));
  const ofAgents = agents
    .filter(({ capabilities }) => capabilities.launchOverrides)
    .flatMap((agent) => rowsOfStart(settings, agent, agents));
  const data = rows.findIndex(({ section }) => section === 'settings.data');
  return [...rows.slice(0, data), ...ofAgents, ...rows.slice(data)];
}

/** Commands to learn the placeholders from. */
const EXAMPLES: Partial<Record<SettingId, string>> = {
  editor_command: 'subl {file}:{line}',
  terminal_command: 'foot --working-directory={folder} {command}',
};

function rowOf(settings: Settings, descriptor: Descriptor, programs: ProgramsFound | null): Row {
  const { id, category } = descriptor;
  const named: Named = {
    id,
    section: `settings.${category}`,
    group: GROUPS[id] ?? null,
    name: t(`settings.${id}`),
    help: t(`settings.${id}.help`),
  };
  const current = settings[camelCase(id)];
  const change = (value: Value) => ({ setting: id, value }) as Setting;
  switch (descriptor.kind) {
    case 'shortcut':
      return { ...named, kind: 'shortcut', current: String(current), change };
    case 'command':
      return { ...named, kind: 'command', current: String(current), example: EXAMPLES[id] ?? '', change };
    case 'rules':
      return { ...named, kind: 'rules', current: settings.permissionRules };
    case 'pause':
      return { ...named, kind: 'choice', current: String(pausedUntil(settings)), choices: pauses(settings) };
    default: {
      if ('choices' in descriptor && descriptor.choices.some((value) => value === 'on')) {
        return { ...named, kind: 'switch', on: current === 'on', change: (on) => change(on ? 'on' : 'off') };
      }
      if (id === 'editor' || id === 'terminal') return { ...named, ...programChoices(id, settings[id], programs) };
      const words = WORDS[id] ?? ((value) => t(`settings.${id}.${value}` as 'settings.theme.light'));
      // The settings file may contain a value that isn't offered.
      const offered: readonly Value[] = 'choices' in descriptor ? descriptor.choices : withCurrent(OFFERED[id] ?? [], current as Value);
      const choices = offered.map((value) => ({ value: String(value), words: words(value), change: change(value) }));
      return { ...named, kind: 'choice', current: String(current), choices };
    }
  }
}

/** The choice of an editor or terminal: what is installed, the user's own command, and the current choice. */
function programChoices(kind: 'editor' | 'terminal', current: Program | 'auto', found: ProgramsFound | null) {
  const ofKind = (found?.programs ?? []).filter((program) => kindOfProgram(program) === kind);
  const own = `${kind}_command` as const;
  const offered = new Set<Program | 'auto'>(['auto', ...ofKind.filter((program) => program !== own), own, current]);
  const words = (program: Program | 'auto') => {
    const [first] = ofKind;
    if (program === 'auto') return first ? t('settings.program.auto_found', { program: nameOfProgram(first) }) : t('settings.program.auto');
    const isThere = found === null || program === own || ofKind.includes(program);
    return isThere ? nameOfProgram(program) : t('settings.program.missing', { program: nameOfProgram(program) });
  };
  const choices = [...offered].map((value) => ({ value, words: words(value), change: { setting: kind, value } as Setting }));
  return { kind: 'choice' as const, current, choices };
}

type CamelCase<S extends string> = S extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : S;

function camelCase<S extends string>(id: S): CamelCase<S> {
  return id.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<S>;
}

/** The launch overrides of one agent. */
function rowsOfStart(settings: Settings, { id }: AgentDescriptor, agents: readonly AgentDescriptor[]): Row[] {
  const agent = nameOfAgent(agents, id);
  const added = settings.launchOverrides[id];
  // Spaces separate ids in ARIA attributes, so the id must not contain any.
  const key = encodeURIComponent(id);
  return [
    {
      kind: 'arguments',
      id: `${key}_arguments`,
      section: 'settings.agents',
      group: null,
      name: t('settings.agent_arguments', { agent }),
      help: t('settings.agent_arguments.help', { agent }),
      current: added?.arguments ?? [],
      change: (words) => ({ setting: 'agent_arguments', value: { agent: id, arguments: words } }),
    },
    {
      kind: 'variables',
      id: `${key}_environment`,
      section: 'settings.agents',
      group: null,
      name: t('settings.agent_environment', { agent }),
      help: t('settings.agent_environment.help', { agent }),
      current: added?.environment ?? {},
      change: (environment) => ({ setting: 'agent_environment', value: { agent: id, environment } }),
    },
  ];
}

/** Whether the texts contain every searched word. */
export function matches(search: string, texts: readonly string[]): boolean {
  return contains(texts.join(' '), search);
}

/** Whether a search finds a row by its section, name, help, or values. */
export function finds(search: string, row: Row): boolean {
  return matches(search, [t(row.section), row.name, row.help, row.id, ...valuesOf(row)]);
}

/** The searchable values, without secrets: variable values are excluded. */
function valuesOf(row: Row): readonly string[] {
  switch (row.kind) {
    case 'choice':
      return row.choices.map(({ words }) => words);
    case 'arguments':
      return row.current;
    case 'shortcut':
    case 'command':
      return [row.current];
    case 'switch':
      return [];
    case 'rules':
      return row.current.map(textOfRule);
    case 'variables':
      return Object.keys(row.current);
  }
}

function choice(words: string, change: Setting): Choice {
  return { value: String(change.value), words, change };
}

/** When the pause ends, as a Unix time in seconds; 0 if notifications aren't paused. */
function pausedUntil(settings: Settings): number {
  return settings.pausedUntil * 1000 > Date.now() ? settings.pausedUntil : 0;
}

function pauses(settings: Settings): Choice[] {
  const until = (words: string, end: () => number): Choice => ({
    value: words,
    words,
    // A getter, because the pause lasts an hour from when it is chosen, not from when the page was rendered.
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

function withCurrent(offered: readonly Value[], current: Value): Value[] {
  const values = [...new Set([...offered, current])];
  return typeof current === 'number' ? values.sort((a, b) => Number(a) - Number(b)) : values;
}
