import type {
  AgentDescriptor,
  Approval,
  ApprovalDecision,
  ApprovalOption,
  ApprovalOptionKind,
  ConfigOption,
  OptionLabel,
  OptionScope,
  Session,
  ToolDetail,
  ToolRule,
} from '../../generated/wire';
import { wordsOfChoice, wordsOfConfig } from '../../shared/configWords';
import { type MessageKey, plural, t } from '../../shared/messages';
import { list } from '../../shared/messages/formats';
import { fileName, pathWithin } from '../../shared/shortPath';
import { longDuration } from '../../shared/time';
import { cutPath, cutText } from '../../shared/text';
import { visibly } from '../../shared/visible';
import { shownTool } from '../tool/toolName';
import { actingLine } from './actingLine';
import { shownRule } from '../permission/ruleText';
import { type ReadableHere, saidAbout } from './readableHere';
import { agentOf, wordsOfRemark, warningOf } from './remark';

/** The maximum length of a permission request's name, in graphemes. */
const NAME_SHOWN = 200;

export const scopeWords = {
  session: 'rule.scope_session',
  server: 'rule.scope_server',
  local: 'rule.scope_local',
  project: 'rule.scope_project',
  user: 'rule.scope_user',
} as const satisfies Record<OptionScope, MessageKey>;

export const kindWords = {
  allow_once: 'approval.allow',
  allow_always: 'approval.allow_always',
  reject_once: 'approval.deny',
  reject_always: 'approval.deny_always',
} as const satisfies Record<ApprovalOptionKind, MessageKey>;

const everyUse = { allow: 'rule.allow', ask: 'rule.ask', deny: 'rule.deny' } as const satisfies Record<ToolRule, MessageKey>;

const someUses = { allow: 'rule.allow_some', ask: 'rule.ask_some', deny: 'rule.deny_some' } as const satisfies Record<ToolRule, MessageKey>;

/** Whether the option lets the agent continue. */
export function allows({ kind }: ApprovalOption): boolean {
  return kind === 'allow_once' || kind === 'allow_always';
}

export function wordsOfOption({ kind, label }: ApprovalOption, config: readonly ConfigOption[]): string {
  return wordsOfLabel(label, kind, config);
}

/** What an option does, and how long and how far it holds. */
export function wordsInFull(option: ApprovalOption, config: readonly ConfigOption[]): string {
  const words = wordsOfOption(option, config);
  return option.scope ? `${words} · ${t(scopeWords[option.scope])}` : words;
}

/** What an option does, by its kind where its label says nothing. */
export function wordsOfLabel(label: OptionLabel, kind: ApprovalOptionKind, config: readonly ConfigOption[]): string {
  switch (label.label) {
    case 'plain':
      return t(kindWords[kind]);
    case 'text':
      return visibly(label.text).trim() || t(kindWords[kind]);
    case 'tool': {
      const { tool, content, behavior } = label;
      if (content === null) return visibly(t(everyUse[behavior], { tool: shownTool(tool) }));
      return visibly(t(someUses[behavior], { tool: shownTool(tool), uses: wordsOfUses(content) }));
    }
    case 'folder':
      return visibly(t('rule.folder', { paths: list(label.paths) }));
    case 'config': {
      const option = config.find((one) => one.id === label.option);
      const words = wordsOfChoice(config, label.option, label.value);
      if (option === undefined || option.category === 'mode') return t('rule.mode', { mode: words });
      return t('rule.config', { option: wordsOfConfig(option, config), value: words });
    }
  }
}

/** Describes what an agent's own permission pattern covers. Unclear patterns are shown verbatim. */
function wordsOfUses(pattern: string): string {
  const beginning = /^([^*]+)(?::| )\*$/.exec(pattern)?.[1];
  if (beginning) return t('rule.begins', { text: beginning });
  return pattern.includes('*') ? t('rule.fits', { text: pattern }) : t('rule.exactly', { text: pattern });
}

/** What a permission request is about, in a line: the line of a command that acts, or else the tool with its file or address. */
export function nameOfApproval({ subject, title }: Approval): string {
  if (subject.detail === 'plan') return t('plan.title');
  const { line, more } = subject.detail === 'command' ? actingLine(subject.command) : { line: '', more: 0 };
  const name = visibly(cutText(line || [shownTool(title), ...aboutOf(subject)].join(' '), NAME_SHOWN));
  return more > 0 ? plural('approval.name_more', more, { line: name }) : name;
}

/** The name of the file, or the address. */
function aboutOf(subject: ToolDetail): string[] {
  if (subject.detail === 'network') return [subject.target];
  return subject.detail === 'read' || subject.detail === 'edit' || subject.detail === 'write' ? [fileName(subject.path)] : [];
}

/** What a permission request is about besides its tool: the line of a command that acts, an address, or a file. */
export function objectOf(approval: Approval, folder: string | null, home: string | null): string | null {
  const { subject } = approval;
  switch (subject.detail) {
    case 'command':
      return subject.command.trim() === '' ? null : nameOfApproval(approval);
    case 'network':
      return visibly(cutText(subject.target, NAME_SHOWN)).trim() || null;
    case 'read':
    case 'edit':
    case 'write':
      return cutPath(pathWithin(subject.path, [folder ?? ''], home), NAME_SHOWN).trim() || null;
    default:
      return null;
  }
}

/** What a permission request asks. */
export function wordsOfAsk({ subject, title }: Approval): string {
  switch (subject.detail) {
    case 'command':
      return t('approval.asks_command');
    case 'edit':
      return t('approval.asks_edit');
    case 'write':
      return t('approval.asks_write');
    case 'network':
      return t('approval.asks_network');
    default:
      return t('approval.asks', { tool: visibly(cutText(shownTool(title), NAME_SHOWN)) });
  }
}

