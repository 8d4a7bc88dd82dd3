import type { SessionId } from '../generated/wire';
import { filterValues, withoutKey } from './records';

/** A position in the order of age. */
export interface Age {
  id: string;
  askedAt: number;
}

interface OfSession extends Age {
  session: SessionId;
}

/** Values by id, and the values of each session, oldest first. */
export interface SessionIndex<T extends OfSession> {
  readonly byId: Readonly<Record<string, T>>;
  readonly bySession: Readonly<Record<SessionId, readonly T[]>>;
}

/** Oldest first; values of the same moment are ordered by their ascending ids. */
export function byAge(a: Age, b: Age): number {
  return a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1);
}

export function indexed<T extends OfSession>(values: readonly T[]): SessionIndex<T> {
  const bySession: Record<SessionId, T[]> = {};
  for (const value of values.toSorted(byAge)) (bySession[value.session] ??= []).push(value);
  return { byId: Object.fromEntries(values.map((value) => [value.id, value])), bySession };
}

/** Inserts a value in order; replaces a value with the same id. */
export function withValue<T extends OfSession>({ byId, bySession }: SessionIndex<T>, value: T): SessionIndex<T> {
  const { id, session } = value;
  const before = byId[id];
  const others = (of: SessionId) => (bySession[of] ?? []).filter((other) => other.id !== id);
  // A session can claim a call later.
  const moved = before && before.session !== session ? { [before.session]: others(before.session) } : {};
  return { byId: { ...byId, [id]: value }, bySession: { ...bySession, ...moved, [session]: [...others(session), value].sort(byAge) } };
}

export function withoutSession<T extends OfSession>(index: SessionIndex<T>, session: SessionId): SessionIndex<T> {
  const gone = new Set(ofSession(index, session).map(({ id }) => id));
  return { byId: filterValues(index.byId, (_, id) => !gone.has(id)), bySession: withoutKey(index.bySession, session) };
}

/** The values of a session, oldest first. */
export function ofSession<T extends OfSession>({ bySession }: SessionIndex<T>, session: SessionId): readonly T[] {
  return bySession[session] ?? [];
}

export function allIn<T extends OfSession>({ byId }: SessionIndex<T>): T[] {
  return Object.values(byId);
}
