import type { AgentCommand, SessionId } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';
import type { ActionId, Offer } from '../../shared/actions.svelte';
import { actions } from '../../shared/actions.svelte';
import { isComposing, isPlainEnter } from '../../shared/keys';
import { matching, type Searchable } from '../../shared/match';
import { type PlainKey, t } from '../../shared/messages';
import { inEnglish } from '../../shared/messages/english';
import type { Commands } from '../../store/page';
import { type Asked, askedAt, filledIn, namedFile, type Written } from './asked';

/** The actions of the window that stand beside the agent's commands. */
const OURS: ReadonlySet<ActionId> = new Set([
  'new_session',
  'changes',
  'changes_back',
  'mode',
  'model',
  'resume',
  'fork',
  'rename',
  'open_in',
  'continue',
  'export_markdown',
  'compact',
  'usage',
  'log',
  'end',
]);

/** The action that gives way to an agent's command of this name. */
const SAME: Partial<Record<string, ActionId>> = { compact: 'compact' };

export interface Row extends Searchable {
  id: string;
  kind: 'command' | 'ours' | 'folder' | 'file';
  icon: string;
  /** What may follow a command, in the agent's words. */
  hint: string;
  /** What replaces the typed text. */
  words: string;
  /** What choosing it does besides. */
  run?: () => void;
}

interface Place {
  session: SessionId;
  read: () => Written;
  write: (written: Written) => void;
  offers: () => readonly Offer[];
}

/** How many files the list offers at a time. */
const FILES = 20;
/** How long the list waits before it asks again for what a folder that is being read has, in milliseconds. */
const READ_AGAIN = 300;

/** The list that opens while a command or a file is typed in the composer. */
export class Completion {
  asked: Asked | null = $state(null);
  rows: readonly Row[] = $state([]);
  current = $state(0);
  /** The query that the rows are for; the list can lag behind what is typed. */
  answered = $state('');
  /** Whether the folder has more files than were looked at. */
  isCut = $state(false);
  /** Whether the folder is still being read, so that more may come. */
  isReading = $state(false);
  failed: AppError | null = $state(null);
  #known: readonly AgentCommand[] = [];
  #ours: readonly Row[] = [];
  #reads = 0;
  /** What was typed when the user closed the list: it stays closed until something else is asked. */
  #closedAt: number | null = null;

  constructor(
    private readonly commands: Commands,
    private readonly place: () => Place,
  ) {}

  get isOpen(): boolean {
    return this.asked !== null && (this.rows.length > 0 || this.failed !== null);
  }

  /** Follows what is typed, and where the caret is. */
  follow(): void {
    const { text, caret } = this.place().read();
    const asked = askedAt(text, caret);
    if (asked?.from !== this.#closedAt) this.#closedAt = null;
    if (!asked || this.#closedAt !== null) {
      this.#forget();
      return;
    }
    const before = this.asked;
    if (before && before.what === asked.what && before.query === asked.query && before.from === asked.from) return;
    this.asked = asked;
    if (asked.what === 'file') void this.#readFiles(asked);
    else if (before?.what === 'command') this.#showCommands(asked);
    else void this.#readCommands();
  }

  /** Closes the list; what was typed stays. */
  close(): void {
    this.#closedAt = this.asked?.from ?? null;
    this.#forget();
  }

  /** Closes the list because the field no longer has the focus; it opens again with it. */
  leave(): void {
    this.#forget();
  }

  /** Carries out a key, if it means the list. */
  onKey(event: KeyboardEvent): boolean {
    if (!this.isOpen || isComposing(event)) return false;
    const held = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (held) return false;
    const count = this.rows.length;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        if (count === 0) return false;
        this.current = (this.current + (event.key === 'ArrowDown' ? 1 : count - 1)) % count;
        return true;
      case 'Escape':
        this.close();
        return true;
      case 'Tab':
        return this.choose(this.rows[this.current]);
      default:
        // A command that is typed out is sent, not chosen again.
        return isPlainEnter(event) && !this.#isTypedOut() && this.choose(this.rows[this.current]);
    }
  }