/** What a permission request or a plan asks, in a list of many; a path is relative to the session's folder. */
export function wordsOfAskIn(approval: Approval, folder: string | null): string {
  const { subject } = approval;
  if (subject.detail === 'plan') return t('plan.title');
  if (subject.detail !== 'edit' && subject.detail !== 'write') return wordsOfAsk(approval);
  const inside = folder !== null && /^[\\/]/.test(subject.path.slice(folder.length)) && subject.path.startsWith(folder);
  const path = visibly(cutPath(inside ? subject.path.slice(folder.length + 1) : subject.path, NAME_SHOWN));
  return subject.detail === 'edit' ? t('approval.asks_edit_path', { path }) : t('approval.asks_write_path', { path });
}

/** Why a permission request isn't decided in a list of many; null if it is. */
export function wordsOfUnreadable({ title }: Approval, how: ReadableHere): string | null {
  switch (how.here) {
    case 'readable':
      return null;
    // The warning itself stands there.
    case 'warned':
      return '';
    case 'plan':
      return t('inbox.plan_there');
    case 'unknown_tool':
      return t('inbox.unknown_there', { tool: visibly(cutText(shownTool(title), NAME_SHOWN)) });
    case 'cut':
      return t('inbox.cut_there');
    case 'hidden_characters':
      return t('inbox.hidden_there');
    case 'too_long':
      return wordsOfLength(how);
  }
}

function wordsOfLength({ of, count }: Extract<ReadableHere, { here: 'too_long' }>): string {
  switch (of) {
    case 'changed_lines':
      return plural('inbox.changed_lines_there', count);
    case 'lines':
      return plural('inbox.lines_there', count);
    case 'characters':
      return plural('inbox.characters_there', count);
  }
}

/** The name of the tool that a permission request is for; a plan is no tool. */
export function nameOfTool({ subject, title }: Approval): string {
  return subject.detail === 'plan' ? t('plan.document') : visibly(shownTool(title));
}

/** Describes a waiting approval and how long it has been waiting. */
export function wordsOfWaiting(approval: Approval, time: string): string {
  if (approval.subject.detail === 'plan') return t('approval.plan_waiting', { time });
  return t('approval.waiting', { tool: nameOfTool(approval), time });
}

/** Says that the agent itself refused what it had asked for, and how long that had waited. */
export function wordsOfRefusal({ askedAt }: Approval, at: number, session: Session | null, agents: readonly AgentDescriptor[]): string {
  return t('approval.refused_after', { agent: agentOf(agents, session), time: longDuration(at - askedAt) });
}

/** What an ended request keeps beside its end: the agent's warning, and what the model said. */
export function linesOfWarned(approval: Approval): string[] {
  const warning = warningOf(approval);
  if (!warning) return [];
  const model = saidAbout(approval).map((words) => t('approval.model_said', { words: visibly(words) }));
  return [t('approval.warned', { words: wordsOfRemark(warning) }), ...model];
}

/** The chosen options, in the agent's order. */
export function chosenOf({ options }: Approval, decision: ApprovalDecision): ApprovalOption[] {
  return options.filter(({ id }) => decision.options.includes(id));
}

/** The decision on a permission or a plan in words, with how long and how far it holds. */
export function wordsOfDecision(approval: Approval, decision: ApprovalDecision, config: readonly ConfigOption[]): string {
  const scopes = scopesOf(chosenOf(approval, decision)).map((scope) => t(scopeWords[scope]));
  return [wordsOfVerdict(approval, decision, config), ...scopes].join(' · ');
}

function scopesOf(options: readonly ApprovalOption[]): OptionScope[] {
  return [...new Set(options.flatMap(({ scope }) => scope ?? []))];
}

function wordsOfVerdict(approval: Approval, decision: ApprovalDecision, config: readonly ConfigOption[]): string {
  const tool = nameOfTool(approval);
  const { message } = decision;
  const plan = approval.subject.detail === 'plan';
  const first = chosenOf(approval, decision)[0];
  if (!first || !allows(first)) {
    if (approval.rule?.action === 'deny') return t('approval.denied_rule', { tool, rule: shownRule(approval.rule) });
    if (plan) return message ? t('approval.plan_back_message', { message }) : t('approval.plan_back');
    return message ? t('approval.denied_message', { tool, message }) : t('approval.denied', { tool });
  }
  if (plan) {
    const approved = decision.plan === null ? t('approval.plan_approved') : t('approval.plan_approved_edited');
    const { label } = first;
    if (label.label !== 'config') return approved;
    return t('approval.plan_then', { approved, mode: wordsOfChoice(config, label.option, label.value) });
  }
  return first.kind === 'allow_always' ? t('approval.allowed_rules', { tool }) : t('approval.allowed', { tool });
}

/** What was chosen beyond allow or deny, one line each; with its scope if not all have the same. */
export function linesOfDecision(approval: Approval, decision: ApprovalDecision, config: readonly ConfigOption[]): string[] {
  const chosen = chosenOf(approval, decision).filter(({ label }) => label.label !== 'plain');
  // For a plan, the decision's own text already names the mode that follows.
  const said = chosen.filter(({ label }) => approval.subject.detail !== 'plan' || label.label !== 'config');
  const words = scopesOf(chosenOf(approval, decision)).length > 1 ? wordsInFull : wordsOfOption;
  return said.map((option) => words(option, config));
}
