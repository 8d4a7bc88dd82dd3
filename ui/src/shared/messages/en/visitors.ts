/** Clients that the desk did not start. */
export const visitors = {
  'channel.mcp': 'MCP client',
  'channel.terminal_hook': 'Claude Code in a terminal',
  'channel.command_line': 'Command line',
  'visitor.there': 'Connected',
  'visitor.left': 'Not connected',
  'visitor.label': 'Where your answers go',
  'visitor.answers_to': '{client} asks here by itself; Askdesk did not start it. What you answer goes to {client}.',
  'visitor.answers_in':
    '{client} asks here by itself; Askdesk did not start it. What you answer goes to {client} in {folder}.',
  'visitor.terminal_to': '{client} runs in a terminal and asks there too. Whatever is answered first counts.',
  'visitor.terminal_in':
    '{client} runs in a terminal in {folder} and asks there too. Whatever is answered first counts.',
  'visitor.gone': '{client} is not connected now. What you answer is kept for when it asks again.',
  'visitor.kept': 'Kept for when {client} asks again',
  'visitor.stopped_waiting': '{client} stopped waiting',
  'visitor.answer_kept': 'Your answer is kept for when {client} asks again.',
  'visitor.keep': 'Keep the answer',
  'visitor.late': '{client} got it when it asked again',
  'visitor.unnamed': 'The client',
  'visitor.missed': 'Missed: {client} stopped waiting before you answered',
  'visitor.in_terminal': 'Answered in the terminal',
} as const satisfies Record<string, string>;
