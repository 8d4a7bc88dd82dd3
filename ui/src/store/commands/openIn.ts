import type { Program, SessionId } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';
import { editorOf } from '../openIn';
import { sessionOf } from '../select';
import type { Store } from '../store.svelte';
import type { Submitter } from '../submit';

/** Opens folders and files in other programs, and sessions in a terminal. */
export class OpenInCommands {
  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {}

  /** Looks for the installed programs again. */
  async find(): Promise<void> {
    try {
      this.store.dispatch({ type: 'programs_found', found: await this.bridge.call('list_programs', {}) });
    } catch {
      // The menu then offers what was found before.
    }
  }

  folder(session: SessionId, program: Program): Promise<void> {
    return this.#open(session, program, null, null);
  }

  /** Opens a file that a session names, at a line from 1, in the editor. */
  async file(session: SessionId, path: string, line: number | null): Promise<void> {
    const editor = editorOf(this.store.state);
    if (editor !== null) await this.#open(session, editor, path, line);
  }

  async #open(session: SessionId, program: Program, path: string | null, line: number | null): Promise<void> {
    const opened = await this.submitter.send('open_in', { session, program, path, line });
    if (opened) this.store.dispatch({ type: 'opened_in', program });
  }

  /** Continues a session in a terminal: a running one only after the user confirms that it ends here. */
  async continue(id: SessionId): Promise<void> {
    const session = sessionOf(this.store.state, id);
    if (!session) return;
    if (session.state.state === 'ended') await this.submitter.send('continue_in_terminal', { session: id, endRunning: false });
    else this.store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'ending', session: id, action: 'continue' } });
  }
}
