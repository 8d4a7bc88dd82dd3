import type { OpenError, Program } from '../generated/wire';
import { t } from './messages';
import type { UnionWords } from './unionWords';
import { visibly } from './visible';

/** What a program is for; menus list them in this order. */
export const PROGRAM_KINDS = ['editor', 'terminal', 'file_manager'] as const;
export type ProgramKind = (typeof PROGRAM_KINDS)[number];

/** Brand names of the programs; never translated. */
export const programNames = {
  vscode: 'VS Code',
  cursor: 'Cursor',
  zed: 'Zed',
  idea: 'IntelliJ IDEA',
  webstorm: 'WebStorm',
  pycharm: 'PyCharm',
  goland: 'GoLand',
  rustrover: 'RustRover',
  clion: 'CLion',
  phpstorm: 'PhpStorm',
  rubymine: 'RubyMine',
  rider: 'Rider',
  neovim: 'Neovim',
  vim: 'Vim',
  gnome_terminal: 'GNOME Terminal',
  konsole: 'Konsole',
  kitty: 'kitty',
  wezterm: 'WezTerm',
  alacritty: 'Alacritty',
  iterm: 'iTerm',
  mac_terminal: 'Terminal',
  windows_terminal: 'Windows Terminal',
  xterm: 'xterm',
} as const satisfies Partial<Record<Program, string>>;

const kinds: Record<Program, ProgramKind> = {
  editor_command: 'editor',
  vscode: 'editor',
  cursor: 'editor',
  zed: 'editor',
  idea: 'editor',
  webstorm: 'editor',
  pycharm: 'editor',
  goland: 'editor',
  rustrover: 'editor',
  clion: 'editor',
  phpstorm: 'editor',
  rubymine: 'editor',
  rider: 'editor',
  neovim: 'editor',
  vim: 'editor',
  terminal_command: 'terminal',
  gnome_terminal: 'terminal',
  konsole: 'terminal',
  kitty: 'terminal',
  wezterm: 'terminal',
  alacritty: 'terminal',
  iterm: 'terminal',
  mac_terminal: 'terminal',
  windows_terminal: 'terminal',
  xterm: 'terminal',
  file_manager: 'file_manager',
};

/** Whether a stored text is still the id of a program. */
export function isProgram(id: unknown): id is Program {
  return typeof id === 'string' && Object.hasOwn(kinds, id);
}

export function kindOfProgram(program: Program): ProgramKind {
  return kinds[program];
}

function hasBrand(program: Program): program is keyof typeof programNames {
  return Object.hasOwn(programNames, program);
}

export function nameOfProgram(program: Program): string {
  return hasBrand(program) ? programNames[program] : t(`program.${program}`);
}

/** Why nothing was opened, as one or two sentences. */
export const openErrorWords: UnionWords<OpenError, 'unopened'> = {
  no_folder: 'unopened.no_folder',
  gone: 'unopened.gone',
  unusable: 'unopened.unusable',
  not_installed: ({ program }) => t('unopened.not_installed', { program: nameOfProgram(program) }),
  no_command: ({ program }) => t('unopened.no_command', { program: nameOfProgram(program) }),
  command_missing: 'unopened.command_missing',
  no_terminal: 'unopened.no_terminal',
  terminal_only_opens: ({ terminal }) => t('unopened.terminal_only_opens', { terminal: nameOfProgram(terminal) }),
  unsafe: ({ program, character }) => t('unopened.unsafe', { program: nameOfProgram(program), character }),
  not_started: 'unopened.not_started',
  exited: ({ program, code }) =>
    code === null
      ? t('unopened.exited', { program: visibly(program) })
      : t('unopened.exited_code', { program: visibly(program), code: String(code) }),
  file_manager: 'unopened.file_manager',
  nothing_to_continue: 'unopened.nothing_to_continue',
};
