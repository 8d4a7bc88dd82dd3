import type { Catalog } from './catalog';
import { agents } from './de/agents';
import { changes } from './de/changes';
import { composer } from './de/composer';
import { errors } from './de/errors';
import { history } from './de/history';
import { openIn } from './de/openIn';
import { permissions } from './de/permissions';
import { questions } from './de/questions';
import { rules } from './de/rules';
import { sessions } from './de/sessions';
import { settings } from './de/settings';
import { transcript } from './de/transcript';
import { usage } from './de/usage';
import { updates } from './de/updates';
import { worktrees } from './de/worktrees';
import { connectedApps } from './de/connectedApps';

/** Every text of the window in German. */
export const de: Catalog = {
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
