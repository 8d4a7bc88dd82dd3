import type { SessionId } from '../../generated/wire';

const KEY = 'askdesk.left';

/** Where the user reads in a transcript: an entry, and how far it is below the upper edge, in pixels. */
export interface ReadingPlace {
  readonly entry: number;
  readonly offset: number;
}

interface Left {
  session: SessionId | null;
  /** Null at the end, which is followed. */
  place: ReadingPlace | null;
}

/** What the user was looking at, kept for the next window. */
export class LeftPlace {
  #now: Left;
  /** What the last window left, until a transcript is shown. */
  #left: Left | null;

  constructor() {
    this.#now = read();
    this.#left = this.#now;
  }

  get session(): SessionId | null {
    return this.#now.session;
  }

  select(session: SessionId): void {
    if (session !== this.#now.session) this.#store({ session, place: null });
  }

  note(session: SessionId, place: ReadingPlace | null): void {
    if (session === this.#now.session) this.#store({ session, place });
  }

  /** Where the transcript that is shown first begins; null for its end, and for every later one. */
  take(session: SessionId): ReadingPlace | null {
    const left = this.#left;
    this.#left = null;
    return left?.session === session ? left.place : null;
  }

  #store(left: Left): void {
    this.#now = left;
    try {
      localStorage.setItem(KEY, JSON.stringify(left));
    } catch {
      // The next window then begins like one without a past.
    }
  }
}

function read(): Left {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<keyof Left, unknown>> | null;
    const session = typeof stored?.session === 'string' ? stored.session : null;
    return { session, place: isPlace(stored?.place) ? stored.place : null };
  } catch {
    return { session: null, place: null };
  }
}

function isPlace(stored: unknown): stored is ReadingPlace {
  if (typeof stored !== 'object' || stored === null) return false;
  const { entry, offset } = stored as Partial<Record<keyof ReadingPlace, unknown>>;
  return Number.isSafeInteger(entry) && Number.isFinite(offset);
}
