import type { OneForm } from '..';
import type { connectedApps as english } from '../en/connectedApps';

export const connectedApps: OneForm<typeof english> = {
  'channel.mcp': 'MCP 客户端',
  'channel.terminal_hook': '终端中的 Claude Code',
  'channel.command_line': '命令行',
  'connected_app.there': '已连接',
  'connected_app.left': '未连接',
  'connected_app.label': '你的回答发往哪里',
  'connected_app.answers_to': '{client} 自行在这里提问，不是由 Askdesk 启动的。你的回答会发给 {client}。',
  'connected_app.answers_in': '{client} 自行在这里提问，不是由 Askdesk 启动的。你的回答会发给 {folder} 中的 {client}。',
  'connected_app.terminal_to': '{client} 在终端中运行，也在那里提问。先给出的回答有效。',
  'connected_app.terminal_in': '{client} 在 {folder} 的终端中运行，也在那里提问。先给出的回答有效。',
  'connected_app.gone': '{client} 目前未连接。你的回答会保存，等它再次提问时送达。',
  'connected_app.kept': '已保存，等 {client} 再次提问时送达',
  'connected_app.stopped_waiting': '{client} 已不再等待',
  'connected_app.answer_kept': '你的回答会保存，等 {client} 再次提问时送达。',
  'connected_app.keep': '保存回答',
  'connected_app.late': '{client} 再次提问时已收到',
  'connected_app.unnamed': '客户端',
  'connected_app.missed': '错过：在你回答之前，{client} 已不再等待',
  'connected_app.in_terminal': '已在终端中回答',
};
