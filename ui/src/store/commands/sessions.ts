import type { Session, SessionId } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import type { FocusTargets } from '../../shared/focusTargets';
import { closeLoss, endLoss, sessionOf } from '../select';
import type { Store } from '../store.svelte';
import type { Submitter } from '../submit';

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
    const done = await this.submitter.send('interrupt_session', { session });
    if (!done) this.store.dispatch({ type: 'stop_failed', session });
  }

  /** Ends a session at the user's request, wherever they made it: a busy one only after they confirm it. */
  async end(session: SessionId): Promise<void> {
    if (!this.#confirms(session, 'end', endLoss)) await this.submitter.send('stop_session', { session });
  }

  /** Closes a session at the user's request; one that would lose something only after they confirm it. */
  async close(session: SessionId): Promise<void> {
    if (!this.#confirms(session, 'close', closeLoss)) await this.submitter.send('close_session', { session });
  }

  #confirms(id: SessionId, action: 'end' | 'close', lossOf: typeof endLoss): boolean {
    const { state, dispatch } = this.store;
    const session = sessionOf(state, id);
    const asks = session !== null && lossOf(state, session) !== null;
    if (asks) dispatch({ type: 'overlay_opened', overlay: { overlay: 'ending', session: id, action } });
    return asks;
  }

  /** Ends a session's agent and resumes it, so that it starts with what it reads at its start. */
  async restart(session: SessionId): Promise<void> {
    if (await this.submitter.send('stop_session', { session })) await this.#resume(session);
  }

  async #resume(session: SessionId): Promise<void> {
    await this.submitter.send('resume_session', { session, endInBackground: false });
  }

  /**
   * Opens a session that begins with a copy of this one's conversation; given a message, with what was before it, and the message is
   * written again there. With the state in which the changed files were listed, they are put back to how they were before the message.
   */
  async fork(id: SessionId, before: number | null = null, text = '', putBack: number | null = null): Promise<void> {
    const session = await this.submitter.send('fork_session', { session: id, before, putBack });
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
    if (await this.submitter.send('change_folder', { session, folder })) {
      await this.#resume(session);
    }
  }

  /** Returns whether the app accepted the name. */
  async rename(session: SessionId, name: string): Promise<boolean> {
    const renamed = await this.submitter.submit('rename_session', { session, name });
    if (renamed) this.store.dispatch({ type: 'session_renamed', session, name: renamed.name });
    return renamed !== null;
  }
}

/** The folder that a folder is in. */
const parentOf = (folder: string) => folder.replace(/[\\/]+[^\\/]*[\\/]*$/, '') || '/';
