import type { Client, ClientBreak, ClientNote, ClientRead, FileTrouble, Obstacle } from '../generated/wire';
import { plural, t, type MessageKey } from './messages';
import { visibly } from './visible';

const HOUR = 3_600;
const MINUTE = 60;

/** Brand names of the programs; never translated. */
export const clientNames = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  opencode: 'OpenCode',
  cursor: 'Cursor',
  vscode: 'VS Code',
  'copilot-cli': 'Copilot CLI',
  windsurf: 'Windsurf',
  antigravity: 'Antigravity',
  zed: 'Zed',
} as const satisfies Record<Client, string>;

/** Why a program's config file isn't edited, as the end of a sentence. */
export function wordsOfFileTrouble(trouble: FileTrouble): string {
  switch (trouble.trouble) {
    case 'unparsed':
      return t('trouble.unparsed', { kind: trouble.kind, error: visibly(trouble.error) });
    case 'no_object':
      return t('trouble.no_object');
    case 'no_place':
      return t('trouble.no_place', { path: visibly(trouble.path) });
    case 'twice':
      return t('trouble.twice', { path: visibly(trouble.path) });
    case 'no_text':
      return t('trouble.no_text');
    case 'too_large':
      return t('trouble.too_large');
    case 'read_only':
      return t('trouble.read_only');
    case 'no_file':
      return t('trouble.no_file');
    case 'outside':
      return t('trouble.outside', { to: visibly(trouble.to), within: visibly(trouble.within) });
    case 'dead_link':
      return t('trouble.dead_link');
    case 'unsafe':
      return t('trouble.unsafe');
    case 'changed':
      return t('trouble.changed');
    case 'system':
      return visibly(trouble.error);
  }
}

const remedies = {
  unparsed: 'remedy.correct',
  no_object: 'remedy.correct',
  no_place: 'remedy.correct',
  twice: 'remedy.correct',
  no_text: 'remedy.correct',
  too_large: 'remedy.too_large',
  read_only: 'remedy.read_only',
  no_file: 'remedy.no_file',
  outside: 'remedy.link',
  dead_link: 'remedy.link',
  unsafe: 'remedy.unsafe',
  changed: 'remedy.changed',
  system: 'remedy.system',
} as const satisfies Record<FileTrouble['trouble'], MessageKey>;

/** How the user can fix it, as a sentence. */
export function wordsOfFileRemedy({ trouble }: FileTrouble): string {
  return t(remedies[trouble]);
}

const obstacleWords = {
  hooks_off: 'clients.hooks_off',
  denied: 'clients.denied',
  differs: 'clients.differs',
  by_hand: 'clients.is_by_hand',
} as const satisfies Record<Obstacle, MessageKey>;

/** Why a program's questions don't arrive. */
function wordsOfBreak(why: ClientBreak): string {
  switch (why.why) {
    case 'stale':
      return t('clients.stale', { file: visibly(why.file) });
    case 'off':
      return t('clients.off', { file: visibly(why.file) });
    case 'foreign':
      return t('clients.foreign', { file: visibly(why.file) });
    case 'half':
      return t('clients.half', { file: visibly(why.file) });
    case 'unusable':
      return t('clients.unusable', {
        file: visibly(why.file),
        trouble: wordsOfFileTrouble(why.trouble),
        remedy: wordsOfFileRemedy(why.trouble),
      });
    case 'forbidden':
      return t(obstacleWords[why.by]);
  }
}

/** Describes the connection state of a program, in one or more sentences. */
export function wordsOfWay({ way, found }: ClientRead, shut: boolean): string {
  switch (way.way) {
    case 'works':
      return t(shut ? 'clients.works_later' : 'clients.works');
    case 'broken':
      return t('clients.broken', { why: wordsOfBreak(way.why) });
    case 'not_connected':
      return t(found ? 'clients.not_connected' : 'clients.not_found');
  }
}

/** Caveats about a program whose questions do arrive. */
export function wordsOfBut({ way }: ClientRead): string[] {
  return way.way === 'works' ? way.but.map((but) => t(obstacleWords[but])) : [];
}

/** Remarks about the time limits of particular programs. */
const waitWords: Partial<Record<Client, 'clients.wait_background' | 'clients.wait_trusted'>> = {
  'claude-code': 'clients.wait_background',
  'gemini-cli': 'clients.wait_trusted',
};

/** Describes how long a program waits for an answer. */
export function wordsOfWait({ client, limitSeconds }: ClientRead): string {
  if (limitSeconds === null) return t('clients.wait_unknown');
  const long =
    limitSeconds >= HOUR
      ? plural('clients.wait_hours', Math.floor(limitSeconds / HOUR))
      : plural('clients.wait_minutes', Math.max(1, Math.floor(limitSeconds / MINUTE)));
  const more = waitWords[client];
  return more === undefined ? long : t('clients.wait_and', { wait: long, more: t(more) });
}

/** What the user should know about a config change. */
export function wordsOfClientNote(note: ClientNote): string {
  switch (note.note) {
    case 'open_to_others':
      return t('clients.open_to_others', { file: visibly(note.file) });
    case 'changed_since':
      return t('clients.changed_since', { file: visibly(note.file), copy: visibly(note.copy) });
    case 'by_hand':
      return t('clients.by_hand', { file: visibly(note.file) });
    case 'old_copy':
      return t('clients.old_copy', { copy: visibly(note.copy) });
    case 'other_port':
      return t('clients.other_port', { port: String(note.port) });
    case 'no_command':
      return t('clients.no_command');
  }
}
