import type { AgentId, ConfigId, HelperId, MessageId, Program, RequestId, SessionId } from '../generated/wire';
import { asAppError, type Bridge, type CommandName, type Input, type Output } from '../platform/bridge';
import type { Store } from './store.svelte';
import type { Timers } from './timers';

/** How long a command may take before the window shows "sending"; a shorter delay would only flicker. */
const SENDING_SHOWN_MS = 60;

/** Builds the key of each submit, so that no two share a state. */
export const submitKey = {
  request: (id: RequestId) => id,
  undoable: (id: RequestId) => `undoable:${id}`,
  approval: (id: string) => id,
  message: (session: SessionId) => `message:${session}`,
  comments: (session: SessionId) => `comments:${session}`,
  revert: (session: SessionId) => `revert:${session}`,
  queued: (message: MessageId) => `queued:${message}`,
  interrupt: (session: SessionId) => `interrupt:${session}`,
  stop: (session: SessionId) => `stop:${session}`,
  helper: (session: SessionId, helper: HelperId) => `helper:${session}:${helper}`,
  delete: (session: SessionId) => `delete:${session}`,
  config: (session: SessionId, option: ConfigId) => `config:${session}:${option}`,
  rename: (session: SessionId) => `rename:${session}`,
  folder: (session: SessionId) => `folder:${session}`,
  attention: (session: SessionId) => `attention:${session}`,
  move: (session: SessionId) => `move:${session}`,
  close: (session: SessionId) => `close:${session}`,
  fork: (session: SessionId) => `fork:${session}`,
  resume: (session: SessionId) => `resume:${session}`,
  openIn: (session: SessionId, program: Program, path: string | null) => `open_in:${session}:${program}:${path ?? ''}`,
  continue: (session: SessionId) => `continue:${session}`,
  signIn: (agent: AgentId) => `sign_in:${agent}`,
  compact: (session: SessionId) => `compact:${session}`,
  worktree: (session: SessionId) => `worktree:${session}`,
  askToRebase: (session: SessionId) => `ask_to_rebase:${session}`,
  again: (session: SessionId) => `again:${session}`,
  turnAgain: (session: SessionId, entry: number) => `turn_again:${session}:${entry}`,
  start: (id: string) => `start:${id}`,
  demo: 'demo',
  test: 'test',
} as const;

type Body<C extends CommandName> = Omit<Input<C>, 'requestId'>;

/** Sends commands that must not run twice, each under a key. */
export class Submitter {
  /** The keys of commands in progress. */
  readonly #sending = new Set<string>();
  /** Called whenever a command has returned. */
  onSettled: () => void = () => undefined;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly timers: Timers,
  ) {}

  get isBusy(): boolean {
    return this.#sending.size > 0;
  }

  isSending(key: string): boolean {
    return this.#sending.has(key);
  }

  /**
   * Sends a command under a key. While it is in progress, the same key sends nothing. After an error, the same
   * content is sent under the same command id, so it never runs twice.
   */
  async submit<C extends CommandName>(key: string, command: C, body: Body<C>): Promise<Output<C> | null> {
    if (this.#sending.has(key)) return null;
    const { dispatch, state } = this.store;
    const earlier = state.submits[key];
    const payload = JSON.stringify([command, body]);
    const id = earlier?.payload === payload ? earlier.command : crypto.randomUUID();
    const sent = { key, command: id, payload };
    this.#sending.add(key);
    const hide = this.timers.later(SENDING_SHOWN_MS, () => dispatch({ type: 'submit_started', ...sent }));
    try {
      const input = { requestId: id, ...body } as unknown as Input<C>;
      const output = await this.bridge.call(command, input);
      dispatch({ type: 'submit_done', key });
      return output;
    } catch (thrown) {
      dispatch({ type: 'submit_failed', ...sent, error: asAppError(thrown) });
      return null;
    } finally {
      hide();
      this.#sending.delete(key);
      this.onSettled();
    }
  }

  /** Sends a command that has no card of its own: its error appears at the top of the window. */
  async submitReported<C extends CommandName>(key: string, command: C, body: Body<C>): Promise<Output<C> | null> {
    const output = await this.submit(key, command, body);
    if (output !== null) return output;
    const submit = this.store.state.submits[key];
    if (submit?.phase === 'failed' && submit.error) {
      this.store.report(submit.error);
      this.store.dispatch({ type: 'submit_done', key });
    }
    return null;
  }
}
