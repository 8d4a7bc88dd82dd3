/** Loads values by name, without those that aren't as expected. */
export function readRecord<T>(key: string, is: (stored: unknown) => stored is T): Record<string, T> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter((pair): pair is [string, T] => is(pair[1])));
  } catch {
    return {};
  }
}

/** Stores values by name; without any, nothing stays in the storage. */
export function storeRecord<T>(key: string, values: Readonly<Record<string, T>>, worthStoring: (value: T) => boolean): void {
  const kept = Object.entries(values).filter(([, value]) => worthStoring(value));
  try {
    if (kept.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // If the storage is full, it keeps its previous content; the values are still in the window.
  }
}
