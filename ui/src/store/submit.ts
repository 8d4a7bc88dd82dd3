import type { ConfigId, MessageId, RequestId, SessionId } from '../generated/wire';
import { asAppError, type Bridge, type CommandName, type Input, type Output } from '../platform/bridge';
import type { Store } from './store.svelte';
import type { Timers } from './timers';

/** How long a command may take before the window says that it is being sent: less would only flicker. */
const SENDING_SHOWN_MS = 60;

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

type Body<C extends CommandName> = Omit<Input<C>, 'requestId'>;

/** Sends commands that must not be done twice, each under a key. */
export class Submitter {
  /** The keys of the commands on their way. */
  readonly #sending = new Set<string>();
  /** Called when a command has come back. */
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
   * Sends one command under a key. While it is on its way the same key sends nothing; the same
   * content after an error goes out under the same command id, so it is never done twice.
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

  /** Sends a command that has no card of its own: its error goes to the top of the window. */
  async submitReported<C extends CommandName>(key: string, command: C, body: Body<C>): Promise<boolean> {
    if (await this.submit(key, command, body)) return true;
    const submit = this.store.state.submits[key];
    if (submit?.phase === 'failed' && submit.error) {
      this.store.report(submit.error);
      this.store.dispatch({ type: 'submit_done', key });
    }
    return false;
  }
}
