import type { AgentKind, Session } from '../generated/wire';

/** Whether it comes by itself: the desk did not start it, and has no process to speak to. */
const comesByItself = {
  claude_code: false,
  demo: false,
  mcp_client: true,
  terminal: true,
  command_line: true,
} as const satisfies Record<AgentKind, boolean>;

/** Whether a session is of a client that the desk did not start. */
export function visits(session: Session): boolean {
  return comesByItself[session.agent];
}

/** The agents that can be started, in the order in which they are offered. */
export const startable = (Object.keys(comesByItself) as AgentKind[]).filter((agent) => !comesByItself[agent]);
