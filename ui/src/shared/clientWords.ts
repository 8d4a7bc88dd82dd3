import type {
  Client,
  ClientBreak,
  Confirmation,
  ClientNote,
  ClientPlan,
  ClientRead,
  FileTrouble,
  Obstacle,
  PlanClient,
} from '../generated/wire';
import { plural, t, type MessageKey } from './messages';
import { wordsOfMember, type UnionWords } from './unionWords';
import { visibly } from './visible';

/** A config change as the user sees it; only planned changes are ever written. */
export type Planned = ClientPlan & PlanClient;

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

const fileTroubleWords: UnionWords<FileTrouble, 'trouble'> = {
  unparsed: 'trouble.unparsed',
  no_object: 'trouble.no_object',
  no_place: 'trouble.no_place',
  twice: 'trouble.twice',
  no_text: 'trouble.no_text',
  too_large: 'trouble.too_large',
  read_only: 'trouble.read_only',
  no_file: 'trouble.no_file',
  outside: 'trouble.outside',
  dead_link: 'trouble.dead_link',
  unsafe: 'trouble.unsafe',
  changed: 'trouble.changed',
  system: ({ error }) => visibly(error),
};

/** Why a program's config file isn't edited, as the end of a sentence. */
export function wordsOfFileTrouble(trouble: FileTrouble): string {
  return wordsOfMember(fileTroubleWords, 'trouble', trouble);
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
  background: 'clients.background',
} as const satisfies Record<Obstacle, MessageKey>;

const breakWords: UnionWords<ClientBreak, 'why'> = {
  stale: 'clients.stale',
  off: 'clients.off',
  foreign: 'clients.foreign',
  half: 'clients.half',
  unusable: ({ file, trouble }) =>
    t('clients.unusable', { file: visibly(file), trouble: wordsOfFileTrouble(trouble), remedy: wordsOfFileRemedy(trouble) }),
  forbidden: ({ by }) => t(obstacleWords[by]),
};

/** Describes the connection state of a program, in one or more sentences. */
export function wordsOfWay(client: ClientRead, shut: boolean, asked: Asked | null): string {
  const { way, found } = client;
  switch (way.way) {
    case 'works':
      if (shut) return t('clients.works_later');
      return isConnected(client, asked) ? t('clients.works') : wordsOfAsked(clientNames[client.client], asked);
    case 'broken':
      return t('clients.broken', { why: wordsOfMember(breakWords, 'why', way.why) });
    case 'not_connected':
      return t(found ? 'clients.not_connected' : 'clients.not_found');
  }
}

/** What a program says about its entry, or that it is being asked. */
export type Asked = Confirmation | { confirmation: 'asking' };

/** Whether a program is known to use its entry: it says so, or it has asked here. */
export function isConnected({ lastQuestion }: ClientRead, asked: Asked | null): boolean {
  if (asked === null || asked.confirmation === 'unasked') return lastQuestion !== null;
  return asked.confirmation === 'confirmed';
}

function wordsOfAsked(name: string, asked: Asked | null): string {
  switch (asked?.confirmation) {
    case 'asking':
      return t('clients.confirming', { name });
    case 'unlisted':
      return t('clients.unlisted', { name });
    case 'refused':
      return t('clients.refused', { name, said: visibly(asked.said) });
    default:
      return t('clients.unconfirmed', { name });
  }
}

/** Caveats about a program whose questions do arrive. */
export function wordsOfBut({ way }: ClientRead): string[] {
  return way.way === 'works' ? way.but.map((but) => t(obstacleWords[but])) : [];
}

/** Remarks about the time limits of particular programs. */
const waitWords: Partial<Record<Client, 'clients.wait_trusted'>> = { 'gemini-cli': 'clients.wait_trusted' };

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

const noteWords: UnionWords<ClientNote, 'note'> = {
  open_to_others: 'clients.open_to_others',
  changed_since: 'clients.changed_since',
  by_hand: 'clients.by_hand',
  old_copy: 'clients.old_copy',
  other_port: ({ port }) => t('clients.other_port', { port: String(port) }),
  no_command: 'clients.no_command',
  no_background: ({ client }) => t('clients.no_background', { name: clientNames[client] }),
};

/** What the user should know about a config change. */
export function wordsOfClientNote(note: ClientNote): string {
  return wordsOfMember(noteWords, 'note', note);
}
