/** Opening folders and files in other programs, and continuing a session in a terminal. */
export const openIn = {
  'open_in.menu': 'Open in…',
  'open_in.file': 'Open in {program}',
  'open_in.file_at': 'Open in {program} at line {line}',
  'open_in.open_file': 'Open file in editor',
  'program.editor_command': 'Custom editor',
  'program.terminal_command': 'Custom terminal',
  'program.file_manager': 'File manager',

  'continue.action': 'Continue in terminal',
  'continue.ask': 'Continue “{name}” in a terminal?',
  'continue.ends':
    'The session ends here first, because two programs can’t write to one conversation. Quit the agent in the terminal before you resume the session here.',
  'continue.yes': 'Continue in terminal',
  'continue.no': 'Keep running',

  'unopened.no_folder': 'This session has no folder on this computer.',
  'unopened.gone': '{path} doesn’t exist anymore.',
  'unopened.unusable': 'Can’t open {path}: {error}.',
  'unopened.not_installed': 'Askdesk couldn’t find {program}. Install it, or choose another program in Settings, under Open in.',
  'unopened.no_command': 'No command is set for {program}. Enter it in Settings, under Open in.',
  'unopened.command_missing':
    'Askdesk couldn’t find {command}. Check the command in Settings, under Open in; the program’s full path always works.',
  'unopened.no_terminal': 'Askdesk couldn’t find a terminal. Install one, or enter your own command in Settings, under Open in.',
  'unopened.terminal_only_opens': '{terminal} can’t be told which program to run. Choose another terminal in Settings, under Open in.',
  'unopened.unsafe': '{program} can’t open a path that contains {character}. Choose another program.',
  'unopened.not_started': '{program} couldn’t start: {error}.',
  'unopened.exited': '{program} exited at once. Start it in a terminal to see why.',
  'unopened.exited_code': '{program} exited at once with code {code}. Start it in a terminal to see why.',
  'unopened.file_manager': 'The file manager didn’t open: {error}.',
  'unopened.nothing_to_continue': 'There’s nothing to continue yet. Send the agent a message first.',
  'unable.continuing_in_terminal': 'continuing a session in a terminal',
  'unable.signing_in': 'signing in',

  'unfit.unclosed': 'a quote isn’t closed',
  'unfit.no_program': 'it must begin with a program',
  'unfit.unknown_placeholder': '{name} isn’t a placeholder; use {known}',
  'unfit.not_alone': '{name} needs spaces around it',
  'open_in.copy_folder': 'Copy folder path',
  'open_in.folder': 'Open folder',
} as const;