  choose(row: Row | undefined): boolean {
    const { asked } = this;
    if (!row || !asked) return false;
    const place = this.place();
    place.write(filledIn(place.read(), asked, row.words));
    if (row.kind === 'folder') return true;
    this.#forget();
    row.run?.();
    return true;
  }

  #isTypedOut(): boolean {
    return this.asked?.what === 'command' && this.#known.some(({ name }) => name === this.asked?.query);
  }

  #forget(): void {
    this.#reads += 1;
    this.asked = null;
    this.rows = [];
    this.failed = null;
    this.isCut = false;
    this.isReading = false;
  }

  #show(rows: readonly Row[]): void {
    this.rows = rows;
    this.current = 0;
    this.failed = null;
  }

  async #readCommands(): Promise<void> {
    const place = this.place();
    this.#ours = place.offers().flatMap(oursOf);
    this.#known = [];
    this.#showCommands(this.asked);
    const known = await this.#newest(this.commands.call('list_commands', { session: place.session }));
    if (!known) return;
    this.#known = known.commands;
    this.#showCommands(this.asked);
  }

  #showCommands(asked: Asked | null): void {
    const names = new Set<string | undefined>(this.#known.map(({ name }) => SAME[name]));
    const ours = this.#ours.filter(({ id }) => !names.has(id.split(' ')[0]));
    this.#show(matching([...this.#known.map(commandRow), ...ours], asked?.query ?? ''));
    this.answered = asked?.query ?? '';
    this.isCut = false;
  }

  async #readFiles(asked: Asked): Promise<void> {
    const { session } = this.place();
    const found = await this.#newest(this.commands.call('find_files', { session, query: asked.query, limit: FILES }));
    if (!found) return;
    const chosen = this.answered === asked.query ? this.rows[this.current]?.id : undefined;
    this.#show(found.paths.map(fileRow));
    // What comes while the folder is read leaves the chosen row chosen.
    this.current = Math.max(0, chosen === undefined ? 0 : this.rows.findIndex(({ id }) => id === chosen));
    this.answered = asked.query;
    this.isCut = found.isCut;
    this.isReading = found.isReading;
    if (!found.isReading) return;
    const reads = this.#reads;
    setTimeout(() => void (reads === this.#reads && this.#readFiles(asked)), READ_AGAIN);
  }

  /** Only the newest reading counts. */
  async #newest<T extends object>(reading: Promise<T | AppError>): Promise<T | null> {
    const read = (this.#reads += 1);
    const found = await reading;
    if (read !== this.#reads) return null;
    if (!('code' in found)) return found;
    this.#show([]);
    this.isReading = false;
    this.failed = found;
    return null;
  }
}

function commandRow({ name, description, argumentHint }: AgentCommand): Row {
  return { id: `/${name}`, kind: 'command', icon: 'terminal', name, about: description ?? '', hint: argumentHint ?? '', words: `/${name}` };
}

function oursOf(offer: Offer, index: number): Row[] {
  if (!OURS.has(offer.id)) return [];
  const action: { words: PlainKey; icon: string } = actions[offer.id];
  const aliases = [inEnglish(action.words), offer.id.replaceAll('_', ' ')];
  const row = { name: t(action.words), about: offer.id === 'open_in' ? (offer.about ?? '') : '', aliases };
  return [{ ...row, id: `${offer.id} ${index}`, kind: 'ours', icon: action.icon, hint: '', words: '', run: offer.run }];
}

function fileRow(path: string): Row {
  const kind = path.endsWith('/') ? 'folder' : 'file';
  return { id: path, kind, icon: kind === 'folder' ? 'folder' : 'note', name: path, hint: '', words: namedFile(path) };
}
