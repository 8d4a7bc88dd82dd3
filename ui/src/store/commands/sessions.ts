import type { ConfigId, HelperId, Session, SessionId, SessionNotifications, ValueId } from '../../generated/wire';
import type { Bridge, Input } from '../../platform/bridge';
import type { FocusTargets } from '../../shared/focusTargets';
import { closeLoss, endLoss, sessionOf } from '../select';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

export class SessionCommands {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
    private readonly focusTargets: FocusTargets,
  ) {}

  /** Asks the agent to stop its turn. */
  async interrupt(session: SessionId): Promise<void> {
    this.store.dispatch({ type: 'stop_asked', session, at: Date.now() });
    const done = await this.submitter.submitReported(submitKey.interrupt(session), 'interrupt_session', { session });
    if (!done) this.store.dispatch({ type: 'stop_failed', session });
  }

  /** Asks the agent to stop one of its helpers, and nothing else. */
  async stopHelper(session: SessionId, helper: HelperId): Promise<void> {
    await this.submitter.submit(submitKey.helper(session, helper), 'stop_helper', { session, helper });
  }

  /** Ends a session at the user's request, wherever they made it: a busy one only after they confirm it. */
  async end(session: SessionId): Promise<void> {
    if (!this.#confirms(session, 'end', endLoss)) await this.stop(session);
  }

  /** Closes a session at the user's request; one that would lose something only after they confirm it. */
  async close(session: SessionId): Promise<void> {
    if (!this.#confirms(session, 'close', closeLoss)) await this.closeNow(session);
  }

  #confirms(id: SessionId, action: 'end' | 'close', lossOf: typeof endLoss): boolean {
    const { state, dispatch } = this.store;
    const session = sessionOf(state, id);
    const asks = session !== null && lossOf(state, session) !== null;
    if (asks) dispatch({ type: 'overlay_opened', overlay: { overlay: 'ending', session: id, action } });
    return asks;
  }

  /** Ends the agent's process without asking. */
  async stop(session: SessionId): Promise<void> {
    await this.submitter.submitReported(submitKey.stop(session), 'stop_session', { session });
  }

  /** Ends a session's agent and resumes it, so that it starts with what it reads at its start. */
  async restart(session: SessionId): Promise<void> {
    if (await this.submitter.submitReported(submitKey.stop(session), 'stop_session', { session })) {
      await this.resume(session);
    }
  }

  /** Resumes an ended session. With `endInBackground`, the agent's own process that holds it is ended first. */
  async resume(session: SessionId, endInBackground = false): Promise<void> {
    await this.submitter.submitReported(submitKey.resume(session), 'resume_session', { session, endInBackground });
  }

  /** Opens a session that begins with a copy of this one's conversation. */
  async fork(session: SessionId): Promise<void> {
    await this.#fork({ session, before: null, putBack: null }, '');
  }

  /**
   * Opens a session that begins with the conversation before a message, which is written again there. With the state in which
   * the changed files were listed, they are put back to how they were before the message.
   */
  async forkBefore(session: SessionId, entry: number, text: string, putBack: number | null): Promise<void> {
    await this.#fork({ session, before: entry, putBack }, text);
  }

  async #fork(body: Omit<Input<'fork_session'>, 'requestId'>, text: string): Promise<void> {
    const session = await this.submitter.submitReported(submitKey.fork(body.session), 'fork_session', body);
    if (!session) return;
    this.store.dispatch({ type: 'session_started', session, opens: true });
    if (text !== '') this.store.dispatch({ type: 'message_written', session: session.id, text });
    this.focusTargets.noteWrote();
  }

  /** Lets the user choose where the folder of an ended session is now, and resumes the session there. */
  async chooseFolder({ id: session, folder: old }: Session): Promise<void> {
    let folder: string | null;
    try {
      folder = await this.bridge.pickFolder(parentOf(old));
    } catch (thrown) {
      this.store.report(thrown);
      return;
    }
    if (folder === null) return;
    if (await this.submitter.submitReported(submitKey.folder(session), 'change_folder', { session, folder })) {
      await this.resume(session);
    }
  }

  /** Asks an idle agent to make its context smaller. */
  async compact(session: SessionId): Promise<void> {
    await this.submitter.submitReported(submitKey.compact(session), 'compact_session', { session });
  }

  /** Closes a session without asking. */
  async closeNow(session: SessionId): Promise<void> {
    await this.submitter.submitReported(submitKey.close(session), 'close_session', { session });
  }

  /** Permanently deletes a session that has ended. */
  async delete(session: SessionId): Promise<void> {
    await this.submitter.submitReported(submitKey.delete(session), 'delete_session', { session });
  }

  /** Moves a session before another one, or to the end. */
  async move(session: SessionId, before: SessionId | null): Promise<void> {
    await this.submitter.submitReported(submitKey.move(session), 'move_session', { session, before });
  }

  /** Returns whether the app accepted the name. */
  async rename(session: SessionId, name: string): Promise<boolean> {
    const renamed = await this.submitter.submit(submitKey.rename(session), 'rename_session', { session, name });
    if (renamed) this.store.dispatch({ type: 'session_renamed', session, name: renamed.name });
    return renamed !== null;
  }

  /** Clears the error of a rejected name. */
  giveUpRename(session: SessionId): void {
    this.store.dispatch({ type: 'submit_done', key: submitKey.rename(session) });
  }

  /** Changes a session's notification settings. */
  async setAttention(session: SessionId, attention: SessionNotifications): Promise<void> {
    await this.submitter.submitReported(submitKey.attention(session), 'set_session_notifications', { session, attention });
  }

  /** Returns whether the app accepted the value. */
  async setConfig(session: SessionId, option: ConfigId, value: ValueId): Promise<boolean> {
    const body = { session, option, value };
    return (await this.submitter.submitReported(submitKey.config(session, option), 'set_config', body)) !== null;
  }
}

/** The folder that a folder is in. */
const parentOf = (folder: string) => folder.replace(/[\\/]+[^\\/]*[\\/]*$/, '') || '/';
