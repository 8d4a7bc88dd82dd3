import type { Attachment, MessageId, SessionId } from '../../generated/wire';
import { attachedOf } from '../attachments';
import { openRequests } from '../select';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

interface Written {
  session: SessionId;
  text: string;
  attachments: Attachment[];
}

/** Messages to agents, sent immediately or queued. */
export class MessageCommands {
  constructor(private readonly store: Store, private readonly submitter: Submitter) {}

  /** Sends the unsent message, which closes the open questions of the agent itself. */
  send(session: SessionId): Promise<void> {
    const open = openRequests(this.store.state, session).filter(({ helper }) => helper === undefined);
    const closes = open.map(({ id }) => id);
    return this.#submitWritten(session, (key, body) =>
      this.submitter.submit(key, 'send_message', { ...body, closes }),
    );
  }

  /** Queues the unsent message until the agent's turn ends. */
  queue(session: SessionId): Promise<void> {
    return this.#submitWritten(session, (key, body) => this.submitter.submit(key, 'queue_message', body));
  }

  async #submitWritten(session: SessionId, submit: (key: string, body: Written) => Promise<unknown>): Promise<void> {
    const message = this.#written(session);
    if (!message) return;
    const body = { session, ...message };
    const done = await submit(submitKey.message(session), body);
    if (done) this.store.dispatch({ type: 'message_sent', ...body });
  }

  #written(session: SessionId): Omit<Written, 'session'> | null {
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
