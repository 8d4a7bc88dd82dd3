type Values<T> = Readonly<Record<string, T>>;

export function withoutKey<T>(from: Values<T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = from;
  return rest;
}

export function filterValues<T>(from: Values<T>, keep: (value: T, key: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([key, value]) => keep(value, key)));
}
