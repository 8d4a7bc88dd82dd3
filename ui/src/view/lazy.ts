import { loadEnglish } from '../shared/messages/english';
import { loadMarkdown } from '../shared/reader.svelte';
import { sessionInView } from '../store/select';
import type { State } from '../store/state';

/** Parts of the window that aren't visible at startup; each is loaded when the window is idle, or on first use. */
export const later = {
  changes: () => import('./ChangesView.svelte'),
  ending: () => import('../feature/sessions/EndingDialog.svelte'),
  fork: () => import('../feature/sessions/ForkDialog.svelte'),
  history: () => import('./HistoryView.svelte'),
  inbox: () => import('./InboxView.svelte'),
  keys: () => import('../feature/panel/KeysDialog.svelte'),
  link: () => import('../feature/links/LinkDialog.svelte'),
  log: () => import('../feature/log/LogDialog.svelte'),
  revert: () => import('../feature/changes/RevertDialog.svelte'),
  palette: () => Promise.all([import('./PaletteView.svelte'), loadEnglish()]).then(([view]) => view),
  rule: () => import('../feature/rules/RuleDialog.svelte'),
  update: () => import('../feature/updates/UpdateDialog.svelte'),
  worktree: () => import('../feature/worktree/WorktreeDialog.svelte'),
  settings: () => import('../feature/settings/SettingsDialog.svelte'),
};

/** The parts that are loaded later unless they are in view at startup. */
export async function loadInView(state: State): Promise<void> {
  const { at } = state.navigation.place;
  if (at === 'inbox') await later.inbox();
  else if (sessionInView(state)) await loadMarkdown();
}

/** How long the window is left alone before the first part is loaded. */
const IDLE_MS = 2000;

/** Loads the parts one after another, so that none is waited for on first use. */
export async function loadWhenIdle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  for (const load of [loadMarkdown, ...Object.values(later)]) {
    await load().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
