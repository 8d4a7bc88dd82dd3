import type { Client, ClientGoal, ClientPlan, ClientsRead, ClientVersion, CommandId } from '../generated/wire';
import { asDeskError, type Bridge, type DeskError } from '../platform/bridge';

/** A change that was found out and is shown; nothing else is ever written. */
export interface Planned extends ClientPlan {
  id: CommandId;
  client: Client;
  goal: ClientGoal;
}

/** Tells other programs of the desk. */
export class OtherPrograms {
  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  read(): Promise<ClientsRead | DeskError> {
    return this.#orError(() => this.#bridge.call('read_clients', {}));
  }

  /** Asks those that are there for their versions, which takes seconds; what cannot be asked has none. */
  async versions(): Promise<ClientVersion[]> {
    const told = await this.#orError(() => this.#bridge.call('read_client_versions', {}));
    return 'versions' in told ? told.versions : [];
  }

  /** Finds out what would change; nothing is written. */
  plan(client: Client, goal: ClientGoal): Promise<Planned | DeskError> {
    const id = crypto.randomUUID();
    return this.#orError(async () => {
      const plan = await this.#bridge.call('plan_client', { requestId: id, client, goal });
      return { ...plan, id, client, goal };
    });
  }

  /** Writes what was shown; gives the error if that failed. */
  async change({ id }: Planned): Promise<DeskError | null> {
    const change = () => this.#bridge.call('change_client', { requestId: crypto.randomUUID(), plan: id });
    const done = await this.#orError(change);
    return 'code' in done ? done : null;
  }

  /** Has a question asked in the way of other programs; gives the error if it did not come. */
  async test(): Promise<DeskError | null> {
    const done = await this.#orError(() => this.#bridge.call('test_door', { requestId: crypto.randomUUID() }));
    return 'code' in done ? done : null;
  }

  async #orError<T>(call: () => Promise<T>): Promise<T | DeskError> {
    try {
      return await call();
    } catch (thrown) {
      return asDeskError(thrown);
    }
  }
}
