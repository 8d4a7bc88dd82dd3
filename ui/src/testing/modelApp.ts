import { isMissed } from '../entities/request/requestStatus';
import type {
  Approval,
  Change,
  Delivery,
  Entry,
  EntryBody,
  OrphanedWhy,
  Outcome,
  Request,
  Session,
  SessionId,
  EndInput,
  HeldEnd,
  WithdrawnWhy,
} from '../generated/wire';
import type { CommandName, Input, Output } from '../platform/bridge';
import { draftFate, isBlank } from '../store/draftStorage';
import { anEntry, ended, withdrawn } from './builders';
import { anError, FakeBridge } from './fakeBridge';

/** How a command travels: the delay in each direction, and what fails. */
export interface Luck {
  millis: number;
  fails: 'no' | 'refused' | 'reply_lost';
}

/** A small model of the app behind the bridge: it ends requests, holds answers, and stores drafts like the real one. */
export class ModelApp extends FakeBridge {
  /** Called with every command at the moment the window sends it. */
  onCommand: (command: CommandName, input: unknown) => void = () => undefined;
  /** Called when an answer can no longer be undone and is sent. */
  onUndoableSent: (answer: HeldEnd) => void = () => undefined;
  /** Returns the fate of the next command. */
  luck: () => Luck = () => ({ millis: 0, fails: 'no' });
  readonly said: Record<SessionId, string[]> = {};
  /** The number of changing commands that have returned to the window. */
  settled = 0;
  /** The number of commands in progress that undo or change the answer of a request. */
  readonly undoing = new Map<string, number>();
  readonly #outputs = new Map<string, unknown>();
  readonly #orders = new Map<string, number>();
  readonly #past = new Map<string, Request>();

