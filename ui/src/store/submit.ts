import type { RequestId, SessionId } from '../generated/wire';
import { asAppError, type Bridge, type CommandName, type Input, type Output } from '../platform/bridge';
import type { Store } from './store.svelte';
import type { Timers } from './timers';

/** How long a command may take before the window shows "sending"; a shorter delay would only flicker. */
const SENDING_SHOWN_MS = 60;

/** The keys of what `keyOf` can't tell: a command that is sent in several ways, or several commands that exclude each other. */
export const submitKey = {
  undoable: (id: RequestId) => `undoable:${id}`,
  message: (session: SessionId) => `message:${session}`,
  comments: (session: SessionId) => `comments:${session}`,
  worktree: (session: SessionId) => `worktree:${session}`,
  askToRebase: (session: SessionId) => `ask_to_rebase:${session}`,
  again: (session: SessionId) => `again:${session}`,
  turnAgain: (session: SessionId, entry: number) => `turn_again:${session}:${entry}`,
  start: (id: string) => `start:${id}`,
  demo: 'demo',
  test: 'test',
} as const;

/** The fields that name what a command acts on. One that isn't listed acts on the thing with its `id`, or else on its `session`. */
const actsOn = {
  open_in: ['session', 'program', 'path'],
  revert_change: ['session'],
  set_config: ['session', 'option'],
  sign_in: ['agent'],
  stop_helper: ['session', 'helper'],
} as const;

/** What a command says besides its id. */
export type Body<C extends CommandName> = Omit<Input<C>, 'requestId'>;
type Named<C extends CommandName> = C extends keyof typeof actsOn
  ? (typeof actsOn)[C][number]
  : Body<C> extends { id: string }
    ? 'id'
    : 'session';
/** The part of a command's content that its key is made of. */
export type Target<C extends CommandName> = Pick<Body<C>, Named<C> & keyof Body<C>>;

/** The key of a command. Everything that is done to a thing with an id has that id as its key, so only one is sent at a time. */
export function keyOf<C extends CommandName>(command: C, target: Target<C>): string {
  const fields = target as Partial<Record<string, string | null>>;
  const named: readonly string[] | undefined = actsOn[command as keyof typeof actsOn];
  if (!named && fields.id) return fields.id;
  return [command, ...(named ?? ['session']).map((field) => fields[field] ?? '')].join(':');
}

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
   * Sends a command under a key, where its error stays. While it is in progress, the same key sends nothing. After an error, the
   * same content is sent under the same command id, so it never runs twice.
   */
  readonly submit = async <C extends CommandName>(command: C, body: Body<C>, key = keyOf(command, body)): Promise<Output<C> | null> => {
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
  };

  /** Like `submit`, for a command that has no place of its own for an error: it appears at the top of the window. */
  readonly send = async <C extends CommandName>(command: C, body: Body<C>, key = keyOf(command, body)): Promise<Output<C> | null> => {
    const output = await this.submit(command, body, key);
    if (output !== null) return output;
    const submit = this.store.state.submits[key];
    if (submit?.phase === 'failed' && submit.error) {
      this.store.report(submit.error);
      this.store.dispatch({ type: 'submit_done', key });
    }
    return null;
  };
}
