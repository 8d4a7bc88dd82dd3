import type { AgentKind } from '../generated/wire';

/** Models an agent knows by a short name; every other name may be typed. */
export const suggestedModels: Readonly<Record<AgentKind, readonly string[]>> = {
  claude_code: ['sonnet', 'opus', 'haiku'],
  demo: [],
  mcp_client: [],
  terminal: [],
  command_line: [],
};
