import { createContext, untrack } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';

import { commandKeys, type Press, shortcut } from './keys';
import type { PlainKey } from './messages';

interface Action {
  words: PlainKey;
  icon: string;
  /** The keys that carry it out, as printed on their caps. */
  keys?: string;
  /** The key that carries it out together with the system's command modifier, anywhere in the window. */
  command?: string;
  /** Found by what is typed, but not listed before: one of many values, or a decision that nobody may make by a stray key. */
  typed?: true;
}

const byCommand = (key: string) => ({ keys: shortcut(key.toUpperCase()), command: key });

/** Every action of the window, in the order of the palette. A component offers those that are possible now. */
export const actions = {
  new_session: { words: 'sessions.new', icon: 'compose', ...byCommand('n') },
  inbox: { words: 'inbox.title', icon: 'inbox' },
  next_waiting: { words: 'palette.next_waiting', icon: 'ask', ...byCommand('j') },
  history: { words: 'history.title', icon: 'history' },
  settings: { words: 'settings.open', icon: 'settings', ...byCommand(',') },
  sessions: { words: 'sessions.show', icon: 'queue' },
  find: { words: 'find.open', icon: 'search', ...byCommand('f') },

  skip: { words: 'question.decline', icon: 'declined' },
  skip_message: { words: 'question.decline_message', icon: 'declined' },
  undo: { words: 'undo.button', icon: 'withdrawn', keys: 'u' },
  allow: { words: 'approval.allow', icon: 'shield', typed: true },
  deny: { words: 'approval.deny', icon: 'declined', typed: true },

  message: { words: 'composer.label', icon: 'chat', keys: '/' },
  attach: { words: 'composer.attach', icon: 'attach' },
  stop: { words: 'composer.stop', icon: 'stop' },
  force_stop: { words: 'composer.stop_now', icon: 'stop' },
  mode: { words: 'head.mode', icon: 'shield' },
  next_mode: { words: 'head.next_mode', icon: 'shield', keys: 'Alt+M' },
  model: { words: 'head.model', icon: 'model' },
  set_mode: { words: 'head.mode', icon: 'shield', typed: true },
  set_model: { words: 'head.model', icon: 'model', typed: true },
  set_effort: { words: 'start.effort', icon: 'model', typed: true },

  resume: { words: 'session_action.resume', icon: 'resume' },
  fork: { words: 'session_action.fork', icon: 'fork' },
  rename: { words: 'session_action.rename', icon: 'note', keys: 'F2' },
  up: { words: 'session_action.up', icon: 'send', keys: 'Alt+↑' },
  down: { words: 'session_action.down', icon: 'down', keys: 'Alt+↓' },
  pin: { words: 'session_action.pin', icon: 'pin' },
  unpin: { words: 'session_action.unpin', icon: 'pin' },
  mute: { words: 'session_action.mute', icon: 'muted' },
  unmute: { words: 'session_action.unmute', icon: 'muted' },
  hide: { words: 'session_action.hide', icon: 'private' },
  unhide: { words: 'session_action.unhide', icon: 'private' },
  open_in: { words: 'open_in.menu', icon: 'open_in' },
  open_file: { words: 'open_in.open_file', icon: 'open_in' },
  copy_folder: { words: 'open_in.copy_folder', icon: 'copy' },
  continue: { words: 'continue.action', icon: 'terminal' },
  log: { words: 'session.open_log', icon: 'info' },
  compact: { words: 'usage.compact', icon: 'collapse' },
  usage: { words: 'usage.show', icon: 'history' },
  usage_today: { words: 'usage.show_today', icon: 'history' },
  end: { words: 'session_action.end', icon: 'ended' },
  close: { words: 'session_action.close', icon: 'close' },

  changes: { words: 'changes.open', icon: 'diff' },
  changes_back: { words: 'changes.back', icon: 'back', keys: 'Esc' },
  changes_refresh: { words: 'changes.refresh', icon: 'resume' },
  changes_send: { words: 'changes.send_all', icon: 'send' },
  changes_viewed: { words: 'changes.mark_viewed', icon: 'eye', keys: 'V' },
  changes_unviewed: { words: 'changes.mark_unviewed', icon: 'eye', keys: 'V' },
  changes_unified: { words: 'changes.unified', icon: 'rows' },
  changes_split: { words: 'changes.split', icon: 'columns' },
  changes_revert: { words: 'changes.revert_file', icon: 'withdrawn' },

  worktree_merge: { words: 'worktree.merge_action', icon: 'merge' },
  worktree_rebase: { words: 'worktree.rebase_action', icon: 'branch' },
  worktree_remove: { words: 'worktree.remove_action', icon: 'trash' },

  earlier: { words: 'transcript.earlier', icon: 'send' },
  latest: { words: 'transcript.latest', icon: 'down' },
  read_again: { words: 'transcript.read_again', icon: 'resume' },
  later: { words: 'history.later', icon: 'down' },

  inbox_open: { words: 'inbox.open_session', icon: 'go' },
  inbox_all: { words: 'inbox.all', icon: 'inbox' },
  inbox_questions: { words: 'inbox.questions', icon: 'ask' },
  inbox_approvals: { words: 'inbox.approvals', icon: 'shield' },
  inbox_missed: { words: 'inbox.missed', icon: 'missed' },
  inbox_oldest: { words: 'inbox.oldest', icon: 'down' },
  inbox_newest: { words: 'inbox.newest', icon: 'send' },
  inbox_session: { words: 'inbox.by_session', icon: 'search' },
  inbox_all_sessions: { words: 'inbox.all_sessions', icon: 'inbox' },

  history_said: { words: 'history.said', icon: 'chat' },
  history_questions: { words: 'history.questions', icon: 'ask' },
  history_back: { words: 'history.back', icon: 'back' },
  open_session: { words: 'history.go', icon: 'chat' },
  export_markdown: { words: 'history.markdown', icon: 'download' },
  export_json: { words: 'history.json', icon: 'download' },
  export_csv: { words: 'history.csv', icon: 'download' },
  more_questions: { words: 'history.more_questions', icon: 'down' },
  more_hits: { words: 'history.more', icon: 'down' },
  totals_numbers: { words: 'totals.numbers', icon: 'info' },
  delete: { words: 'history.delete', icon: 'trash' },

  start_back: { words: 'start.back', icon: 'back' },
  look_again: { words: 'start.look_again', icon: 'search' },
  demo: { words: 'start.demo', icon: 'resume' },

  copy_command: { words: 'copy.command', icon: 'copy' },
  recent_folder: { words: 'palette.use_folder', icon: 'folder' },

  group_state: { words: 'grouping.state', icon: 'queue' },
  group_folder: { words: 'grouping.folder', icon: 'queue' },
  group_agent: { words: 'grouping.agent', icon: 'queue' },
  group_own: { words: 'grouping.own', icon: 'queue' },

  side: { words: 'side.fold', icon: 'collapse', ...byCommand('b') },
  width: { words: 'side.width', icon: 'expand' },
  back: { words: 'palette.back', icon: 'back', keys: 'Alt+←' },
  forward: { words: 'palette.forward', icon: 'go', keys: 'Alt+→' },
  notification_log: { words: 'notification_log.title', icon: 'history' },
  test_question: { words: 'test.ask', icon: 'ask' },
  permissions: { words: 'settings.permissions', icon: 'shield' },
  connected_apps: { words: 'clients.title', icon: 'connection' },
  zoom_in: { words: 'zoom.in', icon: 'expand', ...byCommand('+') },
  zoom_out: { words: 'zoom.out', icon: 'collapse', ...byCommand('-') },
  zoom_reset: { words: 'zoom.reset', icon: 'rows', ...byCommand('0') },
  check_updates: { words: 'update.palette', icon: 'download' },
  install_update: { words: 'update.palette_install', icon: 'download' },
  help: { words: 'guide.open', icon: 'help' },
  keys: { words: 'keys.open', icon: 'info', keys: '?' },
  dismiss: { words: 'banner.dismiss', icon: 'close' },
  quit: { words: 'app.quit', icon: 'ended', ...byCommand('q') },
} as const satisfies Record<string, Action>;

