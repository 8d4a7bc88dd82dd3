import type { AgentFound, AgentId, EnvironmentRead, OwnSessionsFound, Session, SessionOptions } from '../../generated/wire';
import { type AppError, type Bridge, type Input, orError } from '../../platform/bridge';
import type { FocusTargets } from '../../shared/focusTargets';
import { t } from '../../shared/messages';
import { demoOf, exampleConfig } from '../agents';
import { startAgain } from '../retry';
import { submitOf } from '../select';
import { emptyStartDraft } from '../parts/start';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';

export const defaultOptions: SessionOptions = {
  config: {},
  questions: 'always',
  program: null,
  extras: { arguments: [], environment: {} },
};

/** The user's input for starting a session. */
export type StartChoice = Omit<Input<'start_session'>, 'requestId'>;

/** Starts sessions, and finds out which agents can start. */
export class StartCommands {
  /** The agents whose programs are being asked whether the user is signed in. */
  readonly #signInsRead = new Set<AgentId>();

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
    private readonly focusTargets: FocusTargets,
  ) {}

  /** Finds the agents, then reads their versions and whether the user is signed in. */
  async listAgents(): Promise<void> {
    const agents = await this.findAgents();
    // A program that hangs holds up no other.
    for (const { agent, program } of agents) {
      if (program === null) continue;
      void this.#readVersion(agent);
      if (this.store.state.agentsKnown.find(({ id }) => id === agent)?.login) void this.readSignIn(agent, null);
    }
  }

  /** Finds the agents; empty if that fails. */
  async findAgents(): Promise<readonly AgentFound[]> {
    try {
      const agents = await this.bridge.call('list_agents', {});
      this.store.dispatch({ type: 'agents_listed', agents });
      return agents.agents;
    } catch (thrown) {
      this.store.report(thrown);
      return [];
    }
  }

  async #readVersion(agent: AgentId): Promise<void> {
    try {
      const { version } = await this.bridge.call('read_agent_version', { agent });
      if (version !== null) this.store.dispatch({ type: 'agent_version_read', agent, version });
    } catch (thrown) {
      this.store.report(thrown);
    }
  }

  /** Asks an agent's program whether the user is signed in, unless it is being asked. The program is that of the user's own, if any. */
  async readSignIn(agent: AgentId, program: string | null): Promise<void> {
    if (this.#signInsRead.has(agent)) return;
    this.#signInsRead.add(agent);
    try {
      const { signedIn } = await this.bridge.call('read_sign_in', { agent, program });
      this.store.dispatch({ type: 'sign_in_read', agent, signedIn });
    } catch {
      // It is a hint only; what was known stays.
    } finally {
      this.#signInsRead.delete(agent);
    }
  }

  /** Opens an agent's own sign-in in the user's terminal; returns whether it opened. */
  async signIn(agent: AgentId, program: string | null): Promise<boolean> {
    return (await this.submitter.submit(submitKey.signIn(agent), 'sign_in', { agent, program })) !== null;
  }

  /** Says where agents' variables come from. With `again`, the shell is asked first, and the agents are looked for anew. */
  async readEnvironment(again: boolean): Promise<EnvironmentRead | AppError> {
    const read = await orError(() => this.bridge.call('read_environment', { again }));
    if (again) await this.listAgents();
    return read;
  }

  /** Looks for an agent's sessions that were begun outside Askdesk. */
  listOwn(input: Input<'list_own_sessions'>): Promise<OwnSessionsFound | AppError> {
    return orError(() => this.bridge.call('list_own_sessions', input));
  }

  /** Opens the folder picker; returns null if the user cancels. */
  async pickFolder(start: string): Promise<string | null> {
    try {
      return await this.bridge.pickFolder(start);
    } catch (thrown) {
      this.store.report(thrown);
      return null;
    }
  }

  async session(choice: StartChoice): Promise<boolean> {
    const draft = this.store.state.start;
    const started = await this.#start(submitKey.start, choice);
    // What was written meanwhile is for the next session.
    if (started && this.store.state.start === draft) this.store.dispatch({ type: 'start_drafted', change: emptyStartDraft });
    // If the settings now add something else to the start, the form shows it before it is used.
    const error = submitOf(this.store.state, submitKey.start)?.error;
    if (error?.code === 'extras_changed') await this.listAgents();
    return started;
  }

  /** Starts a session that failed at its start once more, with all that it was started with. */
  async again(session: Session): Promise<void> {
    // What the settings add to a start is known only once the agents are.
    if (this.store.state.agents === null) await this.findAgents();
    const choice = startAgain(this.store.state, session);
    if (choice) await this.#start(submitKey.again(session.id), choice);
  }

  /** Starts the demo, by default with the example for new users. */
  async demo(example = 'demo'): Promise<void> {
    const choice = this.#example(example, t('start.demo_prompt'), null);
    if (choice) await this.#start(submitKey.demo, choice);
  }

  /** Asks a test question in a session outside the view; returns whether it will be asked. */
  async testQuestion(): Promise<boolean> {
    const words = [t('test.question'), t('test.by_notification'), t('test.by_looking'), t('test.thanks')];
    const choice = this.#example('reach', words.join('\n'), t('test.name'));
    if (!choice) return false;
    return (await this.submitter.submit(submitKey.test, 'start_session', choice)) !== null;
  }

  #example(example: string, prompt: string, name: string | null): StartChoice | null {
    const demo = demoOf(this.store.state);
    const options = { ...defaultOptions, config: exampleConfig(example) };
    return demo && { agent: demo.id, folder: null, prompt, name, options, worktree: null, continues: null };
  }

  async #start(key: string, choice: StartChoice): Promise<boolean> {
    const { place } = this.store.state.navigation;
    const session = await this.submitter.submit(key, 'start_session', choice);
    if (!session) return false;
    // A setup command may take minutes: whoever went elsewhere stays there. The frames may have shown the session already.
    const { place: now } = this.store.state.navigation;
    const opens = now.at === place.at && (now.at !== 'session' || [place.session, session.id].includes(now.session));
    this.store.dispatch({ type: 'session_started', session, opens });
    if (opens) this.focusTargets.noteWrote();
    return true;
  }
}
