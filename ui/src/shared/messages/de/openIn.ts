import type { openIn as english } from '../en/openIn';

export const openIn: Record<keyof typeof english, string> = {
  'open_in.menu': 'Öffnen in …',
  'open_in.file': 'In {program} öffnen',
  'open_in.file_at': 'In {program} öffnen, Zeile {line}',
  'open_in.open_file': 'Datei im Editor öffnen',
  'program.editor_command': 'Eigener Editor',
  'program.terminal_command': 'Eigenes Terminal',
  'program.file_manager': 'Dateiverwaltung',

  'continue.action': 'Im Terminal fortsetzen',
  'continue.ask': '„{name}“ im Terminal fortsetzen?',
  'continue.ends':
    'Die Sitzung wird hier zuerst beendet, weil zwei Programme nicht in dieselbe Unterhaltung schreiben können. Beenden Sie den Agent im Terminal, bevor Sie die Sitzung hier fortsetzen.',
  'continue.yes': 'Im Terminal fortsetzen',
  'continue.no': 'Weiterlaufen lassen',

  'unopened.no_folder': 'Diese Sitzung hat auf diesem Computer keinen Ordner.',
  'unopened.gone': '{path} gibt es nicht mehr.',
  'unopened.unusable': '{path} lässt sich nicht öffnen: {error}.',
  'unopened.not_installed':
    'Askdesk hat {program} nicht gefunden. Installieren Sie das Programm, oder wählen Sie in den Einstellungen unter „Öffnen in“ ein anderes.',
  'unopened.no_command': 'Für {program} ist kein Befehl festgelegt. Tragen Sie ihn in den Einstellungen unter „Öffnen in“ ein.',
  'unopened.command_missing':
    'Askdesk hat {command} nicht gefunden. Prüfen Sie den Befehl in den Einstellungen unter „Öffnen in“; der vollständige Pfad des Programms funktioniert immer.',
  'unopened.no_terminal':
    'Askdesk hat kein Terminal gefunden. Installieren Sie eines, oder tragen Sie in den Einstellungen unter „Öffnen in“ einen eigenen Befehl ein.',
  'unopened.terminal_only_opens':
    '{terminal} lässt sich nicht sagen, welches Programm laufen soll. Wählen Sie in den Einstellungen unter „Öffnen in“ ein anderes Terminal.',
  'unopened.unsafe': '{program} kann keinen Pfad öffnen, der {character} enthält. Wählen Sie ein anderes Programm.',
  'unopened.not_started': '{program} konnte nicht starten: {error}.',
  'unopened.exited': '{program} hat sich sofort beendet. Starten Sie es in einem Terminal, um den Grund zu sehen.',
  'unopened.exited_code': '{program} hat sich sofort mit Code {code} beendet. Starten Sie es in einem Terminal, um den Grund zu sehen.',
  'unopened.file_manager': 'Die Dateiverwaltung ließ sich nicht öffnen: {error}.',
  'unopened.nothing_to_continue': 'Es gibt noch nichts fortzusetzen. Senden Sie dem Agent zuerst eine Nachricht.',
  'unable.continuing_in_terminal': 'eine Sitzung im Terminal fortsetzen',
  'unable.signing_in': 'sich anmelden',

  'unfit.unclosed': 'ein Anführungszeichen ist nicht geschlossen',
  'unfit.no_program': 'am Anfang muss ein Programm stehen',
  'unfit.unknown_placeholder': '{name} ist kein Platzhalter; verwenden Sie {known}',
  'unfit.not_alone': '{name} braucht Leerzeichen davor und danach',
  'open_in.copy_folder': 'Ordnerpfad kopieren',
  'open_in.folder': 'Ordner öffnen',
};
