/**
 * Remembers the last result of a selector. What it costs is paid only when a part of the state that it reads has changed, and not
 * with every action; the type of `select` makes sure that it reads no other part.
 */
export function remembered<State, Part extends keyof State, Result>(
  parts: readonly Part[],
  select: (state: Pick<State, Part>) => Result,
): (state: Pick<State, Part>) => Result {
  let last: { read: readonly unknown[]; result: Result } | null = null;
  return (state) => {
    if (!last?.read.every((value, index) => value === state[parts[index] as Part])) {
      last = { read: parts.map((part) => state[part]), result: select(state) };
    }
    return last.result;
  };
}
