import { type Bridge, type CommandName, type Input, orError } from '../platform/bridge';
import { FocusTargets } from '../shared/focusTargets';
import { ApprovalCommands } from './commands/approvals';
import { AttachmentCommands } from './commands/attachments';
import { ChangesCommands } from './commands/changes';
import { HistoryCommands } from './commands/history';
import { MessageCommands } from './commands/messages';
import { NavigationCommands } from './commands/navigation';
import { OpenInCommands } from './commands/openIn';
import { PastQuestionCommands } from './commands/pastQuestions';
import { PermissionCommands } from './commands/permissions';
import { QuestionCommands } from './commands/questions';
import { SessionCommands } from './commands/sessions';
import { SettingsCommands } from './commands/settings';
import { StartCommands } from './commands/start';
import { TranscriptCommands } from './commands/transcripts';
import { WindowCommands } from './commands/window';
import { WorktreeCommands } from './commands/worktrees';
import { readOpenIn, storeOpenIn } from './openIn';
import { selectedSession } from './select';
import { readSideFolded, storeSideFolded } from './parts/layout';
import { readSidebar, storeSidebar } from './sidebar';
import { initialState } from './state';
import { Store } from './store.svelte';
import { Submitter } from './submit';
import { Arrivals } from './sync/arrivals';
import { DeepLinks } from './sync/deepLinks';
import { DraftSaves } from './sync/draftSaves';
import { GatewayState } from './sync/gateway';
import { resumeFrom, type Handover } from './sync/handover';
import { followLanguage } from './sync/language';
import { LeftPlace } from './sync/leftPlace';
import { Preparation } from './sync/preparation';
import { Subscription } from './sync/subscription';
import { readComments, storeComments } from './sync/unsentComments';
import { readUnsent, storeUnsent } from './sync/unsentMessages';
import { UpdateState } from './sync/updates';
import { UsageReads } from './sync/usage';
import { WindowClosing } from './sync/windowClosing';
import { Timers } from './timers';

/** How long a card shows "Delivered" before it disappears. */
const DELIVERED_MS = 2000;
/** How long typing must pause before unsent messages are stored. */
const STORE_UNSENT_MS = 250;

/** What the user can do: `call`, `submit`, and `send` pass a command on, and the rest does more, grouped by topic. */
export type Commands = ReturnType<typeof createPage>['commands'];
export type Page = ReturnType<typeof createPage>;

/** The page without its components: its state, its commands, and the parts that sync it with the app. */
export function createPage(bridge: Bridge) {
  const left = new LeftPlace();
  const remembered = left.session;
  const initial = initialState({
    remembered,
    ...readUnsent(),
    ...readComments(),
    sidebar: readSidebar(),
    sideFolded: readSideFolded(),
    openIn: readOpenIn(),
  });
  const store = new Store(resumeFrom(initial, bridge.handover as Handover | null));
  const focusTargets = new FocusTargets();
  const timers = new Timers();
  const submitter = new Submitter(bridge, store, timers);
  const drafts = new DraftSaves(bridge, store, submitter);
  const subscription = new Subscription(bridge, store, timers);
  const arrivals = new Arrivals(store);
  const deepLinks = new DeepLinks(bridge, store, drafts.tried);
  const history = new HistoryCommands(bridge, store);
  const approvals = new ApprovalCommands(store, submitter);
  const settings = new SettingsCommands(bridge, store);
  const gateway = new GatewayState(bridge, store);
  const updates = new UpdateState(bridge, store);
  const worktrees = new WorktreeCommands(bridge, store, submitter, timers);
  const commands = {
    dispatch: store.dispatch,
    /** Calls a command for a component that shows the answer or the error itself. */
    call: <C extends CommandName>(command: C, input: Input<C>) => orError(() => bridge.call(command, input)),
    submit: submitter.submit,
    send: submitter.send,
    approvals,
    attachments: new AttachmentCommands(bridge, store),
    changes: new ChangesCommands(bridge, store, submitter),
    gateway,
    history,
    messages: new MessageCommands(store, submitter, timers),
    navigation: new NavigationCommands(store, history, focusTargets),
    openIn: new OpenInCommands(bridge, store, submitter),
    pastQuestions: new PastQuestionCommands(bridge, store),
    questions: new QuestionCommands(store, submitter),
    sessions: new SessionCommands(bridge, store, submitter, focusTargets),
    permissions: new PermissionCommands(store, settings, approvals),
    settings,
    start: new StartCommands(bridge, store, submitter, focusTargets, worktrees),
    updates,
    transcripts: new TranscriptCommands(bridge, store, timers, left),
    window: new WindowCommands(bridge, store),
    worktrees,
  };
  function storeNow() {
    storeUnsent(store.state);
    storeComments(store.state);
  }

  const closing = new WindowClosing(bridge, store, {
    get isBusy() {
      return submitter.isBusy || commands.questions.isBusy || commands.messages.isBusy || drafts.isBusy || commands.attachments.isBusy;
    },
    saveAll() {
      storeNow();
      drafts.saveNow();
    },
  });

  let cancelStoring: () => void = () => undefined;
  store.onChange((before, after) => {
    if (after.delivered !== before.delivered && after.delivered.length > 0) {
      const requests = after.delivered;
      timers.later(DELIVERED_MS, () => store.dispatch({ type: 'delivery_shown', requests }));
    }
    const selected = selectedSession(after);
    if (selected !== selectedSession(before) && selected) left.select(selected);
    if (after.sidebar !== before.sidebar) storeSidebar(after);
    if (after.sideFolded !== before.sideFolded) storeSideFolded(after);
    if (after.openIn.recent !== before.openIn.recent) storeOpenIn(after);
    const unsent = ['messages', 'attached', 'comments', 'viewed', 'diffForm'] as const;
    if (unsent.some((field) => after[field] !== before[field])) {
      cancelStoring();
      cancelStoring = timers.later(STORE_UNSENT_MS, storeNow);
    }
  });
  store.onChange(commands.changes.react);
  new UsageReads(bridge, store, timers);
  store.onChange(commands.questions.react);
  store.onChange(arrivals.react);
  store.onChange(followLanguage(bridge, store));
  store.onChange(commands.window.noteView);
  store.onChange(commands.transcripts.react);

  let close: (() => void) | null = null;

  /** Starts the page unless it is started already; returns a function that stops it. */
  function open(): () => void {
    close ??= start();
    return close;
  }

  function start(): () => void {
    const { noteView } = commands.window;
    const closed = new AbortController();
    const { signal } = closed;
    window.addEventListener('focus', noteView, { signal });
    window.addEventListener('blur', noteView, { signal });
    window.addEventListener('pagehide', storeNow, { signal });
    const edits = bridge.onSettingsEdited(() => void commands.settings.read());
    edits.catch((thrown: unknown) => store.report(thrown));
    const closers = [subscription.open(), drafts.open(), closing.open(), gateway.open(), updates.open()];
    void subscription.begun.then((start) => {
      if (start) drafts.take(start.drafts.drafts);
      else void drafts.readAll();
      // What the system did not apply takes longer to find out.
      void commands.settings.read();
    });
    void commands.window.readPageCrash();
    return () => {
      close = null;
      closers.forEach((close) => close());
      void edits.then((stop) => stop()).catch(() => undefined);
      closed.abort();
      storeNow();
      timers.cancelAll();
      arrivals.stop();
    };
  }

  const { finish: prepare } = new Preparation(store, timers, commands.start, drafts.tried);

  return { store, commands, focusTargets, deepLinks, open, prepare };
}
