import type { Words } from '..';
import type { errors as english } from '../en/errors';

export const errors: Words<typeof english> = {
  'failure.agent_missing': '{program} wurde nicht gefunden. Gesucht wurde hier: {tried}. {hint}',
  'failure.install_claude':
    'Installieren Sie Claude Code mit `npm install -g @anthropic-ai/claude-code` oder mit dem Installationsprogramm des Herstellers und starten Sie die Sitzung erneut; oder nennen Sie das Programm unter „Weitere Optionen“.',
  'failure.path': 'im PATH {value}',
  'failure.path_empty': 'im PATH, der leer ist',
  'failure.folder': 'Der Ordner {path} kann nicht benutzt werden: {problem}. Wählen Sie einen Ordner, den es gibt.',
  'failure.not_started': '{program} konnte nicht gestartet werden: {error}. {hint}',
  'failure.hint_missing': 'Prüfen Sie, ob das Programm noch installiert ist, und starten Sie die Sitzung erneut.',
  'failure.hint_forbidden': 'Prüfen Sie, ob die Datei ausgeführt werden darf, und starten Sie die Sitzung erneut.',
  'failure.hint_unfit':
    'Prüfen Sie, ob die Datei ein Programm für dieses System ist; vielleicht hilft es, den Agenten neu zu installieren.',
  'failure.exited': 'Der Agent wurde beendet ({how}).',
  'failure.exit_code': 'Exit-Code {code}',
  'failure.exit_signal': 'durch Signal {signal} abgebrochen',
  'failure.exit_unknown': 'aus unbekanntem Grund',
  'failure.said_last': 'Seine letzten Zeilen:',
  'failure.interrupt_ignored':
    'Der Agent hörte nicht innerhalb von {seconds} Sekunden auf, darum wurde er mit allem beendet, was er gestartet hatte.',
  'failure.output_lost': 'Die Ausgabe des Agenten konnte nicht mehr gelesen werden.',
  'failure.session_unknown':
    'Der Agent hat diese Sitzung nicht mehr und kann sie nicht fortsetzen. Was hier gesagt wurde, bleibt erhalten; beginnen Sie eine neue Sitzung, um weiterzumachen.',
  'failure.desk_failed': 'In dieser Sitzung ist in der App ein Fehler aufgetreten.',
  'next.resume': 'Setzen Sie die Sitzung fort, um weiterzumachen, wo sie war.',
  'next.start_anew': 'Beginnen Sie eine neue Sitzung, um es noch einmal zu versuchen.',
  'folder.missing': 'Es gibt ihn nicht',
  'folder.not_a_folder': 'Das ist kein Ordner',
  'folder.forbidden': 'Er darf nicht geöffnet werden',
  'folder.not_absolute': 'Der Pfad muss ganz oben oder mit ~ beginnen',
  'folder.other': 'Er lässt sich nicht öffnen ({error})',

  'undelivered.input_closed':
    'Der Agent nimmt nichts mehr an: Sein Prozess ist beendet oder seine Eingabe geschlossen',
  'undelivered.write_failed': 'An den Agenten konnte nicht geschrieben werden: {error}',
  'undelivered.not_reading': 'Der Agent liest seine Eingabe nicht: Es warten schon {lines} Zeilen',
  'undelivered.not_awaited': 'Der Agent wartet nicht mehr darauf',
  'undelivered.may_have_arrived':
    'Der Agent endete während der Übergabe, darum ist es vielleicht angekommen. Von selbst wird es nicht noch einmal gesendet; „Erneut versuchen“ sendet es als Nachricht',
  'undelivered.not_running': 'Der Agent läuft nicht',
  'undelivered.busy': 'Der Agent nimmt im Moment nichts an',
  'undelivered.storage_busy': 'Der Verlauf wird von einem anderen Programm benutzt',
  'undelivered.storage_full': 'Die Festplatte ist voll; schaffen Sie Platz',
  'undelivered.storage': 'Der Verlauf konnte nicht geschrieben werden: {error}',
  'undelivered.image_gone': 'Das Bild {name} ist nicht mehr vorhanden; hängen Sie es noch einmal an',
  'undelivered.file_unreadable': 'Datei {path}: {error}',

  'storage.corrupt':
    'Der Verlauf konnte nicht gelesen werden. Er liegt jetzt beiseite in {kept}, und ein neuer wurde begonnen.',
  'storage.newer':
    'Der Verlauf wurde von einem neueren Askdesk geschrieben. Er bleibt unberührt in {kept}; dieses Mal wird {used} verwendet.',
  'banner.dismiss': 'Ausblenden',
  'error.trace': 'Log-Kennung {trace}',

  'error.not_found': 'Das ist hier nicht mehr bekannt. Es wurde nichts gesendet.',
  'error.already_ended':
    'Schon beantwortet: Diese Frage war zu Ende, bevor Ihre Antwort kam. Es wurde nichts doppelt gesendet.',
  'error.already_ended_by': 'Diese Frage ist schon beantwortet oder geschlossen ({by}, {time}). Es wurde nichts doppelt gesendet.',
  'error.invalid': 'Das wurde nicht angenommen: {message}',
  'error.session_gone': 'Die Sitzung ist beendet; es ist niemand da, dem das gesendet werden könnte.',
  'error.unsupported': 'Dieser Agent kann das nicht: {message}',
  'error.agent_missing': 'Der Agent wurde nicht gefunden. {message}',
  'error.agent_refused': 'Der Agent hat es nicht getan: {message}',
  'error.folder_missing': 'Den Ordner gibt es nicht. {message}',
  'error.not_started': 'Der Agent konnte nicht gestartet werden. {message}',
  'error.storage_busy': 'Der Verlauf ist beschäftigt, darum wurde nichts gesendet. Versuchen Sie es gleich noch einmal.',
  'error.storage_full':
    'Der Datenträger ist voll, darum wurde nichts gespeichert oder gesendet. Schaffen Sie Platz und versuchen Sie es dann noch einmal.',
  'error.storage': 'Das konnte nicht gespeichert werden, darum wurde nichts gesendet. {message}',
  'error.settings_not_written': 'Die Einstellung wurde nicht übernommen. {message}',
  'error.extras_changed':
    'Die Einstellungen für diesen Agenten haben sich geändert, seit sie hier gezeigt wurden. Sie werden neu gezeigt: Sehen Sie sie an und starten Sie dann noch einmal.',
  'error.closing': 'Askdesk wird gerade geschlossen, darum wurde nichts gesendet.',
  'error.file_not_written': 'Die Datei konnte nicht geschrieben werden. {message}',
  'error.attachment_gone':
    '{file} ist nicht mehr da, darum wurde nichts gesendet. Entfernen Sie den Anhang oder hängen Sie die Datei erneut an.',
  'breach.empty': 'Es darf nicht leer sein',
  'breach.too_long': 'Höchstens {most} Byte sind möglich, das sind {bytes}',
  'breach.queue_full':
    'Höchstens {most} Nachrichten können warten; entfernen Sie eine oder lassen Sie den Agenten weitermachen',
  'breach.too_many_attached': 'Zu einer Nachricht gehören höchstens {most} Anhänge, das sind {count}',
  'breach.path_untold': 'Ein Pfad lässt sich dem Agenten nicht mitteilen',
  'breach.question_open': 'Eine Frage ist offen; beantworten Sie sie oder antworten Sie im Chat',
  'breach.still_running': 'Sie läuft noch; beenden Sie sie zuerst',
  'breach.no_model': 'Das ist kein Name eines Modells',
  'breach.no_folder': 'Nennen Sie den Ordner, in dem der Agent arbeiten soll',
  'breach.plan_cut_off': 'Dieser Plan ist zu lang, um hier bearbeitet zu werden; geben Sie ihn stattdessen zurück',
  'breach.no_address': 'Das ist keine Adresse ({error})',
  'breach.address_not_opened': 'Nur Adressen des Webs und von Postfächern werden geöffnet, nicht {scheme}:',
  'breach.no_program': 'Kein Programm dieses Rechners hat sie geöffnet ({error})',
  'breach.path_not_text': 'Der Pfad des Ordners lässt sich nicht als Text schreiben',
  'refused_change.unanswered': 'Der Agent hat nicht innerhalb von {seconds} Sekunden geantwortet.',
  'refused_change.others_wait': 'Der Agent hat die Änderungen davor noch nicht beantwortet.',
  'unable.attaching': 'Bilder und Dateien annehmen',
  'unable.saving': 'eine Datei speichern',
  'error.folder_unusable':
    'Der Ordner {path} kann nicht benutzt werden: {problem}. Legen Sie ihn an oder wählen Sie einen anderen.',
  'error.at_file': 'Datei {path}: {error}',
  'error.unreachable': 'Das Fenster konnte die App nicht erreichen: {message}',

  'ignored.unknown': 'Diese Einstellung gibt es nicht',
  'ignored.no_value': 'Hier gehört ein Wert hin',
  'ignored.unfit': 'Das passt hier nicht ({error})',
  'ignored.unfit_value': '{value} passt hier nicht ({error})',
  'ignored.too_large': 'Sie ist zu groß ({bytes}); höchstens {most} werden gelesen',
  'ignored.unreadable': 'Sie kann nicht gelesen werden ({error})',
};
