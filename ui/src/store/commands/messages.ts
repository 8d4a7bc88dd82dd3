import type { Attachment, RequestId, SessionId } from '../../generated/wire';
import { attachedOf } from '../attachments';
import type { HeldReply } from '../parts/unsent';
import { actOfHeld, closableRequests, type MessageAct, messageAct } from '../messageAct';
import { messageOfTurn } from '../retry';
import { sessionOf, transcriptOf } from '../select';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';
import type { Timers } from '../timers';

/** The undo window until the settings are read, in seconds. */
const UNDO_SECONDS = 3;

/** Messages to agents, sent immediately, held for their undo window, or queued. */
export class MessageCommands {
  constructor(
    private readonly store: Store,
    private readonly submitter: Submitter,
    private readonly timers: Timers,
  ) {}

  /** Whether a reply in chat is held. */
  get isBusy(): boolean {
    return Object.keys(this.store.state.replies).length > 0;
  }

  /** Does what the composer says. A reply in chat is held first, and doing it again sends it. */
  async enter(id: SessionId): Promise<void> {
    const { state } = this.store;
    const session = sessionOf(state, id);
    if (!session) return;
    const held = state.replies[id];
    if (held) return this.#sendHeld(id, held);
    const act = messageAct(state, session);
    if (act.does === 'reply') this.holdReply(id, act.closes);
    else await this.#carryOut(id, act);
  }

  /** Sends the message into the turn that runs, whatever else it could do; open questions stay open. */
  async steer(id: SessionId): Promise<void> {
    const session = sessionOf(this.store.state, id);
    if (session?.state.state === 'working') await this.#carryOut(id, { does: 'send' });
  }

  /** Replies in chat after a delay in which the user can undo it. */
  holdReply(session: SessionId, closes: readonly RequestId[]): void {
    if (!this.#written(session) || this.submitter.isSending(submitKey.message(session))) return;
    const since = Date.now();
    const seconds = this.store.state.settings?.settings.undoSeconds ?? UNDO_SECONDS;
    const reply = { closes, since, until: since + seconds * 1000 };
    this.store.dispatch({ type: 'reply_held', session, reply });
    this.timers.later(seconds * 1000, () => {
      if (this.store.state.replies[session] === reply) void this.#sendHeld(session, reply);
    });
  }

  /** Takes back a held reply; its text stays. */
  undoReply(session: SessionId): void {
    this.store.dispatch({ type: 'reply_released', session });
  }

  async #sendHeld(id: SessionId, reply: HeldReply): Promise<void> {
    const { state } = this.store;
    const session = sessionOf(state, id);
    this.undoReply(id);
    // The user meant a running agent, so the text stays instead of resuming the session.
    if (!session || session.state.state === 'ended') return;
    const open = closableRequests(state, id).map((request) => request.id);
    await this.#carryOut(id, actOfHeld(reply, open, session.state.state === 'working'));
  }

  async #carryOut(session: SessionId, act: MessageAct): Promise<void> {
    const message = this.#written(session);
    if (!message) return;
    const body = { session, ...message };
    const key = submitKey.message(session);
    const done =
      act.does === 'queue'
        ? await this.submitter.submit('queue_message', body, key)
        : await this.submitter.submit('send_message', { ...body, closes: act.does === 'reply' ? [...act.closes] : [] }, key);
    if (!done) return;
    this.store.dispatch({ type: 'message_sent', ...body });
    // What waits in the queue isn't in the transcript yet.
    if (act.does !== 'queue') this.store.dispatch({ type: 'end_asked', session });
  }

  /** Sends the message of a failed turn again, as a new turn; open questions stay open. */
  async sendAgain(session: SessionId, ended: number): Promise<void> {
    const message = messageOfTurn(transcriptOf(this.store.state, session).entries, ended);
    if (!message) return;
    const body = { session, ...message, closes: [] };
    const done = await this.submitter.submit('send_message', body, submitKey.turnAgain(session, ended));
    if (done) this.store.dispatch({ type: 'end_asked', session });
  }

  #written(session: SessionId): { text: string; attachments: Attachment[] } | null {
    const { state } = this.store;
    const text = state.messages[session] ?? '';
    const attachments = [...attachedOf(state, session)];
    return text.trim() === '' && attachments.length === 0 ? null : { text, attachments };
  }
}
