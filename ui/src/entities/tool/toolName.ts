import { t } from '../../shared/messages';

const PREFIX = 'mcp__';

/** A tool's name as it is shown: `find_issue (tracker)` for the agents' `mcp__tracker__find_issue`; others stay as they are. */
export function shownTool(name: string): string {
  if (!name.startsWith(PREFIX)) return name;
  const end = name.indexOf('__', PREFIX.length);
  const server = name.slice(PREFIX.length, Math.max(end, PREFIX.length));
  const tool = end === -1 ? '' : name.slice(end + 2);
  return server && tool ? t('tool.of_server', { tool, server }) : name;
}
