import { agentIn, isInbound } from '../../entities/session/origin';
import type {
  AgentDescriptor,
  AgentId,
  AgentFound,
  ConfigOption,
  QuestionPolicy,
  Risk,
  Session,
  SessionOptions,
} from '../../generated/wire';
import { inOrder, riskOf, valueOf, wordsOfConfig, wordsOfValue } from '../../shared/configWords';
import { type MessageKey, t } from '../../shared/messages';
import { visibly } from '../../shared/visible';
import { worksInFolder } from '../../store/agents';
import { defaultOptions, type StartChoice } from '../../store/commands/start';
import type { Choices, StartDraft } from '../../store/parts/start';
import type { State } from '../../store/state';
import type { Offer } from './offer';

type Policy = SessionOptions['questions'];

/** The folders of the most recently started sessions, without duplicates, and when a session last started there. */
export function recentFolders(state: State, most: number): { path: string; startedAt: number }[] {
  const started = state.sessions.filter((session) => worksInFolder(state, session) && !isInbound(session));
  const newest = started.sort((a, b) => a.startedAt - b.startedAt);
  const byPath = new Map(newest.map(({ folder, startedAt }) => [folder, startedAt]));
  return [...byPath]
    .map(([path, startedAt]) => ({ path, startedAt }))
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, most);
}

/** The ended sessions that can be resumed, the latest first. */
export function resumableSessions({ sessions }: State, most: number): { session: Session; endedAt: number }[] {
  const ended = sessions.flatMap((session) =>
    session.resumable && session.state.state === 'ended' ? [{ session, endedAt: session.state.at }] : [],
  );
  return ended.sort((a, b) => b.endedAt - a.endedAt).slice(0, most);
}

function orNone(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** The chosen agent; defaults to the one that was used last, even if it is missing now, and else to the first. */
export function chosenOffer({ start, sessions }: State, offers: readonly Offer[]): Offer | null {
  const of = (agent: AgentId | null) => offers.find((offer) => offer.agent.id === agent);
  const used = sessions.filter(({ origin }) => of(agentIn(origin)));
  const last = used.reduce<Session | null>((last, session) => (last && last.startedAt > session.startedAt ? last : session), null);
  return of(start.agent) ?? (last && of(agentIn(last.origin))) ?? offers[0] ?? null;
}

/** The options below the first message: permission mode, model, and effort. */
export function mainOptions({ config }: AgentDescriptor): ConfigOption[] {
  return inOrder(config).filter((option) => option.category !== 'other' && isOffered(option));
}

/** The options that only this agent has. */
export function ownOptions({ config }: AgentDescriptor): ConfigOption[] {
  return config.filter((option) => option.category === 'other' && isOffered(option));
}

function isOffered({ freeText, values }: ConfigOption): boolean {
  return freeText || values.length > 0;
}

/** The options shown immediately for an agent that needs no folder. */
export function optionsAtOnce({ capabilities, config }: AgentDescriptor): ConfigOption[] {
  return capabilities.folder ? [] : config.filter((option) => option.category === 'other' && option.values.length > 0);
}

/** The value of such an option: the user's choice, else the current value, else the first one. */
export function valueAtOnce(option: ConfigOption, choices: Choices): string {
  return choices[option.id] ?? option.current ?? option.values[0]?.id ?? '';
}

/** The question policies that an agent supports. */
export function policiesOf({ config }: AgentDescriptor): Policy[] {
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
    return { agent: agent.id, folder: null, prompt: t('start.demo_prompt'), name: null, options, worktree: null, continues: null };
  }
  const options: SessionOptions = {
    config: Object.fromEntries(agent.config.flatMap((option) => choiceIn(option, chosen))),
    questions: policiesOf(agent).includes(draft.questions) ? draft.questions : defaultOptions.questions,
    program: agent.program === null ? null : orNone(draft.program),
    extras,
  };
  const prompt = draft.prompt.trim() === '' ? null : draft.prompt;
  return { agent: agent.id, folder: folder.trim(), prompt, name: orNone(draft.name), options, worktree: null, continues: null };
}

function choiceIn(option: ConfigOption, chosen: Choices): [string, string][] {
  const value = orNone(chosen[option.id] ?? '');
  const known = value !== null && (option.freeText || valueOf(option, value) !== null);
  return known ? [[option.id, value]] : [];
}

/** The highest risk of the chosen options. */
export function riskOfStart({ config }: AgentDescriptor, choice: StartChoice): Risk {
  const risks = Object.entries(choice.options.config).map(([option, value]) => riskOf(config, option, value));
  return (['unattended', 'delegated'] as const).find((risk) => risks.includes(risk)) ?? 'usual';
}

/** Describes the folded options that differ from the defaults. */
export function wordsOfFolded(agent: AgentDescriptor, { name, options: { config, questions, program } }: StartChoice): string[] {
  const choices = ownOptions(agent).flatMap((option) => {
    const value = config[option.id];
    const is = (chosen: string) => ({ option: wordsOfConfig(option, agent.config), value: wordsOfValue(option, chosen) });
    return value === undefined ? [] : [t('option.is', is(value))];
  });
  return [
    ...(name === null ? [] : [visibly(name)]),
    ...choices,
    ...(questions === defaultOptions.questions ? [] : [t(policyWords[questions])]),
    ...(program ? [t('start.differs_program')] : []),
  ];
}

export const policyWords = { always: 'policy.always', plan_only: 'policy.plan_only', never: 'policy.never' } as const satisfies Record<
  QuestionPolicy,
  MessageKey
>;