  constructor(sessions: Session[]) {
    super({ sessions });
    this.on('answer_question', ({ id, answers }) => this.#endNow(id, { end: 'answered', answers }));
    this.on('decline_question', ({ id, words }) => this.#endNow(id, { end: 'declined', words }));
    this.on('cancel_question', ({ id }) => this.#endNow(id, { end: 'canceled' }));
    this.on('dismiss_request', ({ id }) => this.#dismiss(id));
    this.on('retry_delivery', ({ id }) => this.#deliver(id, { delivery: 'pending' }));
    this.on('hold_end', ({ id, end }) => this.#hold(id, end));
    this.on('undo_end', ({ id }) => this.#takeBack(id));
    this.on('decide_approval', ({ id, decision }) => {
      if (this.approval(id).state.state !== 'open') throw alreadyEnded();
      this.#dropDraft(id);
      return this.#endApproval(id, { state: 'decided', decision, at: Date.now(), error: null });
    });
    this.on('send_message', ({ session, text, closes }) => {
      this.#say(session, text);
      for (const { id } of this.open(session)) if (closes.includes(id)) this.#end(id, { outcome: 'replied_in_chat', text });
      return {};
    });
    this.on('queue_message', ({ session, text }) => {
      this.#say(session, text);
      return this.session(session);
    });
    this.on('interrupt_session', ({ session }) => {
      for (const { id } of this.open(session)) this.withdraw(id, { why: 'interrupted' });
      this.#change(session, { state: { state: 'idle' } });
      return {};
    });
    this.on('stop_session', ({ session }) => {
      this.endSession(session, 'session_stopped');
      return {};
    });
    this.on('resume_session', ({ session }) => this.resume(session));
    this.on('save_draft', ({ page, n, draft }) => {
      const request = this.known(draft.id);
      const approval = this.snapshot.approvals.find(({ id }) => id === draft.id);
      if (request ? draftFate(request) === 'goes' : approval?.state.state === 'decided') throw alreadyEnded();
      const earlier = this.#orders.get(`${page} ${draft.id}`) ?? 0;
      if (n < earlier) return {};
      this.#orders.set(`${page} ${draft.id}`, n);
      this.#dropDraft(draft.id);
      if (!isBlank(draft)) this.drafts = [draft, ...this.drafts];
      return {};
    });
    this.on('read_transcript', ({ session }) => ({
      entries: this.entries[session] ?? [],
      more: false,
      requests: [...this.#past.values()].filter((request) => request.session === session),
      approvals: [],
    }));
  }

  override async call<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    this.onCommand(command, input);
    // Only commands that change something have an id of their own, and can be repeated.
    const { id, requestId } = input as { id?: string; requestId?: string };
    if (requestId === undefined) {
      if (command === 'save_draft' && this.luck().fails === 'refused') throw anError();
      return super.call(command, input);
    }
    const { fails, millis } = this.luck();
    const undone = command === 'hold_end' || command === 'undo_end' ? (id ?? null) : null;
    this.#countUndoing(undone, 1);
    try {
      if (millis > 0) await pause(millis);
      if (fails === 'refused') throw anError();
      if (!this.#outputs.has(requestId)) this.#outputs.set(requestId, await super.call(command, input));
      if (fails === 'reply_lost') throw new Error('The reply was lost.');
      if (millis > 0) await pause(millis);
      return this.#outputs.get(requestId) as Output<C>;
    } finally {
      this.#countUndoing(undone, -1);
      this.settled += 1;
    }
  }

  #countUndoing(id: string | null, by: 1 | -1): void {
    if (id !== null) this.undoing.set(id, (this.undoing.get(id) ?? 0) + by);
  }

  /** A request, including one that only transcript pages still contain. */
  known(id: string): Request | null {
    return this.snapshot.requests.find((request) => request.id === id) ?? this.#past.get(id) ?? null;
  }

  session(id: SessionId): Session {
    return this.snapshot.sessions.find((session) => session.id === id)!;
  }

  open(session: SessionId): Request[] {
    return this.snapshot.requests.filter((one) => one.session === session && one.state.state === 'open');
  }

  isRunning(session: SessionId): boolean {
    return this.session(session).state.state !== 'ended';
  }

  ask(request: Request): void {
    this.push({ change: 'request', request }, this.#entry(request.session, { kind: 'request', request: request.id }));
  }

  askPermission(approval: Approval): void {
    this.push({ change: 'approval', approval }, this.#entry(approval.session, { kind: 'approval', approval: approval.id }));
  }

  withdraw(id: string, why: WithdrawnWhy): void {
    this.#end(id, withdrawn(why), null);
  }

  expire(id: string): void {
    this.#end(id, { outcome: 'expired' });
  }

  withdrawApproval(id: string): void {
    this.#endApproval(id, { state: 'withdrawn', at: Date.now() });
  }

  #endApproval(id: string, state: Approval['state']): Approval {
    const approval = { ...this.approval(id), state };
    this.push({ change: 'approval', approval });
    return approval;
  }

  /** Advances the oldest pending delivery. */
  deliverNext(worked: boolean): void {
    const next = this.snapshot.requests.find((request) => deliveryOf(request)?.delivery === 'pending');
    if (next)
      this.#deliver(
        next.id,
        worked ? { delivery: 'delivered', at: Date.now() } : { delivery: 'failed', error: { undelivered: 'input_closed' } },
      );
  }

  endSession(session: SessionId, why: OrphanedWhy): void {
    for (const { id } of this.open(session)) this.#end(id, { outcome: 'orphaned', why }, null);
    for (const { id, ...rest } of this.snapshot.approvals) {
      if (rest.session === session && rest.state.state === 'open') this.withdrawApproval(id);
    }
    for (const request of this.snapshot.requests) {
      const how = deliveryOf(request)?.delivery;
      if (request.session === session && isByUser(request) && (how === 'pending' || how === 'failed'))
        this.#deliver(request.id, { delivery: 'parked' });
    }
    this.#change(session, { state: { state: 'ended', end: { end: 'app_quit' }, at: Date.now() }, resumable: true });
  }

  /** Drops finished requests from the snapshot and leaves them to transcript pages, as for a newly opened window. */
  archiveEnded(): void {
    const isOver = (request: Request) =>
      request.state.state === 'ended' && !isMissed(request) && (deliveryOf(request)?.delivery ?? 'delivered') === 'delivered';
    for (const request of this.snapshot.requests.filter(isOver)) this.#past.set(request.id, request);
    this.snapshot = { ...this.snapshot, requests: this.snapshot.requests.filter((one) => !isOver(one)) };
  }

  /** Loses a delta, so that the window has to resubscribe. */
  gap(): void {
    this.snapshot = { ...this.snapshot, seq: this.snapshot.seq + 1 };
    this.push();
  }

  resume(session: SessionId): Session {
    if (!this.isRunning(session)) this.#change(session, { state: { state: 'working' }, resumable: false });
    for (const request of this.snapshot.requests) {
      const parked = request.session === session && deliveryOf(request)?.delivery === 'parked';
      if (parked) this.#deliver(request.id, { delivery: 'pending' });
    }
    return this.session(session);
  }

  #dismiss(id: string): Request {
    const request = this.request(id);
    const given = request.state.state === 'ended' && !isMissed(request) ? request.state.outcome : canceled;
    return this.#end(id, given, null);
  }

  /** Ends a request as the user wants. */
  #endNow(id: string, end: EndInput): Request {
    const request = this.request(id);
    if (request.state.state === 'ended' && !isMissed(request)) throw alreadyEnded();
    return this.#end(id, outcomeOf(end), { delivery: this.isRunning(request.session) ? 'pending' : 'parked' });
  }

  #hold(id: string, end: EndInput): Record<string, never> {
    if (this.request(id).state.state !== 'open') throw alreadyEnded();
    const now = Date.now();
    const held: HeldEnd = { request: id, end, since: now, until: now + 3000, error: null };
    this.push({ change: 'end_held', held });
    setTimeout(() => {
      if (!this.snapshot.held.includes(held)) return;
      if (this.luck().fails === 'refused') {
        this.push({ change: 'end_held', held: { ...held, error: { undelivered: 'not_kept', trouble: 'full', path: '/desk.db' } } });
        return;
      }
      this.onUndoableSent(held);
      this.#endNow(id, end);
    }, held.until - now);
    return {};
  }

  #takeBack(id: string): Record<string, never> {
    if (this.request(id).state.state !== 'open') throw alreadyEnded();
    this.push(...this.#releaseHold(id));
    return {};
  }

  #releaseHold(id: string): Change[] {
    return this.snapshot.held.some(({ request }) => request === id) ? [{ change: 'hold_released', request: id }] : [];
  }

  #end(id: string, outcome: Outcome, delivery: Delivery | null = { delivery: 'pending' }): Request {
    const request: Request = { ...this.request(id), state: ended(outcome, delivery, Date.now()) };
    if (draftFate(request) === 'goes') this.#dropDraft(id);
    this.push({ change: 'request', request }, ...this.#releaseHold(id));
    return request;
  }

  #deliver(id: string, delivery: Delivery): Request {
    const before = this.request(id);
    const request: Request = { ...before, state: { ...(before.state as ReturnType<typeof ended>), delivery } };
    this.push({ change: 'request', request });
    return request;
  }

  #change(id: SessionId, to: Partial<Session>): void {
    this.push({ change: 'session', session: { ...this.session(id), ...to } });
  }

  #say(session: SessionId, text: string): void {
    (this.said[session] ??= []).push(text);
    this.#change(session, { state: { state: 'working' }, resumable: false });
    this.push(this.#entry(session, { kind: 'user', text, attachments: [] }));
  }

  /** Appends an entry to a session's transcript. */
  write(session: SessionId, body: EntryBody): void {
    this.push(this.#entry(session, body));
  }

  #entry(session: SessionId, body: EntryBody): Change {
    const before: readonly Entry[] = this.entries[session] ?? [];
    const entry = anEntry(before.length + 1, body);
    this.entries[session] = [...before, entry];
    return { change: 'entry', session, entry };
  }

  #dropDraft(id: string): void {
    this.drafts = this.drafts.filter((draft) => draft.id !== id);
  }
}

const canceled = withdrawn({ why: 'canceled', reason: null });

function outcomeOf(end: EndInput): Outcome {
  switch (end.end) {
    case 'answered':
      return { outcome: 'answered', answers: end.answers.map((answer) => ({ ...answer, secretGiven: false })) };
    case 'declined':
      return { outcome: 'declined', words: end.words };
    case 'canceled':
      return canceled;
  }
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

function alreadyEnded() {
  return anError({ code: 'already_ended', retryable: false, ended: { by: 'user', at: Date.now() } });
}

function deliveryOf({ state }: Request): Delivery | null {
  return state.state === 'ended' ? state.delivery : null;
}

function isByUser({ state }: Request): boolean {
  return state.state === 'ended' && (state.outcome.outcome === 'answered' || state.outcome.outcome === 'declined');
}
