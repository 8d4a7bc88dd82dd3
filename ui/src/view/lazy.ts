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
  session: once(() => import('./sessionParts')),
  rule: () => import('../feature/rules/RuleDialog.svelte'),
  worktree: () => import('../feature/worktree/WorktreeDialog.svelte'),
  settings: () => import('../feature/settings/SettingsDialog.svelte'),
};

/** Loads a part; once it is loaded, returns the part itself, which is shown in the same frame. */
function once<T>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined;
  return () => loaded ?? load().then((part) => (loaded = part));
}
