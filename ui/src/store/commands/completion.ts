import type { AgentCommand, FilesFound, SessionId } from '../../generated/wire';
import type { Bridge } from '../../platform/bridge';

/** How many files the composer offers at a time. */
const FILES = 20;

/** Reads what the composer offers while a message is written. */
export class CompletionCommands {
  constructor(private readonly bridge: Bridge) {}

  /** The commands of the session's agent, as it last told them. */
  async commands(session: SessionId): Promise<AgentCommand[]> {
    return (await this.bridge.call('list_commands', { session })).commands;
  }

  /** The files and folders of the session's folder that a query means best. */
  files(session: SessionId, query: string): Promise<FilesFound> {
    return this.bridge.call('find_files', { session, query, limit: FILES });
  }
}
