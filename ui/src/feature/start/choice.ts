import { isInbound } from '../../entities/session/origin';
import type {
  AgentDescriptor,
  AgentFound,
  ConfigOption,
  QuestionPolicy,
  SessionOptions,
} from '../../generated/wire';
import { inOrder, isUnattended, valueOf, wordsOfConfig, wordsOfValue } from '../../shared/configWords';
import { type MessageKey, t } from '../../shared/messages';
import { worksInFolder } from '../../store/agents';
import { defaultOptions, type StartChoice } from '../../store/commands/start';
import type { Choices, StartDraft, State } from '../../store/state';

type Policy = SessionOptions['questions'];

/** The folders of the most recently started sessions, without duplicates. */
export function recentFolders(state: State, most: number): string[] {
  const started = state.sessions.filter((session) => worksInFolder(state, session) && !isInbound(session));
  const newest = started.sort((a, b) => b.startedAt - a.startedAt);
  return [...new Set(newest.map((session) => session.folder))].slice(0, most);
}

/** The last component of a folder's path. */
export function folderName(path: string): string {
  return path.replace(/[\\/]+$/, '').split(/[\\/]/).at(-1) || path;
}

function orNone(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** The chosen agent; defaults to the first one. */
export function agentOfDraft({ agent }: StartDraft, agents: readonly AgentDescriptor[]): AgentDescriptor | null {
  return agents.find(({ id }) => id === agent) ?? agents[0] ?? null;
}

/** The options shown immediately for an agent that needs no folder. */
export function optionsAtOnce({ capabilities, config }: AgentDescriptor): ConfigOption[] {
  return capabilities.folder ? [] : config.filter((option) => option.category === 'other' && option.values.length > 0);
}

/** The value of such an option: the user's choice, else the current value, else the first one. */
export function valueAtOnce(option: ConfigOption, choices: Choices): string {
  return choices[option.id] ?? option.current ?? option.values[0]?.id ?? '';
}

/** The question policies that an agent supports; empty if it can't ask. */
export function policiesOf({ capabilities, config }: AgentDescriptor): Policy[] {
  if (capabilities.questions === 'none') return [];
  const plans = config.some(({ values }) => values.some(({ planning }) => planning));
  return (Object.keys(policyWords) as Policy[]).filter((policy) => policy !== 'plan_only' || plans);
}

/** Converts a draft into start options for an agent; unsupported options are left to the agent's defaults. */
export function choiceOf(draft: StartDraft, agent: AgentDescriptor, found: AgentFound | null, folder: string): StartChoice {
  const chosen = draft.config[agent.id] ?? {};
  // Only what the form shows may be used.
  const extras = found?.extras ?? defaultOptions.extras;
  if (!agent.capabilities.folder) {
    const config = Object.fromEntries(optionsAtOnce(agent).map((option) => [option.id, valueAtOnce(option, chosen)]));
    const options = { ...defaultOptions, config, extras };
    return { agent: agent.id, folder: null, prompt: t('start.demo_prompt'), name: null, options };
  }
  const options: SessionOptions = {
    config: Object.fromEntries(agent.config.flatMap((option) => choiceIn(option, chosen))),
    questions: policiesOf(agent).includes(draft.questions) ? draft.questions : defaultOptions.questions,
    program: agent.program === null ? null : orNone(draft.program),
    extras,
  };
  const prompt = draft.prompt.trim() === '' ? null : draft.prompt;
  return { agent: agent.id, folder: folder.trim(), prompt, name: orNone(draft.name), options };
}

function choiceIn(option: ConfigOption, chosen: Choices): [string, string][] {
  const value = orNone(chosen[option.id] ?? '');
  const known = value !== null && (option.freeText || valueOf(option, value) !== null);
  return known ? [[option.id, value]] : [];
}

/** Whether the agent would never ask for permission. */
export function isUnattendedStart({ config }: AgentDescriptor, choice: StartChoice): boolean {
  return Object.entries(choice.options.config).some(([option, value]) => isUnattended(config, option, value));
}

/** Describes the options that differ from the defaults. */
export function wordsOfOptions({ config }: AgentDescriptor, { config: chosen, questions, program }: SessionOptions): string[] {
  const choices = inOrder(config).flatMap((option) => {
    const value = chosen[option.id];
    return value === undefined ? [] : [wordsOfDifference(option, config, value)];
  });
  return [
    ...choices,
    ...(questions === defaultOptions.questions ? [] : [t(policyWords[questions])]),
    ...(program ? [t('start.differs_program')] : []),
  ];
}

function wordsOfDifference(option: ConfigOption, config: readonly ConfigOption[], value: string): string {
  const words = wordsOfValue(option, value);
  switch (option.category) {
    case 'mode':
      return words;
    case 'model':
      return t('start.differs_model', { model: words });
    case 'effort':
      return t('start.differs_effort', { effort: words });
    case 'other':
      return t('option.is', { option: wordsOfConfig(option, config), value: words });
  }
}

export const policyWords = {
  always: 'policy.always',
  plan_only: 'policy.plan_only',
  never: 'policy.never',
} as const satisfies Record<QuestionPolicy, MessageKey>;
