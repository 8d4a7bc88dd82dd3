import type { Catalog } from './catalog';
import { agents } from './zh/agents';
import { changes } from './zh/changes';
import { composer } from './zh/composer';
import { errors } from './zh/errors';
import { history } from './zh/history';
import { openIn } from './zh/openIn';
import { permissions } from './zh/permissions';
import { questions } from './zh/questions';
import { rules } from './zh/rules';
import { sessions } from './zh/sessions';
import { settings } from './zh/settings';
import { transcript } from './zh/transcript';
import { usage } from './zh/usage';
import { updates } from './zh/updates';
import { worktrees } from './zh/worktrees';
import { connectedApps } from './zh/connectedApps';

/** Every text of the window in Chinese, in simplified characters; a count has one form. */
export const zh: Catalog = {
  ...rules,
  ...sessions,
  ...agents,
  ...transcript,
  ...connectedApps,
  ...questions,
  ...permissions,
  ...changes,
  ...composer,
  ...history,
  ...errors,
  ...settings,
  ...openIn,
  ...usage,
  ...updates,
  ...worktrees,
};
