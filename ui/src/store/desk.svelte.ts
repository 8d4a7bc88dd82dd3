import { tick, untrack } from 'svelte';

import type {
  ApprovalDecision,
  Approval,
  Attachment,
  ConfigId,
  MessageId,
  Request,
  RequestId,
  SessionNotifications,
  SessionId,
  SessionLog,
  SessionOptions,
  Setting,
  SettingsRead,
  TellingsRead,
  ValueId,
} from '../generated/wire';
import {
  asDeskError,
  type Bridge,
  type CommandName,
  type DeskError,
  type Input,
  type Output,
} from '../platform/bridge';
import { t } from '../shared/messages';
import { languageOf, spoken } from '../shared/messages/language.svelte';
import { demoOf, playing } from './agents';
import { Attaching, attachedOf } from './attachments';
import { OtherPrograms } from './clients';
import { toInputs } from './drafts';
import { DraftSaves } from './draftSaves';
import { firstOf, lastOf } from './entries';
import { overtaken } from './held';
import { keepLanguage } from './language';
import { Leaving } from './leaving';
import { goOnFrom, type Left } from './left';
import { Past } from './past';
import { PastQuestions } from './pastQuestions';
import type { Direction } from './place';
import { reduce, type Action } from './reducer';
import { draftOf, selectedSession, sessionInView, submitOf, transcriptOf } from './select';
import { emptyStartDraft, initialState, type State } from './state';
import { keepUnsent, readUnsent } from './unsent';
import { Wanted } from './wanted';
import { isOverfull } from './window';

/** Entries read at once. */
const PAGE = 200;
/** How long "Delivered" stands before its card goes. */
const DELIVERED_MS = 2000;
/** How long a command may take before the window says that it is being sent: less would only flicker. */
const SENDING_SHOWN_MS = 60;
/** How long typing must pause before unsent messages are written down. */
const KEEP_UNSENT_MS = 250;
/** How long to wait before subscribing again after a failure. */
const RESUBSCRIBE_MS = 1000;
const SELECTED_KEY = 'askdesk.selected';

/** What a session is started with where nobody says otherwise. */
export const usualOptions: SessionOptions = {
  config: {},
  questions: 'always',
  program: null,
  extras: { arguments: [], environment: {} },
};

/** What a person fills in to start a session. */
export type StartChoice = Omit<Input<'start_session'>, 'requestId'>;

/** Names the submit of one thing, so that two never share a state. */
export const submitKey = {
  request: (id: RequestId) => id,
  held: (id: RequestId) => `held:${id}`,
  approval: (id: string) => id,
  message: (session: SessionId) => `message:${session}`,
  queued: (message: MessageId) => `queued:${message}`,
  interrupt: (session: SessionId) => `interrupt:${session}`,
  stop: (session: SessionId) => `stop:${session}`,
  delete: (session: SessionId) => `delete:${session}`,
  config: (session: SessionId, option: ConfigId) => `config:${session}:${option}`,
  rename: (session: SessionId) => `rename:${session}`,
  attention: (session: SessionId) => `attention:${session}`,
  move: (session: SessionId) => `move:${session}`,
  close: (session: SessionId) => `close:${session}`,
  resume: (session: SessionId) => `resume:${session}`,
  start: 'start',
  demo: 'demo',
  test: 'test',
} as const;

