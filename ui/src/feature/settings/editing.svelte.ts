import type { AppError } from '../../platform/bridge';
import { wordsOfError } from '../../shared/errors/errorWords';

/** What is wrong, and with which item. */
export interface Wrong {
  at: number;
  words: string;
}

/** How the fields of a list and the setting it stands for belong together. */
interface Kind<Item, Kept> {
  items: (kept: Kept) => readonly Item[];
  kept: (items: readonly Item[]) => Kept;
  /** What is wrong with the fields already before they are sent. */
  wrong?: (items: readonly Item[]) => Wrong | null;
  /** Tells whether two are the same. */
  text: (kept: Kept) => string;
  send: (to: Kept) => Promise<AppError | null>;
}

/** A list that is edited: what stands in the fields, also where it cannot be kept or is not yet filled in. */
export class Editing<Item, Kept> {
  items: readonly Item[] = $state.raw([]);
  wrong: Wrong | null = $state.raw(null);
  readonly #kind: Kind<Item, Kept>;
  /** What is set, as far as the fields know. */
  #known: string | null = null;
  #sent: Promise<void> = Promise.resolve();

  constructor(kind: Kind<Item, Kept>) {
    this.#kind = kind;
  }

  /** Takes what is set now; where the fields know of it already they stay as they are. */
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

  /** Sets what stands in the fields, one after another: the last one must be the one that holds. */
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
    // In the same words it is still the same item that is wrong.
    if (this.wrong?.words !== words) this.wrong = { at: edited, words };
  }
}
