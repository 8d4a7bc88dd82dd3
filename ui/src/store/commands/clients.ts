import type { Client, ClientGoal, ClientPlan, ClientsRead, ClientVersion, CommandId, Confirmation } from '../../generated/wire';
import { type AppError, type Bridge, orError } from '../../platform/bridge';

/** A config change as the user sees it; only planned changes are ever written. */
export interface Planned extends ClientPlan {
  id: CommandId;
  client: Client;
  goal: ClientGoal;
}

/** Connects Askdesk to other programs. */
export class ClientCommands {
  constructor(private readonly bridge: Bridge) {}

  read(): Promise<ClientsRead | AppError> {
    return orError(() => this.bridge.call('read_clients', {}));
  }

  /** Asks the installed programs for their versions, which takes seconds; programs that don't answer are left out. */
  async versions(): Promise<ClientVersion[]> {
    const read = await orError(() => this.bridge.call('read_client_versions', {}));
    return 'versions' in read ? read.versions : [];
  }

  /** Asks a program whether it uses Askdesk’s entry, which takes seconds. */
  async confirm(client: Client): Promise<Confirmation> {
    const said = await orError(() => this.bridge.call('confirm_client', { client }));
    return 'code' in said ? { confirmation: 'unasked' } : said;
  }

  /** Computes a config change without writing it. */
  plan(client: Client, goal: ClientGoal): Promise<Planned | AppError> {
    const id = crypto.randomUUID();
    return orError(async () => {
      const plan = await this.bridge.call('plan_client', { requestId: id, client, goal });
      return { ...plan, id, client, goal };
    });
  }

  /** Writes a planned change; returns the error if that fails. */
  async change({ id }: Planned): Promise<AppError | null> {
    const change = () => this.bridge.call('change_client', { requestId: crypto.randomUUID(), plan: id });
    const done = await orError(change);
    return 'code' in done ? done : null;
  }

  /** Asks a test question the way a connected app would; returns the error if it doesn't arrive. */
  async test(): Promise<AppError | null> {
    const done = await orError(() => this.bridge.call('test_gateway', { requestId: crypto.randomUUID() }));
    return 'code' in done ? done : null;
  }
}
