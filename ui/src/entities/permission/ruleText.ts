import type { Approval, PermissionRule, RuleAction } from '../../generated/wire';
import { type MessageKey, t } from '../../shared/messages';
import { visibly } from '../../shared/visible';

/** What a rule matches: a tool, and which of its calls. */
type RuleText = Pick<PermissionRule, 'tool' | 'argument'>;

export const actionWords = { deny: 'rules.deny', ask: 'rules.ask' } as const satisfies Record<RuleAction, MessageKey>;

/** A rule in the agent's notation: `Bash(git push *)`. */
export function textOfRule({ tool, argument }: RuleText): string {
  return argument === null ? tool : `${tool}(${argument})`;
}

/** A rule as it is shown: nothing in it is invisible. */
export function shownRule(rule: RuleText): string {
  return visibly(textOfRule(rule));
}

/** Reads the agent's notation; null if it names no tool. */
export function readRule(text: string): RuleText | null {
  const [, tool, argument] = /^([^\s(),]+)(?:\((.*)\))?$/u.exec(text.trim()) ?? [];
  if (tool === undefined || argument?.trim() === '') return null;
  return { tool, argument: argument?.trim() ?? null };
}

/** How far a rule reaches, as an option of a list and in a sentence. */
export function wordsOfReach(folder: string | null): string {
  return folder === null ? t('rules.everywhere') : t('rules.in_folder', { folder: visibly(folder) });
}

/** A rule that would have denied a permission request, to be completed by the user. */
export function ruleFor(approval: Approval, folder: string | null): PermissionRule {
  const argument = suggested(approval) ?? argumentOf(approval, folder);
  return { action: 'deny', tool: approval.title, argument, folder };
}

/** The pattern that the agent suggests for allowing the same calls. */
function suggested({ options, title }: Approval): string | null {
  const patterns = options.map(({ label }) => (label.label === 'tool' && label.tool === title ? label.content : null));
  return patterns.find((pattern) => pattern !== null) ?? null;
}

function argumentOf({ subject }: Approval, folder: string | null): string | null {
  switch (subject.detail) {
    case 'command':
      return beginningOf(subject.command);
    case 'edit':
    case 'write':
    case 'read':
      return folder !== null && subject.path.startsWith(`${folder}/`) ? subject.path.slice(folder.length + 1) : subject.path;
    case 'network':
      return subject.target;
    default:
      return null;
  }
}

/** The program of a command, with its subcommand if it has one: `git push *`. */
function beginningOf(command: string): string | null {
  const [first = ''] = command.trim().split(/\n|&&|\|\||[;|]/u);
  const [program, next] = first.trim().split(/\s+/u);
  if (!program) return null;
  return next !== undefined && /^[a-z][\w:-]*$/iu.test(next) ? `${program} ${next} *` : `${program} *`;
}
