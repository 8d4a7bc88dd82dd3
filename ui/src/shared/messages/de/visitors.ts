import type { Words } from '..';
import type { visitors as english } from '../en/visitors';

export const visitors: Words<typeof english> = {
  'channel.mcp': 'MCP-Client',
  'channel.terminal_hook': 'Claude Code im Terminal',
  'channel.command_line': 'Befehlszeile',
  'visitor.there': 'Verbunden',
  'visitor.left': 'Nicht verbunden',
  'visitor.label': 'Wohin Ihre Antworten gehen',
  'visitor.answers_to':
    '{client} fragt hier von sich aus; Askdesk hat es nicht gestartet. Ihre Antworten gehen an {client}.',
  'visitor.answers_in':
    '{client} fragt hier von sich aus; Askdesk hat es nicht gestartet. Ihre Antworten gehen an {client} in {folder}.',
  'visitor.terminal_to': '{client} läuft in einem Terminal und fragt auch dort. Die erste Antwort zählt.',
  'visitor.terminal_in': '{client} läuft in einem Terminal in {folder} und fragt auch dort. Die erste Antwort zählt.',
  'visitor.gone': '{client} ist gerade nicht verbunden. Ihre Antwort wird aufbewahrt, bis es wieder fragt.',
  'visitor.kept': 'Aufbewahrt, bis {client} wieder fragt',
  'visitor.stopped_waiting': '{client} wartet nicht mehr',
  'visitor.answer_kept': 'Ihre Antwort wird aufbewahrt, bis {client} wieder fragt.',
  'visitor.keep': 'Antwort aufbewahren',
  'visitor.late': '{client} hat sie bekommen, als es wieder fragte',
  'visitor.unnamed': 'Der Client',
  'visitor.missed': 'Verpasst: {client} wartete nicht mehr, bevor Sie antworteten',
  'visitor.in_terminal': 'Im Terminal beantwortet',
};
