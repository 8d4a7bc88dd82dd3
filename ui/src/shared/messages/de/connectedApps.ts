import type { Words } from '..';
import type { connectedApps as english } from '../en/connectedApps';

export const connectedApps: Words<typeof english> = {
  'channel.mcp': 'MCP-Client',
  'channel.terminal_hook': 'Claude Code im Terminal',
  'channel.command_line': 'Befehlszeile',
  'connected_app.there': 'Verbunden',
  'connected_app.left': 'Nicht verbunden',
  'connected_app.label': 'Wohin Ihre Antworten gehen',
  'connected_app.answers_to':
    '{client} fragt hier von sich aus; Askdesk hat es nicht gestartet. Ihre Antworten gehen an {client}.',
  'connected_app.answers_in':
    '{client} fragt hier von sich aus; Askdesk hat es nicht gestartet. Ihre Antworten gehen an {client} in {folder}.',
  'connected_app.terminal_to': '{client} läuft in einem Terminal und fragt auch dort. Die erste Antwort zählt.',
  'connected_app.terminal_in': '{client} läuft in einem Terminal in {folder} und fragt auch dort. Die erste Antwort zählt.',
  'connected_app.gone': '{client} ist gerade nicht verbunden. Ihre Antwort wird aufbewahrt, bis es wieder fragt.',
  'connected_app.kept': 'Aufbewahrt, bis {client} wieder fragt',
  'connected_app.stopped_waiting': '{client} wartet nicht mehr',
  'connected_app.answer_kept': 'Ihre Antwort wird aufbewahrt, bis {client} wieder fragt.',
  'connected_app.keep': 'Antwort aufbewahren',
  'connected_app.late': '{client} hat sie bekommen, als es wieder fragte',
  'connected_app.unnamed': 'Der Client',
  'connected_app.missed': 'Verpasst: {client} wartete nicht mehr, bevor Sie antworteten',
  'connected_app.in_terminal': 'Im Terminal beantwortet',
};
