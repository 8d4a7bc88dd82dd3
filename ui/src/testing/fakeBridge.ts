import type {
  AgentId,
  AgentsFound,
  Approval,
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
import { of } from './agents';
import { answered, aSession, aSnapshot, anUpdate, aTree, aUsage, delivered, totalsOf } from './builders';

export interface Call {
  command: CommandName;
  input: unknown;
}

/** The replies that are always the same; what isn't listed has no content. */
const plain: Partial<{ [C in CommandName]: Output<C> }> = {
  list_own_sessions: { sessions: [], problem: null },
  read_notification_log: { entries: [] },
  confirm_client: { confirmation: 'confirmed' },
  recover_database: { sessions: 1, complete: true },
  read_client_versions: { versions: [] },
  list_changes: {
    files: [],
    totals: { files: 0, added: 0, removed: 0, state: 0 },
    unlisted: 0,
    unreadable: 0,
    unrecorded: [],
    repositoryOfOther: null,
  },
  read_permissions: { standing: [], unreadable: [] },
  read_worktree: aTree(),
  read_helper_output: { output: 'gone' },
  list_commands: { commands: [] },
  find_files: { paths: [], isCut: false, isReading: false },
  read_log: { lines: [] },
  search_history: { hits: [], more: false },
  search_questions: { questions: [], more: false, count: 0, answered: 0, unreadable: 0, medianMillis: null },
  count_questions: totalsOf(),
  read_session_usage: { sum: aUsage(), context: null },
};

type Reply<C extends CommandName> = (input: Input<C>) => Output<C> | Promise<Output<C>>;

/** What the page listens for. */
type Happening = 'deep link' | 'closing' | 'gateway' | 'settings' | 'update';

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
  /** The deep link targets that the user answered without doing anything else. */
  readonly answeredAway: string[] = [];
  #receive: ((frames: Frame[]) => void) | null = null;
  readonly #listeners = new Map<Happening, () => void>();
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

  /** What else the app has before the page reads it. */
  with(has: Partial<Pick<FakeBridge, 'agents' | 'clients' | 'clipboard' | 'drafts' | 'entries' | 'files' | 'target' | 'versions'>>): this {
    return Object.assign(this, has);
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
      case 'read_clients':
        return { port: 41414, clients: this.clients };
      case 'plan_worktree':
        throw anError({ code: 'worktree_unavailable', detail: { detail: 'no_worktree', why: { unavailable: 'no_repository' } } });
      case 'read_past_sessions':
        return { sessions: this.snapshot.sessions.filter(({ state }) => state.state === 'ended') };
      case 'count_usage':
        return { days: (input as Input<'count_usage'>).days.slice(1).map(() => aUsage()) };
      case 'answer_question': {
        const { id, answers } = input as Input<'answer_question'>;
        return answered(this.request(id), answers, delivered, Date.now());
      }
      case 'decide_approval': {
        const { id, decision } = input as Input<'decide_approval'>;
        return { ...this.approval(id), state: { state: 'decided', decision, at: Date.now(), error: null } };
      }
      case 'start_session': {
        const agent = this.snapshot.agents.find((one) => one.id === known.agent);
        return aSession({ ...(agent && of(agent)), id: 's9' });
      }
      case 'queue_message':
        return this.snapshot.sessions.find((one) => one.id === known.session);
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
        return plain[command] ?? {};
    }
  }

  request(id: string): Request {
    return withId(this.snapshot.requests, id);
  }

  approval(id: string): Approval {
    return withId(this.snapshot.approvals, id);
  }

  async subscribe(receive: (frames: Frame[]) => void): Promise<() => Promise<void>> {
    this.subscriptions += 1;
    this.#receive = receive;
    receive([{ frame: 'snapshot', ...this.snapshot }]);
    return async () => {
      if (this.#receive === receive) this.#receive = null;
    };
  }

  async #listen(to: Happening, listener: () => void): Promise<() => void> {
    this.#listeners.set(to, listener);
    return () => void this.#listeners.delete(to);
  }

  /** Resolves once the page has handled it. */
  #tell(what: Happening): Promise<void> {
    this.#listeners.get(what)?.();
    return settle();
  }

  /** Simulates a click on a notification or an opened address. */
  openDeepLink(id: string): Promise<void> {
    this.target = id;
    return this.#tell('deep link');
  }

  onDeepLink(listener: () => void): Promise<() => void> {
    return this.#listen('deep link', listener);
  }

  async deepLink(): Promise<string | null> {
    return this.target;
  }

  async deepLinkShown(id: string): Promise<void> {
    if (this.target === id) this.target = null;
  }

  close(ask: number): void {
    this.asked = ask;
    void this.#tell('closing');
  }

  onClosing(listener: () => void): Promise<() => void> {
    return this.#listen('closing', listener);
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

  /** Simulates that the gateway opens or can't open. */
  changeGateway(failure: string | null): Promise<void> {
    this.gateway = failure;
    return this.#tell('gateway');
  }

  /** Simulates an edit of the settings file by hand. */
  settingsEdited(): Promise<void> {
    return this.#tell('settings');
  }

  onSettingsEdited(listener: () => void): Promise<() => void> {
    return this.#listen('settings', listener);
  }

  onGateway(listener: () => void): Promise<() => void> {
    return this.#listen('gateway', listener);
  }

  async gatewayFailure(): Promise<string | null> {
    return this.gateway;
  }

  /** What the app knows about updates. */
  update: UpdateRead = anUpdate();

  /** Simulates that something about updates changes. */
  changeUpdate(update: Partial<UpdateRead>): Promise<void> {
    this.update = { ...this.update, ...update };
    return this.#tell('update');
  }

  onUpdate(listener: () => void): Promise<() => void> {
    return this.#listen('update', listener);
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

  async quit(): Promise<void> {}

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
    case 'end_held':
      return { ...snapshot, held: [...snapshot.held.filter(({ request }) => request !== change.held.request), change.held] };
    case 'hold_released':
      return { ...snapshot, held: snapshot.held.filter(({ request }) => request !== change.request) };
    case 'entry':
      return snapshot;
    case 'finished': {
      const { session, turn } = change;
      return { ...snapshot, finished: [...without(snapshot.finished, change), ...(turn ? [{ session, turn }] : [])] };
    }
    case 'context':
      return { ...snapshot, contexts: [...without(snapshot.contexts, change.changed), change.changed] };
    case 'live_text':
      return { ...snapshot, live: [...snapshot.live, change.added] };
    case 'live_cleared':
      return { ...snapshot, live: without(snapshot.live, change) };
    case 'retry': {
      const { session, retry } = change;
      return { ...snapshot, retries: [...without(snapshot.retries, change), ...(retry ? [{ session, retry }] : [])] };
    }
    case 'files_changed': {
      const { session, totals } = change;
      return { ...snapshot, changedFiles: [...without(snapshot.changedFiles, change), { session, totals }] };
    }
    case 'checked_out': {
      const { session, head } = change;
      return { ...snapshot, heads: [...without(snapshot.heads, change), ...(head ? [{ session, head }] : [])] };
    }
    case 'session_closed':
    case 'session_deleted':
      return {
        ...snapshot,
        sessions: snapshot.sessions.filter((session) => session.id !== change.session),
        requests: without(snapshot.requests, change),
        approvals: without(snapshot.approvals, change),
        live: without(snapshot.live, change),
      };
  }
}

/** What belongs to other sessions. */
function without<T extends { session: SessionId }>(values: readonly T[], { session }: { session: SessionId }): T[] {
  return values.filter((value) => value.session !== session);
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

function withId<T extends { id: string }>(values: readonly T[], id: string): T {
  const found = values.find((one) => one.id === id);
  if (!found) throw anError({ code: 'not_found' });
  return found;
}

export function anError(changes: Partial<CommandError> = {}): CommandError {
  return { code: 'storage', message: 'The disk says no.', retryable: true, traceId: 't-1', field: null, ended: null, ...changes };
}
