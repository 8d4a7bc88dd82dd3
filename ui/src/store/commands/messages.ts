import type { Attachment, MessageId, SessionId } from '../../generated/wire';
import { attachedOf } from '../attachments';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

/** Messages to agents, sent immediately or queued. */
export class MessageCommands {
  constructor(private readonly store: Store, private readonly submitter: Submitter) {}

  send(session: SessionId): Promise<void> {
    return this.#submitWritten(session, 'send_message');
  }

  /** Queues the unsent message until the agent's turn ends. */
  queue(session: SessionId): Promise<void> {
    return this.#submitWritten(session, 'queue_message');
  }

  async #submitWritten(session: SessionId, command: 'send_message' | 'queue_message'): Promise<void> {
    const message = this.#written(session);
    if (!message) return;
    const body = { session, ...message };
    const done = await this.submitter.submit(submitKey.message(session), command, body);
    if (done) this.store.dispatch({ type: 'message_sent', ...body });
  }

  #written(session: SessionId): { text: string; attachments: Attachment[] } | null {
    const { state } = this.store;
    const text = state.messages[session] ?? '';
    const attachments = [...attachedOf(state, session)];
    return text.trim() === '' && attachments.length === 0 ? null : { text, attachments };
  }

  /** Returns whether the app accepted the new text. */
  async editQueued(session: SessionId, id: MessageId, text: string): Promise<boolean> {
    const body = { session, id, text };
    return (await this.submitter.submit(submitKey.queued(id), 'edit_queued', body)) !== null;
  }

  async removeQueued(session: SessionId, id: MessageId): Promise<void> {
    await this.submitter.submit(submitKey.queued(id), 'remove_queued', { session, id });
  }

  /** Sends a queued message immediately, even during a turn. */
  async sendQueued(session: SessionId, id: MessageId): Promise<void> {
    await this.submitter.submit(submitKey.queued(id), 'send_queued', { session, id });
  }
}
