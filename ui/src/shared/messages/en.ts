import { agents } from './en/agents';
import { changes } from './en/changes';
import { composer } from './en/composer';
import { errors } from './en/errors';
import { history } from './en/history';
import { openIn } from './en/openIn';
import { permissions } from './en/permissions';
import { questions } from './en/questions';
import { rules } from './en/rules';
import { sessions } from './en/sessions';
import { settings } from './en/settings';
import { transcript } from './en/transcript';
import { usage } from './en/usage';
import { updates } from './en/updates';
import { worktrees } from './en/worktrees';
import { connectedApps } from './en/connectedApps';

/** Every text of the window in English; `{name}` stands for a value. */
export const en = {
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
} as const;
