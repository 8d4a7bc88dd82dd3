import type { OneForm } from '..';
import type { visitors as english } from '../en/visitors';

export const visitors: OneForm<typeof english> = {
  'channel.mcp': 'MCP 客户端',
  'channel.terminal_hook': '终端中的 Claude Code',
  'channel.command_line': '命令行',
  'visitor.there': '已连接',
  'visitor.left': '未连接',
  'visitor.label': '你的回答发往哪里',
  'visitor.answers_to': '{client} 自行在这里提问，不是由 Askdesk 启动的。你的回答会发给 {client}。',
  'visitor.answers_in': '{client} 自行在这里提问，不是由 Askdesk 启动的。你的回答会发给 {folder} 中的 {client}。',
  'visitor.terminal_to': '{client} 在终端中运行，也在那里提问。先给出的回答有效。',
  'visitor.terminal_in': '{client} 在 {folder} 的终端中运行，也在那里提问。先给出的回答有效。',
  'visitor.gone': '{client} 目前未连接。你的回答会保存，等它再次提问时送达。',
  'visitor.kept': '已保存，等 {client} 再次提问时送达',
  'visitor.stopped_waiting': '{client} 已不再等待',
  'visitor.answer_kept': '你的回答会保存，等 {client} 再次提问时送达。',
  'visitor.keep': '保存回答',
  'visitor.late': '{client} 再次提问时已收到',
  'visitor.unnamed': '客户端',
  'visitor.missed': '错过：在你回答之前，{client} 已不再等待',
  'visitor.in_terminal': '已在终端中回答',
};
