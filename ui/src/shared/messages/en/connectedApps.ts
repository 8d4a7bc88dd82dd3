/** Clients that the desk did not start. */
export const connectedApps = {
  'channel.mcp': 'MCP client',
  'channel.terminal_hook': 'Claude Code in a terminal',
  'channel.command_line': 'Command line',
  'connected_app.there': 'Connected',
  'connected_app.left': 'Not connected',
  'connected_app.label': 'Where your answers go',
  'connected_app.answers_to': '{client} asks here by itself; Askdesk did not start it. What you answer goes to {client}.',
  'connected_app.answers_in':
    '{client} asks here by itself; Askdesk did not start it. What you answer goes to {client} in {folder}.',
  'connected_app.terminal_to': '{client} runs in a terminal and asks there too. Whatever is answered first counts.',
  'connected_app.terminal_in':
    '{client} runs in a terminal in {folder} and asks there too. Whatever is answered first counts.',
  'connected_app.gone': '{client} is not connected now. What you answer is kept for when it asks again.',
  'connected_app.kept': 'Kept for when {client} asks again',
  'connected_app.stopped_waiting': '{client} stopped waiting',
  'connected_app.answer_kept': 'Your answer is kept for when {client} asks again.',
  'connected_app.keep': 'Keep the answer',
  'connected_app.late': '{client} got it when it asked again',
  'connected_app.unnamed': 'The client',
  'connected_app.missed': 'Missed: {client} stopped waiting before you answered',
  'connected_app.in_terminal': 'Answered in the terminal',
} as const satisfies Record<string, string>;
