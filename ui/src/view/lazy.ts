/** Parts of the window that aren't visible at startup; each is loaded on first use. */
export const later = {
  changes: () => import('./ChangesView.svelte'),
  ending: () => import('../feature/sessions/EndingDialog.svelte'),
  history: () => import('./HistoryView.svelte'),
  inbox: () => import('./InboxView.svelte'),
  keys: () => import('../feature/panel/KeysDialog.svelte'),
  link: () => import('../feature/links/LinkDialog.svelte'),
  log: () => import('../feature/log/LogDialog.svelte'),
  revert: () => import('../feature/changes/RevertDialog.svelte'),
  palette: () => import('./PaletteView.svelte'),
  rule: () => import('../feature/rules/RuleDialog.svelte'),
  worktree: () => import('../feature/worktree/WorktreeDialog.svelte'),
  settings: () => import('../feature/settings/SettingsDialog.svelte'),
};
