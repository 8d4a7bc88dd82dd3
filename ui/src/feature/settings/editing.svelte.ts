import type { AppError } from '../../platform/bridge';
import { wordsOfError } from '../../shared/errors/errorWords';

/** A validation error and the index of its item. */
export interface Wrong {
  at: number;
  words: string;
}

/** Converts between the fields of a list and the setting's value. */
interface Kind<Item, Kept> {
  items: (kept: Kept) => readonly Item[];
  kept: (items: readonly Item[]) => Kept;
  /** Validates the fields before they are sent. */
  wrong?: (items: readonly Item[]) => Wrong | null;
  /** Serializes a value, for comparison. */
  text: (kept: Kept) => string;
  send: (to: Kept) => Promise<AppError | null>;
}

/** An editable list: it keeps the content of the fields, even while it is invalid or incomplete. */
export class Editing<Item, Kept> {
  items: readonly Item[] = $state.raw([]);
  wrong: Wrong | null = $state.raw(null);
  readonly #kind: Kind<Item, Kept>;
  /** The last known value of the setting, serialized. */
  #known: string | null = null;
  #sent: Promise<void> = Promise.resolve();

  constructor(kind: Kind<Item, Kept>) {
    this.#kind = kind;
  }

  /** Takes the current value of the setting. If it is already known, the fields stay as they are. */
  take(now: Kept): void {
    const text = this.#kind.text(now);
    if (text === this.#known) return;
    this.#known = text;
    this.items = this.#kind.items(now);
    this.wrong = null;
  }

  add(item: Item): void {
    this.items = [...this.items, item];
  }

  write(n: number, item: Item): void {
    this.items = this.items.map((one, at) => (at === n ? item : one));
  }

  remove(n: number): void {
    this.items = this.items.filter((_, at) => at !== n);
    this.wrong = null;
    this.save(Math.min(n, this.items.length - 1));
  }

  /** Saves the fields. Saves run one after another, so that the last one wins. */
  save(edited: number): void {
    this.#sent = this.#sent.then(() => this.#send(edited));
  }

  async #send(edited: number): Promise<void> {
    const wrong = this.#kind.wrong?.(this.items);
    if (wrong) {
      this.wrong = wrong;
      return;
    }
    const to = this.#kind.kept(this.items);
    const before = this.#known;
    this.#known = this.#kind.text(to);
    const error = await this.#kind.send(to);
    if (!error) {
      this.wrong = null;
      return;
    }
    this.#known = before;
    const words = wordsOfError(error);
    // The same message again refers to the same item.
    if (this.wrong?.words !== words) this.wrong = { at: edited, words };
  }
}
