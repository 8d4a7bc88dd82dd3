import type { SessionId } from '../generated/wire';
import { filterValues, withoutKey } from './records';

/** A place in the order of age. */
export interface Age {
  id: string;
  askedAt: number;
}

interface OfSession extends Age {
  session: SessionId;
}

/** Values by their id, and those of each session oldest first. */
export interface SessionIndex<T extends OfSession> {
  readonly byId: Readonly<Record<string, T>>;
  readonly bySession: Readonly<Record<SessionId, readonly T[]>>;
}

/** The oldest first; of one moment, in the order of their ids, which grow. */
export function byAge(a: Age, b: Age): number {
  return a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1);
}

export function indexed<T extends OfSession>(values: readonly T[]): SessionIndex<T> {
  const bySession: Record<SessionId, T[]> = {};
  for (const value of values.toSorted(byAge)) (bySession[value.session] ??= []).push(value);
  return { byId: Object.fromEntries(values.map((value) => [value.id, value])), bySession };
}

/** Puts a value in its place; one with its id is replaced. */
export function withValue<T extends OfSession>({ byId, bySession }: SessionIndex<T>, value: T): SessionIndex<T> {
  const { id, session } = value;
  const before = byId[id];
  const others = (of: SessionId) => (bySession[of] ?? []).filter((other) => other.id !== id);
  // A call can be claimed by a session later.
  const moved = before && before.session !== session ? { [before.session]: others(before.session) } : {};
  return {
    byId: { ...byId, [id]: value },
    bySession: { ...bySession, ...moved, [session]: [...others(session), value].sort(byAge) },
  };
}

export function withoutSession<T extends OfSession>(index: SessionIndex<T>, session: SessionId): SessionIndex<T> {
  const gone = new Set(ofSession(index, session).map(({ id }) => id));
  return {
    byId: filterValues(index.byId, (_, id) => !gone.has(id)),
    bySession: withoutKey(index.bySession, session),
  };
}

/** The values of a session, oldest first. */
export function ofSession<T extends OfSession>({ bySession }: SessionIndex<T>, session: SessionId): readonly T[] {
  return bySession[session] ?? [];
}

export function allIn<T extends OfSession>({ byId }: SessionIndex<T>): T[] {
  return Object.values(byId);
}
