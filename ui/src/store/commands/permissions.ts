import type { ApprovalId, PermissionRule } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';
import { approvalOf } from '../select';
import type { Store } from '../store.svelte';
import type { ApprovalCommands } from './approvals';
import type { SettingsCommands } from './settings';

/** The user's own permission rules. */
export class PermissionCommands {
  constructor(
    private readonly store: Store,
    private readonly settings: SettingsCommands,
    private readonly approvals: ApprovalCommands,
  ) {}

  /** Adds a rule; returns the error if that fails. */
  addRule(rule: PermissionRule): Promise<AppError | null> {
    return this.#changeRules((rules) => [...rules, rule]);
  }

  /** Puts a rule in the place of another one, at the end if that one is gone; returns the error if that fails. */
  replaceRule(former: PermissionRule, rule: PermissionRule): Promise<AppError | null> {
    return this.#changeRules((rules) => {
      const at = placeOf(former, rules);
      return at < 0 ? [...rules, rule] : rules.with(at, rule);
    });
  }

  /** Removes a rule; returns the error if that fails. */
  removeRule(rule: PermissionRule): Promise<AppError | null> {
    return this.#changeRules((rules) => rules.filter((_, at) => at !== placeOf(rule, rules)));
  }

  /** Changes the rules as the settings file holds them now: it may have been edited. */
  async #changeRules(change: (rules: PermissionRule[]) => PermissionRule[]): Promise<AppError | null> {
    const failed = await this.settings.read();
    if (failed) return failed;
    const rules = this.store.state.settings?.settings.permissionRules ?? [];
    return this.settings.change({ setting: 'permission_rules', value: change(rules) });
  }

  /** Denies a permission request, if it is still open. */
  async deny(id: ApprovalId): Promise<void> {
    const approval = approvalOf(this.store.state, id);
    const refusal = approval?.options.find(({ kind }) => kind === 'reject_once');
    if (approval?.state.state !== 'open' || !refusal) return;
    await this.approvals.decide(approval, { options: [refusal.id], message: null, plan: null });
  }
}

function placeOf(rule: PermissionRule, rules: PermissionRule[]): number {
  return rules.findIndex(
    ({ action, tool, argument, folder }) =>
      action === rule.action && tool === rule.tool && argument === rule.argument && folder === rule.folder,
  );
}
