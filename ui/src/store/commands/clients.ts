import type {
  Client,
  ClientGoal,
  ClientPlan,
  ClientsRead,
  ClientVersion,
  CommandId,
} from '../../generated/wire';
import { type AppError, type Bridge, orError } from '../../platform/bridge';

/** A change as it is shown; nothing else is ever written. */
export interface Planned extends ClientPlan {
  id: CommandId;
  client: Client;
  goal: ClientGoal;
}

/** Connects other programs. */
export class ClientCommands {
  constructor(private readonly bridge: Bridge) {}

  read(): Promise<ClientsRead | AppError> {
    return orError(() => this.bridge.call('read_clients', {}));
  }

  /** Asks the installed programs for their versions, which takes seconds; one that cannot be asked has none. */
  async versions(): Promise<ClientVersion[]> {
    const read = await orError(() => this.bridge.call('read_client_versions', {}));
    return 'versions' in read ? read.versions : [];
  }

  /** Computes what would change; nothing is written. */
  plan(client: Client, goal: ClientGoal): Promise<Planned | AppError> {
    const id = crypto.randomUUID();
    return orError(async () => {
      const plan = await this.bridge.call('plan_client', { requestId: id, client, goal });
      return { ...plan, id, client, goal };
    });
  }

  /** Writes what was shown; returns the error if that failed. */
  async change({ id }: Planned): Promise<AppError | null> {
    const change = () => this.bridge.call('change_client', { requestId: crypto.randomUUID(), plan: id });
    const done = await orError(change);
    return 'code' in done ? done : null;
  }

  /** Has a question asked the way other programs ask; returns the error if it did not come. */
  async test(): Promise<AppError | null> {
    const done = await orError(() => this.bridge.call('test_door', { requestId: crypto.randomUUID() }));
    return 'code' in done ? done : null;
  }
}
