import type {
  AgentId,
  AgentsFound,
  AttachedFiles,
  Change,
  ClientRead,
  DraftTarget,
  Entry,
  EnvironmentRead,
  Error as CommandError,
  Frame,
  ProgramsFound,
  Request,
  SessionId,
  Setting,
  Settings,
  PageStart,
  SettingsRead,
  Snapshot,
  UpdateRead,
  VersionFit,
} from '../generated/wire';
import type { Bridge, CommandName, FileDrag, Input, LanguageAtStart, Output } from '../platform/bridge';
import type { Handover } from '../store/sync/handover';
import { aSnapshot, anUpdate, aTree, aUsage, totalsOf } from './builders';

export interface Call {
  command: CommandName;
  input: unknown;
}

type Reply<C extends CommandName> = (input: Input<C>) => Output<C> | Promise<Output<C>>;

/** Replaces the app in tests: it records calls, returns configured replies, and pushes frames. */
export class FakeBridge implements Bridge {
  language: LanguageAtStart = { system: 'en', chosen: 'system', timeRegion: null };
  /** Replaces what the app sends before the page asks. */
  start: PageStart | null = null;
  readonly calls: Call[] = [];
  /** The links that were opened externally. */
  readonly opened: string[] = [];
  /** How often the guide was opened. */
  guides = 0;
  quits = 0;
  subscriptions = 0;
  snapshot: Snapshot;
  entries: Record<SessionId, Entry[]> = {};
  /** The content of the simulated disk. */
  drafts: DraftTarget[] = [];
  agents: AgentsFound = { reading: false, agents: [] };
  versions: Record<AgentId, string> = {};
  /** How they fit, by agent. */
  fits: Record<AgentId, VersionFit> = {};
  signIns: Record<AgentId, boolean> = {};
  environment: EnvironmentRead = { way: 'process', shell: null, failed: [], readAt: null, reading: false };
  /** The result of the folder picker. */
  folder: string | null = null;
  /** The files that the user picks or drops. */
  files: AttachedFiles = { attached: [], refused: [] };
  /** How many times dropped files were attached. */
  drops = 0;
  /** The files or the image on the clipboard, which a paste event doesn't have. */
  clipboard: AttachedFiles = { attached: [], refused: [] };
  pastes = 0;
  /** Simulates dragging files over the window. */
  dragFiles: (drag: FileDrag) => void = () => undefined;
  settings: SettingsRead = {
    settings: {
      language: 'system',
      theme: 'system',
      textSize: 100,
      density: 'comfortable',
      notifyQuestions: 'unseen',
      notifySubagents: 'on',
      notifyFinished: 'off',
      dailyBudget: 0,
      quietHours: 'off',
      remindMinutes: 0,
      pausedUntil: 0,
      notifySound: 'off',
      quickAnswer: 'on',
      undoSeconds: 3,
      autoAdvance: 'on',
      onClose: 'keep_running',
      startAtLogin: 'off',
      globalShortcut: 'off',
      editor: 'auto',
      editorCommand: '',
      terminal: 'auto',
      terminalCommand: '',
      launchOverrides: {},
      permissionRules: [],
      setupCommands: {},
      keepDays: 0,
      checkUpdates: 'on',
    },
    ignored: [],
    unmet: [],
    file: '/home/ada/.local/share/askdesk/settings.toml',
    home: '/home/ada',
  };
  /** The connection states of other programs. */
  clients: ClientRead[] = [];
  programs: ProgramsFound = { programs: ['vscode', 'zed', 'vim', 'gnome_terminal', 'kitty', 'file_manager'] };
  /** The target of the latest deep link, until it is shown. */
  target: string | null = null;
  /** The state handed over by the previous page. */
  handover: Handover | null = null;
  /** The number of the pending request to save everything. */
  asked: number | null = null;
  readonly handovers: { ask: number; handover: Handover }[] = [];
  #notifyClosing: () => void = () => undefined;
  /** The deep link targets that the user answered without doing anything else. */
  readonly answeredAway: string[] = [];
  #notifyDeepLink: () => void = () => undefined;
  #receive: ((frames: Frame[]) => void) | null = null;
  readonly #replies = new Map<CommandName, Reply<CommandName>>();

  takeStart(): Promise<PageStart | null> {
    const { start } = this;
    this.start = null;
    return Promise.resolve(start);
  }

