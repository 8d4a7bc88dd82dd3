import type { ChangedFile, SessionId, ShownPart } from '../../generated/wire';
import { asAppError, type Bridge } from '../../platform/bridge';
import type { LineComment } from '../parts/changes';
import { addedComments, changesOf, commentsOf, pickedFile, wayOfComments } from '../changes';
import { commentMessage } from '../commentMessage';
import { sessionInView, sessionOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

/** The changed files of a session: reading them, commenting on them, and reverting them. */
export class ChangesCommands {
  /** The sessions that are being listed. */
  readonly #listing = new Set<SessionId>();

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {}

  /** Lists the changes again, and reads the file that is shown if it is another one now. */
  async refresh(session: SessionId): Promise<void> {
    if (this.#listing.has(session)) return;
    const { dispatch } = this.store;
    this.#listing.add(session);
    dispatch({ type: 'changes_asked', session });
    try {
      do {
        dispatch({ type: 'changes_listed', session, listed: await this.bridge.call('list_changes', { session }) });
        if (this.store.state.navigation.place.at === 'changes') await this.#readPicked(session);
      } while (this.#isOutdated(session));
    } catch (thrown) {
      dispatch({ type: 'changes_failed', session, error: asAppError(thrown) });
    } finally {
      this.#listing.delete(session);
    }
  }

  /** Whether the app has published a later state than the listed one, and the user still sees it. */
  #isOutdated(session: SessionId): boolean {
    const { state } = this.store;
    const listed = changesOf(state, session).listed?.totals.state;
    const published = state.changedFiles[session]?.state;
    return sessionListed(state) === session && published !== undefined && published !== listed;
  }

  async pick(session: SessionId, file: string): Promise<void> {
    this.store.dispatch({ type: 'change_picked', session, file });
    await this.#readPicked(session);
  }

  /** Loads the changes when they are shown or have changed. */
  readonly react = (before: State, after: State): void => {
    const session = sessionListed(after);
    if (session === null) return;
    const { place } = after.navigation;
    const opened = place.at === 'changes' && before.navigation.place !== place;
    const isNews = after.changedFiles[session] !== before.changedFiles[session] || sessionListed(before) !== session;
    if (opened || (isNews && this.#isOutdated(session))) void this.refresh(session);
  };

  /** Goes to the changes of a session, at a file. */
  show(session: SessionId, file: string): void {
    this.store.dispatch({ type: 'change_picked', session, file });
    this.store.dispatch({ type: 'changes_opened', session });
  }

  async #readPicked(session: SessionId): Promise<void> {
    const file = pickedFile(this.store.state, session);
    const { shown } = changesOf(this.store.state, session);
    if (!file || (shown?.file.id === file.id && shown.file.version === file.version)) return;
    const { id, version } = file;
    try {
      const change = await this.bridge.call('read_change', { session, id, version });
      this.store.dispatch({ type: 'change_read', session, change });
    } catch (thrown) {
      this.store.dispatch({ type: 'change_failed', session, file: id, error: asAppError(thrown) });
    }
  }

  /** Begins a comment, or goes on with the one that is being written on the same line; returns its id. */
  begin(session: SessionId, at: Pick<LineComment, 'file' | 'path' | 'side' | 'line' | 'quote'>): string | null {
    const comment = { ...at, id: crypto.randomUUID(), text: '', draft: '' };
    this.store.dispatch({ type: 'comment_begun', session, comment });
    const isHere = ({ file, side, line, draft }: LineComment) => draft !== null && file === at.file && side === at.side && line === at.line;
    return commentsOf(this.store.state, session).find(isHere)?.id ?? null;
  }

  /** Sends comments in one message, or queues them while the agent works: they never close a question. */
  async send(session: SessionId, only: string | null = null): Promise<void> {
    const { state } = this.store;
    const known = sessionOf(state, session);
    const sent = addedComments(state, session).filter(({ id }) => only === null || id === only);
    if (!known || sent.length === 0) return;
    const way = wayOfComments(state, known);
    if (way === 'never') return;
    // A queued message is sent at once if the agent is idle, and waits while a question is open.
    const body = { session, text: commentMessage(sent), attachments: [] };
    const key = submitKey.comments(session);
    const done =
      way === 'resume'
        ? await this.submitter.submit('send_message', { ...body, closes: [] }, key)
        : await this.submitter.submit('queue_message', body, key);
    if (done) this.store.dispatch({ type: 'comments_sent', session, sent });
  }

  /** Puts back what a file held before, or one part of it. */
  async revert(session: SessionId, file: ChangedFile, part: ShownPart | null): Promise<void> {
    const { id, version } = file;
    await this.submitter.send('revert_change', { session, id, version, part });
    await this.refresh(session);
  }
}

/** The session whose changed files are in view, in their own view or beside the transcript. */
function sessionListed(state: State): SessionId | null {
  const { place } = state.navigation;
  if (place.at === 'changes') return place.session;
  return state.sideFolded ? null : (sessionInView(state)?.id ?? null);
}
