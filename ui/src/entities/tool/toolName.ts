import { t } from '../../shared/messages';

/** A tool's name as it is shown: `find_issue (tracker)` for the agents' `mcp__tracker__find_issue`; others stay as they are. */
export function shownTool(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/su.exec(name) ?? [];
  return server === undefined || tool === undefined ? name : t('tool.of_server', { tool, server });
}