/** Holds the state, carries actions to the reducer and their effects to the bridge. */
export class Desk {
  state: State = $state.raw(initialState(sessionStorage.getItem(SELECTED_KEY), readUnsent()));
  /** The state as it is drawn beside the panel: a question that comes is painted a frame before anything else moves. */
  beside: State = $state.raw(this.state);
  readonly past: Past;
  readonly pastQuestions: PastQuestions;
  readonly otherPrograms: OtherPrograms;
  readonly attaching: Attaching;
  readonly wanted: Wanted;
  readonly #leaving: Leaving;
  readonly #bridge: Bridge;
  readonly #drafts: DraftSaves;
  /** Frames of an older subscription are not listened to. */
  #subscription = 0;
  #unsubscribe: (() => Promise<void>) | null = null;
  #viewed = '';
  readonly #painted = new Set<string>();
  #besideWaits = false;
  /** The keys of the commands on their way. */
  readonly #sending = new Set<string>();
  /** What is being held and taken back of a request, one after another. */
  readonly #turns = new Map<RequestId, Promise<void>>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #forgetKeeping: (() => void) | null = null;
  #forgetTrim: (() => void) | null = null;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    this.state = goOnFrom(this.state, bridge.left as Left | null);
    this.beside = this.state;
    this.past = new Past(bridge, this);
    this.pastQuestions = new PastQuestions(bridge, this);
    this.otherPrograms = new OtherPrograms(bridge);
    this.attaching = new Attaching(bridge, this);
    this.wanted = new Wanted(bridge, this);
    this.#drafts = new DraftSaves(bridge, this);
    this.#leaving = new Leaving(bridge, this);
  }

  /** Whether something is on its way to the app, or is still to go there. */
  get isBusy(): boolean {
    return this.#sending.size > 0 || this.#turns.size > 0 || this.#drafts.isBusy || this.attaching.isBusy;
  }

  /** Writes down at once all that was begun. */
  keepAll(): void {
    keepUnsent(this.state);
    this.#drafts.saveNow();
  }

  /** Whether the end of a request or an approval is on its way. */
  isSending(id: string): boolean {
    return this.#sending.has(id);
  }

  /** Over once it was tried to read what is kept of drafts. */
  get draftsRead(): Promise<void> {
    return this.#drafts.tried;
  }

  /** Subscribes and reports what the window shows; gives the way to stop. */
  open(): () => void {
    const view = () => this.#noteView();
    window.addEventListener('focus', view);
    window.addEventListener('blur', view);
    const keep = () => keepUnsent(this.state);
    window.addEventListener('pagehide', keep);
    void this.#subscribe();
    const closeDrafts = this.#drafts.open();
    const stay = this.#leaving.open();
    void this.readSettings();
    view();
    return () => {
      closeDrafts();
      stay();
      window.removeEventListener('focus', view);
      window.removeEventListener('blur', view);
      window.removeEventListener('pagehide', keep);
      keep();
      this.#timers.forEach(clearTimeout);
      this.#subscription += 1;
      void this.#unsubscribe?.().catch(() => undefined);
    };
  }

  /** Says that the person has answered what they were led to, and did nothing else since. */
  async answeredThere(request: RequestId): Promise<void> {
    // Where the app hears nothing of it, the focus stays here.
    await this.#bridge.answeredThere(request).catch(() => undefined);
  }

  /** Goes to the place before this one, or back from there. */
  async step(direction: Direction): Promise<void> {
    this.dispatch({ type: 'stepped', direction, at: Date.now() });
    await this.past.resume();
  }

  /** Reads what is set; gives the error if that failed. */
  readSettings(): Promise<DeskError | null> {
    return this.#settings(() => this.#bridge.call('read_settings', {}));
  }

  /** Changes one setting; gives the error if that failed. */
  changeSetting(change: Setting): Promise<DeskError | null> {
    return this.#settings(() => this.#bridge.call('change_setting', { change }));
  }

  async #settings(read: () => Promise<SettingsRead>): Promise<DeskError | null> {
    try {
      this.dispatch({ type: 'settings_read', settings: await read() });
      return null;
    } catch (thrown) {
      return asDeskError(thrown);
    }
  }

  dispatch(action: Action): void {
    // An effect that acts must not run again because of what its action changed.
    const before = untrack(() => this.state);
    this.state = reduce(before, action);
    untrack(() => {
      this.#drawBeside(before, action);
      this.#carryOut(before, this.state);
    });
  }

  /** Only what an agent sent may wait, and no longer than a frame: what the person does shows everywhere at once. */
  #drawBeside(before: State, { type }: Action): void {
    const sent = type === 'frames_received';
    if (sent && this.#besideWaits) return;
    const asked = before.link.generation > 0 && this.state.announced !== before.announced;
    this.#besideWaits = sent && asked && !document.hidden;
    if (!this.#besideWaits) this.beside = this.state;
    else requestAnimationFrame(() => requestAnimationFrame(() => this.#catchUp()));
  }

  #catchUp(): void {
    this.#besideWaits = false;
    this.beside = this.state;
  }

  #carryOut(before: State, after: State): void {
    this.#drafts.note(before, after);
    if (after.link.status === 'stale' && before.link.status !== 'stale') void this.#subscribe();
    if (after.link.generation !== before.link.generation) void this.wanted.look();
    if (after.delivered !== before.delivered && after.delivered.length > 0) {
      const requests = after.delivered;
      this.#later(DELIVERED_MS, () => this.dispatch({ type: 'delivery_shown', requests }));
    }
    const selected = selectedSession(after);
    if (selected !== selectedSession(before) && selected) sessionStorage.setItem(SELECTED_KEY, selected);
    if (after.messages !== before.messages || after.attached !== before.attached) {
      this.#forgetKeeping?.();
      this.#forgetKeeping = this.#later(KEEP_UNSENT_MS, () => keepUnsent(this.state));
    }
    if (after.held !== before.held || after.drafts !== before.drafts) this.#takeBackOvertaken();
    const language = after.settings?.settings.language;
    if (language && language !== before.settings?.settings.language) {
      keepLanguage(language);
      spoken.speak(languageOf(language, this.#bridge.language.system)).catch((thrown: unknown) => this.fail(thrown));
    }
    this.#noteView();
    if (!selected) return;
    const shown = transcriptOf(after, selected);
    if (shown.status === 'unread') void this.#readPage(selected, null);
    // Who reads further up keeps the place; what comes is not held beyond the bound.
    if (shown.atEnd && isOverfull(shown)) {
      this.#forgetTrim?.();
      this.#forgetTrim = this.#later(0, () => void this.#trim(selected, 'start'));
    }
  }

  #later(millis: number, act: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, millis);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  async #subscribe(): Promise<void> {
    this.#subscription += 1;
    const mine = this.#subscription;
    const previous = this.#unsubscribe;
    this.#unsubscribe = null;
    void previous?.().catch(() => undefined);
    try {
      const unsubscribe = await this.#bridge.subscribe((frames) => {
        if (mine === this.#subscription) this.dispatch({ type: 'frames_received', frames });
      });
      if (mine === this.#subscription) this.#unsubscribe = unsubscribe;
      else void unsubscribe().catch(() => undefined);
    } catch (thrown) {
      if (mine !== this.#subscription) return;
      this.fail(thrown);
      this.#later(RESUBSCRIBE_MS, () => void this.#subscribe());
    }
  }

  /** Says an error at the top of the window, once. */
  fail(thrown: unknown): void {
    const error = asDeskError(thrown);
    const same = this.state.failures.find(
      (failure) => failure.error.code === error.code && failure.error.message === error.message,
    );
    if (!same) this.dispatch({ type: 'failed', error });
  }

  /** Tells the app which session is in view; what nobody can look at counts as none. */
  #noteView(): void {
    const session = sessionInView(this.state)?.id ?? null;
    const view = { session, focused: document.hasFocus() };
    const said = JSON.stringify(view);
    if (said === this.#viewed) return;
    this.#viewed = said;
    void this.#bridge.call('note_view', view).catch(() => undefined);
  }

  /** Says once that something stands on the screen: in the first task after the frame that drew it. */
  notePainted(request: RequestId | null): void {
    const key = request ?? '';
    if (this.#painted.has(key)) return;
    this.#painted.add(key);
    // The first task after the frame; a message channel goes by way of another process and comes frames later.
    requestAnimationFrame(() =>
      setTimeout(() => {
        const at = Math.round(performance.timeOrigin + performance.now());
        void this.#bridge.call('note_painted', { request, at }).catch(() => undefined);
      }),
    );
  }

  async #readPage(session: SessionId, before: number | null): Promise<void> {
    const asked = { session, before, generation: this.state.link.generation };
    this.dispatch({ type: 'page_asked', asked });
    try {
      const page = await this.#bridge.call('read_transcript', { session, before, limit: PAGE });
      this.dispatch({ type: 'page_read', asked, page });
    } catch (thrown) {
      this.dispatch({ type: 'page_failed', asked, error: asDeskError(thrown) });
    }
  }

  /** Reads the entries behind those that are held, and leaves out the first ones where there are too many. */
  async readLater(session: SessionId): Promise<void> {
    const { status, later, entries } = transcriptOf(this.state, session);
    const last = lastOf(entries);
    if (status === 'reading' || !later || !last) return;
    await this.#readPage(session, last.n + PAGE + 1);
    await this.#trim(session, 'start');
  }

  /** In a step of its own: the list moves either for what was added or for what was left out. */
  async #trim(session: SessionId, from: 'start' | 'end'): Promise<void> {
    await tick();
    if (isOverfull(transcriptOf(this.state, session))) {
      this.dispatch({ type: 'transcript_trimmed', session, from });
    }
  }

  /** Reads the newest entries again. */
  readNewest(session: SessionId): Promise<void> {
    return this.#readPage(session, null);
  }

  /** Reads the entries before those that are known. */
  async readEarlier(session: SessionId): Promise<void> {
    const transcript = transcriptOf(this.state, session);
    if (transcript.status === 'reading') return;
    await this.#readPage(session, firstOf(transcript.entries)?.n ?? null);
    await this.#trim(session, 'end');
  }

  /**
   * Sends one command under a key. While it is on its way the same key sends nothing; the same
   * content after an error goes out under the same command id, so it is never done twice.
   */
  async #submit<C extends CommandName>(
    key: string,
    command: C,
    body: Omit<Input<C>, 'requestId'>,
  ): Promise<Output<C> | null> {
    if (this.#sending.has(key)) return null;
    const earlier = this.state.submits[key];
    const payload = JSON.stringify([command, body]);
    const id = earlier?.payload === payload ? earlier.command : crypto.randomUUID();
    const sent = { key, command: id, payload };
    this.#sending.add(key);
    const hide = this.#later(SENDING_SHOWN_MS, () =>
      this.dispatch({ type: 'submit_started', ...sent }),
    );
    try {
      const input = { requestId: id, ...body } as unknown as Input<C>;
      const output = await this.#bridge.call(command, input);
      this.dispatch({ type: 'submit_done', key });
      return output;
    } catch (thrown) {
      this.dispatch({ type: 'submit_failed', ...sent, error: asDeskError(thrown) });
      return null;
    } finally {
      hide();
      this.#sending.delete(key);
      this.#drafts.sent();
    }
  }

  async #end(sent: Promise<Request | null>): Promise<boolean> {
    const request = await sent;
    if (request?.state.state === 'ended') this.dispatch({ type: 'request_ended', request });
    return request !== null;
  }

  answer(request: Request): Promise<boolean> {
    const answers = toInputs(request, draftOf(this.state, request.id));
    const { id } = request;
    return this.#end(this.#submit(submitKey.request(id), 'answer_question', { id, answers }));
  }

  /** Answers a lone question after a moment in which that can be taken back. */
  holdAnswer(request: Request): void {
    const { id } = request;
    const answers = toInputs(request, draftOf(this.state, id));
    const hold = () => this.#submit(submitKey.held(id), 'hold_answer', { id, answers });
    this.#inTurn(id, hold, () => this.#takeBackOvertaken());
  }

  /** Takes back an answer that has not gone yet. */
  takeBack({ id }: Request): void {
    this.#inTurn(id, () => this.#submitAloud(submitKey.held(id), 'take_back_answer', { id }));
  }

  #takeBackOvertaken(): void {
    // Where the next one is on its way already, it takes the place of the one before.
    for (const request of overtaken(this.state)) if (!this.#turns.has(request.id)) this.takeBack(request);
  }

  #inTurn(id: RequestId, act: () => Promise<unknown>, afterwards?: () => void): void {
    const mine = (this.#turns.get(id) ?? Promise.resolve()).then(async () => {
      await act();
      if (this.#turns.get(id) !== mine) return;
      this.#turns.delete(id);
      afterwards?.();
    });
    this.#turns.set(id, mine);
  }

  decline({ id }: Request): Promise<boolean> {
    const words = orNone(draftOf(this.state, id).words);
    return this.#end(this.#submit(submitKey.request(id), 'decline_question', { id, words }));
  }

  cancel({ id }: Request): Promise<boolean> {
    const body = { id, reason: null };
    return this.#end(this.#submit(submitKey.request(id), 'cancel_question', body));
  }

  /** Gives up a request that was missed, or an end that waits for an agent. */
  dismiss({ id }: Request): Promise<boolean> {
    return this.#end(this.#submit(submitKey.request(id), 'dismiss_request', { id }));
  }

  retryDelivery({ id }: Request): Promise<boolean> {
    return this.#end(this.#submit(submitKey.request(id), 'retry_delivery', { id }));
  }

  async decide({ id }: Approval, decision: ApprovalDecision): Promise<boolean> {
    const body = { id, decision };
    const approval = await this.#submit(submitKey.approval(id), 'decide_approval', body);
    if (approval) this.dispatch({ type: 'approval_decided', approval });
    return approval !== null;
  }

  async startSession(choice: StartChoice): Promise<boolean> {
    const started = await this.#start(submitKey.start, choice);
    if (started) this.dispatch({ type: 'start_drafted', change: emptyStartDraft });
    // What the settings add now is shown before it is used.
    const error = submitOf(this.state, submitKey.start)?.error;
    if (error?.code === 'extras_changed') await this.listAgents();
    return started;
  }

  /** Starts the example every newcomer sees. */
  async startDemo(): Promise<void> {
    const demo = demoOf(this.state);
    if (!demo) return;
    const options = { ...usualOptions, config: playing('demo') };
    await this.#start(submitKey.demo, {
      agent: demo.id,
      folder: null,
      prompt: t('start.demo_prompt'),
      name: null,
      options,
    });
  }

  /** Has a question asked in a session of its own, which stays out of view; says whether it will be. */
  async startTest(): Promise<boolean> {
    const demo = demoOf(this.state);
    if (!demo) return false;
    const words = [t('test.question'), t('test.by_notification'), t('test.by_looking'), t('test.thanks')];
    const choice = { agent: demo.id, folder: null, prompt: words.join('\n'), name: t('test.name') };
    const options = { ...usualOptions, config: playing('reach') };
    return (await this.#submit(submitKey.test, 'start_session', { ...choice, options })) !== null;
  }

  async #start(key: string, choice: StartChoice): Promise<boolean> {
    const session = await this.#submit(key, 'start_session', choice);
    if (session) this.dispatch({ type: 'session_started', session });
    return session !== null;
  }

  async sendMessage(session: SessionId): Promise<void> {
    const message = this.#written(session);
    if (!message) return;
    const body = { session, ...message };
    const done = await this.#submit(submitKey.message(session), 'send_message', body);
    if (done) this.dispatch({ type: 'message_sent', ...body });
  }

  /** Keeps what is written until the agent's turn ends. */
  async queueMessage(session: SessionId): Promise<void> {
    const message = this.#written(session);
    if (!message) return;
    const body = { session, ...message };
    const after = await this.#submit(submitKey.message(session), 'queue_message', body);
    if (after) this.dispatch({ type: 'message_sent', ...body });
  }

  /** What stands in a session's composer; none where it says nothing. */
  #written(session: SessionId): { text: string; attachments: Attachment[] } | null {
    const text = this.state.messages[session] ?? '';
    const attachments = [...attachedOf(this.state, session)];
    return text.trim() === '' && attachments.length === 0 ? null : { text, attachments };
  }

  /** Changes a message that waits; says whether that was taken. */
  async editQueued(session: SessionId, id: MessageId, text: string): Promise<boolean> {
    const body = { session, id, text };
    return (await this.#submit(submitKey.queued(id), 'edit_queued', body)) !== null;
  }

  async removeQueued(session: SessionId, id: MessageId): Promise<void> {
    await this.#submit(submitKey.queued(id), 'remove_queued', { session, id });
  }

  /** Sends a message that waits now, into a running turn too. */
  async sendQueued(session: SessionId, id: MessageId): Promise<void> {
    await this.#submit(submitKey.queued(id), 'send_queued', { session, id });
  }

  async interrupt(session: SessionId): Promise<void> {
    this.dispatch({ type: 'stop_asked', session, at: Date.now() });
    const done = await this.#submitAloud(submitKey.interrupt(session), 'interrupt_session', { session });
    if (!done) this.dispatch({ type: 'stop_failed', session });
  }

  /** Asks for another value of a config option; says whether it was taken. */
  setConfig(session: SessionId, option: ConfigId, value: ValueId): Promise<boolean> {
    return this.#submitAloud(submitKey.config(session, option), 'set_config', { session, option, value });
  }

  async resume(session: SessionId): Promise<void> {
    await this.#submitAloud(submitKey.resume(session), 'resume_session', { session });
  }

  async close(session: SessionId): Promise<void> {
    await this.#submitAloud(submitKey.close(session), 'close_session', { session });
  }

  /** Puts a session before another one, or at the end. */
  async move(session: SessionId, before: SessionId | null): Promise<void> {
    await this.#submitAloud(submitKey.move(session), 'move_session', { session, before });
  }

  /** Gives a session another name; says whether it was taken. */
  async rename(session: SessionId, name: string): Promise<boolean> {
    const renamed = await this.#submit(submitKey.rename(session), 'rename_session', { session, name });
    if (renamed) this.dispatch({ type: 'session_renamed', session, name: renamed.name });
    return renamed !== null;
  }

  /** Says how the person is told of a session. */
  async setAttention(session: SessionId, attention: SessionNotifications): Promise<void> {
    await this.#submitAloud(submitKey.attention(session), 'set_attention', { session, attention });
  }

  /** Forgets the error of a command that the person gives up. */
  giveUp(key: string): void {
    this.dispatch({ type: 'submit_done', key });
  }

  async stop(session: SessionId): Promise<void> {
    await this.#submitAloud(submitKey.stop(session), 'stop_session', { session });
  }

  /** Deletes a session that is over, for good. */
  async deleteSession(session: SessionId): Promise<void> {
    await this.#submitAloud(submitKey.delete(session), 'delete_session', { session });
  }

  /** Sends a command that has no card of its own: its error goes to the top of the window. */
  async #submitAloud<C extends CommandName>(
    key: string,
    command: C,
    body: Omit<Input<C>, 'requestId'>,
  ): Promise<boolean> {
    const done = await this.#submit(key, command, body);
    const submit = this.state.submits[key];
    if (done) return true;
    if (submit?.phase === 'failed' && submit.error) {
      this.fail(submit.error);
      this.dispatch({ type: 'submit_done', key });
    }
    return false;
  }

  /** Opens a link the person has agreed to. */
  async openLink(url: string): Promise<void> {
    try {
      await this.#bridge.openLink(url);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Lets the person choose a folder; none where they choose none. */
  async pickFolder(start: string): Promise<string | null> {
    try {
      return await this.#bridge.pickFolder(start);
    } catch (thrown) {
      this.fail(thrown);
      return null;
    }
  }

  async listAgents(): Promise<void> {
    try {
      this.dispatch({ type: 'agents_listed', agents: await this.#bridge.call('list_agents', {}) });
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Reads what was decided last about telling the person. */
  async readTellings(): Promise<TellingsRead | DeskError> {
    try {
      return await this.#bridge.call('read_tellings', {});
    } catch (thrown) {
      return asDeskError(thrown);
    }
  }

  async readLog(session: SessionId): Promise<SessionLog | DeskError> {
    try {
      return await this.#bridge.call('read_log', { session });
    } catch (thrown) {
      return asDeskError(thrown);
    }
  }
}

function orNone(text: string): string | null {
  return text.trim() === '' ? null : text;
}
