import type { AgentFound, AgentId, AgentsFound, EnvironmentRead, Session, SessionOptions } from '../../generated/wire';
import { type AppError, asAppError, type Bridge, type Input, orError } from '../../platform/bridge';
import { nameOfAgent } from '../../shared/agentNames';
import type { FocusTargets } from '../../shared/focusTargets';
import { t } from '../../shared/messages';
import { demoOf, exampleConfig } from '../agents';
import { startAgain } from '../retry';
import { submitOf } from '../select';
import type { Place } from '../place';
import { isFresh } from '../starts';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';
import type { WorktreeCommands } from './worktrees';

export const defaultOptions: SessionOptions = {
  config: {},
  questions: 'always',
  program: null,
  extras: { arguments: [], environment: {} },
};

/** The user's input for starting a session. */
export type StartChoice = Omit<Input<'start_session'>, 'requestId'>;

/** The agents whose programs were found. */
function found(agents: AgentsFound | null): AgentId[] {
  return (agents?.agents ?? []).filter(({ program }) => program !== null).map(({ agent }) => agent);
}

/** Starts sessions, and finds out which agents can start. */
export class StartCommands {
  /** The agents whose programs are being asked whether the user is signed in. */
  readonly #signInsRead = new Set<AgentId>();
  #awaitsShell = false;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
    private readonly submitter: Submitter,
    private readonly focusTargets: FocusTargets,
    private readonly worktrees: WorktreeCommands,
  ) {}

  /** Finds the agents, then reads their versions and whether the user is signed in. Once a shell that is being asked has answered, it finds them again. */
  async listAgents(): Promise<void> {
    const found = await this.findAgents();
    if (!found) return;
    this.#readAbout(found.agents);
    if (!found.reading || this.#awaitsShell) return;
    this.#awaitsShell = true;
    const latest = await this.findAgents(true);
    this.#awaitsShell = false;
    if (latest) this.#readAbout(latest.agents);
  }

  #readAbout(agents: readonly AgentFound[]): void {
    // A program that hangs holds up no other.
    for (const { agent, program } of agents) {
      if (program === null) continue;
      void this.#readVersion(agent);
      if (this.store.state.agentsKnown.find(({ id }) => id === agent)?.login) void this.readSignIn(agent, null);
    }
  }

  /** Finds the agents; null if that fails. With `latest`, it waits for a shell that is being asked. */
  async findAgents(latest = false): Promise<AgentsFound | null> {
    try {
      const agents = await this.bridge.call('list_agents', { latest });
      this.store.dispatch({ type: 'agents_listed', agents });
      return agents;
    } catch (thrown) {
      this.store.report(thrown);
      return null;
    }
  }

  /** Asks the shell and looks for the agents again; returns the names of those that are new, or null if that fails. */
  async lookAgain(): Promise<readonly string[] | null> {
    const before = found(this.store.state.agents);
    const read = await this.readEnvironment();
    if ('code' in read) {
      this.store.dispatch({ type: 'failed', error: read });
      return null;
    }
    const { agents, agentsKnown } = this.store.state;
    const added = found(agents).filter((agent) => !before.includes(agent));
    return added.map((agent) => nameOfAgent(agentsKnown, agent));
  }

  async #readVersion(agent: AgentId): Promise<void> {
    try {
      const version = await this.bridge.call('read_agent_version', { agent });
      if (version.version !== null) this.store.dispatch({ type: 'agent_version_read', agent, version });
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

  /** Asks the shell for agents' variables, and looks for the agents anew. */
  async readEnvironment(): Promise<EnvironmentRead | AppError> {
    const read = await orError(() => this.bridge.call('read_environment', { again: true }));
    await this.listAgents();
    return read;
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

  /**
   * Starts what the form holds; with `inWorktree`, in a new worktree if its folder can have one. The form is free at once, and what
   * is refused comes back to it. Returns whether it came back.
   */
  async session(choice: StartChoice, inWorktree: boolean): Promise<boolean> {
    const { state } = this.store;
    // The second press of a double one finds an empty form.
    if (isFresh(state) && state.sentStarts.some(({ isOnItsWay }) => isOnItsWay)) return false;
    const { start, startAsked } = state;
    const id = crypto.randomUUID();
    this.store.dispatch({ type: 'start_sent', id });
    const { navigation } = this.store.state;
    const worktree = inWorktree ? await this.worktrees.planFor(start, choice.folder ?? '') : null;
    const session = worktree && 'code' in worktree ? worktree : await this.#send(id, { ...choice, worktree });
    if ('code' in session) {
      this.store.dispatch({ type: 'start_refused', id, error: session });
      // If the settings now add something else to the start, the form shows it before it is used.
      if (session.code === 'extras_changed') await this.listAgents();
      return this.store.state.start === start;
    }
    this.store.dispatch({ type: 'start_done', id });
    const now = this.store.state;
    this.#show(session, isFresh(now) && now.startAsked === startAsked && isSamePlace(navigation.place, now.navigation.place, session));
    return false;
  }

  async #send(id: string, choice: StartChoice): Promise<Session | AppError> {
    const key = submitKey.start(id);
    const session = await this.submitter.submit('start_session', choice, key);
    if (session) return session;
    const error = submitOf(this.store.state, key)?.error;
    this.store.dispatch({ type: 'submit_done', key });
    return error ?? asAppError(null);
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
    return (await this.submitter.submit('start_session', choice, submitKey.test)) !== null;
  }

  #example(example: string, prompt: string, name: string | null): StartChoice | null {
    const demo = demoOf(this.store.state);
    const options = { ...defaultOptions, config: exampleConfig(example) };
    return demo && { agent: demo.id, folder: null, prompt, name, options, worktree: null, continues: null };
  }

  async #start(key: string, choice: StartChoice): Promise<void> {
    const { place } = this.store.state.navigation;
    const session = await this.submitter.submit('start_session', choice, key);
    if (session) this.#show(session, isSamePlace(place, this.store.state.navigation.place, session));
  }

  #show(session: Session, opens: boolean): void {
    this.store.dispatch({ type: 'session_started', session, opens });
    if (opens) this.focusTargets.noteWrote();
  }
}

/** Whether the user has gone nowhere else. The frames may have shown the new session already. */
function isSamePlace(before: Place, now: Place, session: Session): boolean {
  return now.at === before.at && (now.at !== 'session' || [before.session, session.id].includes(now.session));
}