export type ActionId = keyof typeof actions;

export const actionIds = Object.keys(actions) as ActionId[];

/** An action that is possible now. */
export interface Offer {
  id: ActionId;
  /** Its name, if that says more than the action's. */
  name?: string;
  /** Whether it is the current choice. */
  current?: boolean;
  /** What it acts on, such as a session's name. */
  about?: string;
  /** Another name that the window shows for it. */
  alias?: string;
  /** Acts on what the offer was made for, even if the window has moved on since. */
  run: () => void;
}

type Source = () => readonly (Offer | false | null)[];

/** What the mounted components offer. */
export class OfferedActions {
  readonly #sources = new SvelteSet<Source>();

  /** Offers actions until the returned function is called; the source is asked each time. */
  readonly offer = (source: Source): (() => void) => {
    untrack(() => this.#sources.add(source));
    return () => untrack(() => this.#sources.delete(source));
  };

  /** The offers in the order of the table. */
  all(): Offer[] {
    const offers = [...this.#sources].flatMap((source) => source().filter((offer) => offer !== null && offer !== false));
    return offers.sort((a, b) => actionIds.indexOf(a.id) - actionIds.indexOf(b.id));
  }

  /** Carries out an action if it is possible now. */
  run(id: ActionId): void {
    this.all()
      .find((offer) => offer.id === id)
      ?.run();
  }
}

export const [useActions, provideActions] = createContext<OfferedActions>();

/** Actions that change nothing in the window but its size, or ask before they do anything: they work in front of a dialog too. */
const ANYWHERE: ReadonlySet<ActionId> = new Set<ActionId>(['zoom_in', 'zoom_out', 'zoom_reset', 'quit']);

/** What keys with the system's command modifier do in the window. */
export type Command = { does: 'action'; action: ActionId; anywhere: boolean } | { does: 'palette' } | { does: 'session'; place: number };

/** What a press with the system's command modifier does; null if it means nothing here. */
export function commandOf(press: Press): Command | null {
  for (const key of commandKeys(press)) {
    if (key === 'k') return { does: 'palette' };
    if (/^[1-9]$/.test(key)) return { does: 'session', place: Number(key) };
    // The plus is on the key of the equals sign on many keyboards.
    const asked = key === '=' ? '+' : key;
    const action = actionIds.find((id) => (actions[id] as Action).command === asked);
    if (action) return { does: 'action', action, anywhere: ANYWHERE.has(action) };
  }
  return null;
}

/** Offers a component's actions while it is mounted. */
export function offerActions(source: Source): void {
  const offered = useActions();
  $effect(() => offered.offer(source));
}
