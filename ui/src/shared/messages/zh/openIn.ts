import type { openIn as english } from '../en/openIn';

export const openIn: Record<keyof typeof english, string> = {
  'open_in.menu': '打开方式…',
  'open_in.file': '用 {program} 打开',
  'open_in.file_at': '用 {program} 打开第 {line} 行',
  'open_in.open_file': '在编辑器中打开文件',
  'program.editor_command': '自定义编辑器',
  'program.terminal_command': '自定义终端',
  'program.file_manager': '文件管理器',

  'continue.action': '在终端中继续',
  'continue.ask': '要在终端中继续“{name}”吗？',
  'continue.ends': '会话会先在这里结束，因为两个程序不能同时写入同一个对话。在这里恢复会话之前，请先退出终端中的智能体。',
  'continue.yes': '在终端中继续',
  'continue.no': '继续运行',

  'unopened.no_folder': '此会话在这台电脑上没有文件夹。',
  'unopened.gone': '{path} 已不存在。',
  'unopened.unusable': '无法打开 {path}：{error}。',
  'unopened.not_installed': 'Askdesk 找不到 {program}。请安装它，或在“设置”的“打开方式”中选择其他程序。',
  'unopened.no_command': '还没有为{program}设置命令。请在“设置”的“打开方式”中输入。',
  'unopened.command_missing': 'Askdesk 找不到 {command}。请在“设置”的“打开方式”中检查该命令；使用程序的完整路径总是有效。',
  'unopened.no_terminal': 'Askdesk 找不到终端。请安装一个，或在“设置”的“打开方式”中输入自己的命令。',
  'unopened.terminal_only_opens': '无法让 {terminal} 运行指定的程序。请在“设置”的“打开方式”中选择其他终端。',
  'unopened.unsafe': '{program} 无法打开含有 {character} 的路径。请选择其他程序。',
  'unopened.not_started': '{program} 无法启动：{error}。',
  'unopened.exited': '{program} 立即退出了。请在终端中启动它以查看原因。',
  'unopened.exited_code': '{program} 立即退出了，代码为 {code}。请在终端中启动它以查看原因。',
  'unopened.file_manager': '文件管理器没有打开：{error}。',
  'unopened.nothing_to_continue': '还没有可以继续的内容。请先给智能体发送一条消息。',
  'unable.continuing_in_terminal': '在终端中继续会话',
  'unable.signing_in': '登录',

  'unfit.unclosed': '有引号没有闭合',
  'unfit.no_program': '必须以程序开头',
  'unfit.unknown_placeholder': '{name} 不是占位符；请使用 {known}',
  'unfit.not_alone': '{name} 前后需要空格',
};