  constructor(snapshot: Partial<Snapshot> = {}) {
    this.snapshot = aSnapshot(snapshot);
  }

  on<C extends CommandName>(command: C, reply: Reply<C>): this {
    this.#replies.set(command, reply as unknown as Reply<CommandName>);
    return this;
  }

  fail(command: CommandName, error: Partial<CommandError>): this {
    return this.on(command, () => {
      throw anError(error);
    });
  }

  /** Changes settings before the page reads them. */
  set(changes: Partial<Settings>): this {
    this.settings = { ...this.settings, settings: { ...this.settings.settings, ...changes } };
    return this;
  }

  sent<C extends CommandName>(command: C): Input<C>[] {
    return this.calls.filter((call) => call.command === command).map((call) => call.input as Input<C>);
  }

  async call<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    this.calls.push({ command, input });
    const reply = this.#replies.get(command) as unknown as Reply<C> | undefined;
    await Promise.resolve();
    return reply ? reply(input) : (this.#usual(command, input) as Output<C>);
  }

  #usual(command: CommandName, input: unknown): unknown {
    const known = input as { id?: string; session?: string; agent?: AgentId };
    switch (command) {
      case 'read_transcript': {
        const { session, before, limit } = input as Input<'read_transcript'>;
        const older = (this.entries[session] ?? []).filter(({ n }) => before === null || n < before);
        const more = older.length > limit;
        return { entries: older.slice(-limit), more, requests: [], approvals: [] };
      }
      case 'list_agents':
        return this.agents;
      case 'list_own_sessions':
        return { sessions: [], problem: null };
      case 'read_agent_version':
        return { version: this.versions[known.agent ?? ''] ?? null, fit: this.fits[known.agent ?? ''] ?? null };
      case 'read_sign_in':
        return { signedIn: this.signIns[(input as Input<'read_sign_in'>).agent] ?? null };
      case 'read_environment':
        return this.environment;
      case 'read_settings':
        return this.settings;
      case 'change_setting': {
        const { change } = input as Input<'change_setting'>;
        return this.set(changed(this.settings.settings, change)).settings;
      }
      case 'read_update':
      case 'check_for_update':
      case 'install_update':
      case 'cancel_update':
      case 'set_update_aside':
        return this.update;
      case 'list_programs':
        return this.programs;
      case 'read_drafts':
        return { drafts: this.drafts };
      case 'save_draft': {
        const { draft } = input as Input<'save_draft'>;
        this.drafts = [draft, ...this.drafts.filter(({ id }) => id !== draft.id)];
        return {};
      }
      case 'read_notification_log':
        return { entries: [] };
      case 'read_clients':
        return { port: 41414, clients: this.clients };
      case 'confirm_client':
        return { confirmation: 'confirmed' };
      case 'recover_database':
        return { sessions: 1, complete: true };
      case 'read_client_versions':
        return { versions: [] };
      case 'list_changes':
        return {
          files: [],
          totals: { files: 0, added: 0, removed: 0, state: 0 },
          unlisted: 0,
          unreadable: 0,
          unrecorded: [],
          repositoryOfOther: null,
        };
      case 'read_permissions':
        return { standing: [], unreadable: [] };
      case 'plan_worktree':
        throw anError({ code: 'worktree_unavailable', detail: { detail: 'no_worktree', why: { unavailable: 'no_repository' } } });
      case 'read_worktree':
        return aTree();
      case 'read_helper_output':
        return { output: 'gone' };
      case 'list_commands':
        return { commands: [] };
      case 'find_files':
        return { paths: [], isCut: false, isReading: false };
      case 'read_log':
        return { lines: [] };
      case 'read_past_sessions':
        return { sessions: this.snapshot.sessions.filter(({ state }) => state.state === 'ended') };
      case 'search_history':
        return { hits: [], more: false };
      case 'search_questions':
        return { questions: [], more: false, count: 0, answered: 0, unreadable: 0, medianMillis: null };
      case 'count_questions':
        return totalsOf();
      case 'read_session_usage':
        return { sum: aUsage(), context: null };
      case 'count_usage':
        return { days: (input as Input<'count_usage'>).days.slice(1).map(() => aUsage()) };
      case 'answer_question':
      case 'decline_question':
      case 'cancel_question':
      case 'retry_delivery':
      case 'dismiss_request':
        return this.request(known.id ?? '');
      case 'rename_session': {
        const session = this.snapshot.sessions.find((one) => one.id === known.session);
        return { ...session, name: (input as Input<'rename_session'>).name };
      }
      default:
        return {};
    }
  }

  request(id: string): Request {
    const found = this.snapshot.requests.find((request) => request.id === id);
    if (!found) throw anError({ code: 'not_found' });
    return found;
  }

  async subscribe(receive: (frames: Frame[]) => void): Promise<() => Promise<void>> {
    this.subscriptions += 1;
    this.#receive = receive;
    receive([{ frame: 'snapshot', ...this.snapshot }]);
    return async () => {
      if (this.#receive === receive) this.#receive = null;
    };
  }

  /** Simulates a click on a notification or an opened address. Resolves once the page has handled it. */
  openDeepLink(id: string): Promise<void> {
    this.target = id;
    this.#notifyDeepLink();
    return settle();
  }

  async onDeepLink(listener: () => void): Promise<() => void> {
    this.#notifyDeepLink = listener;
    return () => (this.#notifyDeepLink = () => undefined);
  }

  async deepLink(): Promise<string | null> {
    return this.target;
  }

  async deepLinkShown(id: string): Promise<void> {
    if (this.target === id) this.target = null;
  }

  close(ask: number): void {
    this.asked = ask;
    this.#notifyClosing();
  }

  async onClosing(listener: () => void): Promise<() => void> {
    this.#notifyClosing = listener;
    return () => (this.#notifyClosing = () => undefined);
  }

  async closing(): Promise<number | null> {
    return this.asked;
  }

  async readyToClose(ask: number, handover: unknown): Promise<void> {
    // Serialized, as it would be over IPC.
    this.handovers.push({ ask, handover: JSON.parse(JSON.stringify(handover)) as Handover });
    if (this.asked === ask) this.asked = null;
  }

  async deepLinkAnswered(id: string): Promise<void> {
    this.answeredAway.push(id);
  }

  /** Why other programs can't ask. */
  gateway: string | null = null;
  /** How often the page has tried to open the gateway. */
  gatewayRetries = 0;
  #notifyGateway: () => void = () => undefined;

  /** Simulates that the gateway opens or can't open. */
  changeGateway(failure: string | null): Promise<void> {
    this.gateway = failure;
    this.#notifyGateway();
    return settle();
  }

  /** What the page does after an edit of the settings file. */
  settingsEdited = () => undefined as void;

  async onSettingsEdited(listener: () => void): Promise<() => void> {
    this.settingsEdited = listener;
    return () => undefined;
  }

  async onGateway(listener: () => void): Promise<() => void> {
    this.#notifyGateway = listener;
    return () => (this.#notifyGateway = () => undefined);
  }

  async gatewayFailure(): Promise<string | null> {
    return this.gateway;
  }

  /** What the app knows about updates. */
  update: UpdateRead = anUpdate();
  #notifyUpdate: () => void = () => undefined;

  /** Simulates that something about updates changes. */
  changeUpdate(update: Partial<UpdateRead>): Promise<void> {
    this.update = { ...this.update, ...update };
    this.#notifyUpdate();
    return settle();
  }

  async onUpdate(listener: () => void): Promise<() => void> {
    this.#notifyUpdate = listener;
    return () => (this.#notifyUpdate = () => undefined);
  }

  async retryGateway(): Promise<void> {
    this.gatewayRetries += 1;
  }

  /** Whether the process of the page before has died. */
  pageCrashed = false;

  async takePageCrash(): Promise<boolean> {
    const crashed = this.pageCrashed;
    this.pageCrashed = false;
    return crashed;
  }

  async pageFailed(why: string): Promise<void> {
    throw new Error(why);
  }

  async openLink(url: string): Promise<void> {
    this.opened.push(url);
  }

  async openGuide(): Promise<void> {
    this.guides += 1;
  }

  async quit(): Promise<void> {
    this.quits += 1;
  }

  async pickFolder(): Promise<string | null> {
    return this.folder;
  }

  async pickAttachments(): Promise<AttachedFiles> {
    return this.files;
  }

  async attachDropped(): Promise<AttachedFiles> {
    this.drops += 1;
    return this.files;
  }

  async attachPasted(): Promise<AttachedFiles> {
    this.pastes += 1;
    return this.clipboard;
  }

  async onFiles(listener: (drag: FileDrag) => void): Promise<() => void> {
    this.dragFiles = listener;
    return () => (this.dragFiles = () => undefined);
  }

  imageSource(session: string, image: string): string {
    return `kept-image://localhost/${session}.${image}`;
  }

  /** Pushes changes as the next delta, and applies them to the next snapshot. Resolves once the page has handled them. */
  push(...changes: Change[]): Promise<void> {
    const { epoch, seq } = this.snapshot;
    this.snapshot = changes.reduce(keep, { ...this.snapshot, seq: seq + 1 });
    this.#receive?.([{ frame: 'delta', epoch, prev: seq, seq: seq + 1, changes }]);
    return settle();
  }
}

/** Waits until replies have arrived and the page has handled them. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
}

function keep(snapshot: Snapshot, change: Change): Snapshot {
  switch (change.change) {
    case 'storage':
      return { ...snapshot, storage: change.notices };
    case 'outage':
      return { ...snapshot, outage: change.outage };
    case 'session':
      return { ...snapshot, sessions: put(snapshot.sessions, change.session) };
    case 'request':
      return { ...snapshot, requests: put(snapshot.requests, change.request) };
    case 'approval':
      return { ...snapshot, approvals: put(snapshot.approvals, change.approval) };
    case 'end_held': {
      const others = snapshot.held.filter(({ request }) => request !== change.held.request);
      return { ...snapshot, held: [...others, change.held] };
    }
    case 'hold_released':
      return { ...snapshot, held: snapshot.held.filter(({ request }) => request !== change.request) };
    case 'entry':
      return snapshot;
    case 'context': {
      const others = snapshot.contexts.filter(({ session }) => session !== change.changed.session);
      return { ...snapshot, contexts: [...others, change.changed] };
    }
    case 'live_text':
      return { ...snapshot, live: [...snapshot.live, change.added] };
    case 'live_cleared':
      return { ...snapshot, live: snapshot.live.filter((text) => text.session !== change.session) };
    case 'retry': {
      const { session, retry } = change;
      const others = snapshot.retries.filter((other) => other.session !== session);
      return { ...snapshot, retries: retry === null ? others : [...others, { session, retry }] };
    }
    case 'files_changed': {
      const others = snapshot.changedFiles.filter(({ session }) => session !== change.session);
      return { ...snapshot, changedFiles: [...others, { session: change.session, totals: change.totals }] };
    }
    case 'checked_out': {
      const others = snapshot.heads.filter(({ session }) => session !== change.session);
      return { ...snapshot, heads: change.head ? [...others, { session: change.session, head: change.head }] : others };
    }
    case 'session_closed':
    case 'session_deleted':
      return {
        ...snapshot,
        sessions: snapshot.sessions.filter((session) => session.id !== change.session),
        requests: snapshot.requests.filter((request) => request.session !== change.session),
        approvals: snapshot.approvals.filter((approval) => approval.session !== change.session),
        live: snapshot.live.filter((text) => text.session !== change.session),
      };
  }
}

function changed(settings: Settings, change: Setting): Settings {
  switch (change.setting) {
    case 'setup_command': {
      const { repository, command } = change.value;
      return { ...settings, setupCommands: { ...settings.setupCommands, [repository]: command } };
    }
    case 'agent_arguments':
    case 'agent_environment': {
      const { agent, ...to } = change.value;
      const before = settings.launchOverrides[agent] ?? { arguments: [], environment: {} };
      return { ...settings, launchOverrides: { ...settings.launchOverrides, [agent]: { ...before, ...to } } };
    }
    default:
      return { ...settings, [camel(change.setting)]: change.value };
  }
}

/** Converts a setting's name to its camelCase field. */
function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function put<T extends { id: string }>(values: readonly T[], value: T): T[] {
  const index = values.findIndex((other) => other.id === value.id);
  return index < 0 ? [...values, value] : values.with(index, value);
}

export function anError(changes: Partial<CommandError> = {}): CommandError {
  return { code: 'storage', message: 'The disk says no.', retryable: true, traceId: 't-1', field: null, ended: null, ...changes };
}
