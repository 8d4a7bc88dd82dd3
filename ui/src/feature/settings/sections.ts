import type { Row } from './rows';

/** The section of the connected apps, which aren't settings of the file. */
export const CLIENTS = 'clients.title';

export type Section = Row['section'] | typeof CLIENTS;

/** The icon of each section, in the order of the dialog. */
export const sectionIcons = {
  'settings.appearance': 'palette',
  'settings.notifications': 'bell',
  'settings.questions': 'ask',
  'settings.permissions': 'shield',
  'settings.window': 'window',
  'settings.open_in': 'open_in',
  'settings.agents': 'agent',
  [CLIENTS]: 'connection',
  'settings.data': 'data',
  'settings.updates': 'download',
} as const satisfies Record<Section, string>;

export const SECTIONS = Object.keys(sectionIcons) as Section[];

/** What the dialog can open at besides its rows and sections, and the section of each. */
const parts: Partial<Record<string, Section>> = {
  connected_apps: CLIENTS,
  notification_log: 'settings.notifications',
  permissions: 'settings.permissions',
  updates: 'settings.updates',
};

/** The section of a row, a section itself, or another part; the first section if nothing has that name. */
export function sectionAt(at: string | null, rows: readonly Row[]): Section {
  const section = SECTIONS.find((one) => one === at) ?? rows.find(({ id }) => id === at)?.section ?? parts[at ?? ''];
  return section ?? 'settings.appearance';
}
