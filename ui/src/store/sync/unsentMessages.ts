import type { Attachment } from '../../generated/wire';
import type { State } from '../state';

const KEY = 'askdesk.unsent';
const ATTACHED_KEY = 'askdesk.attached';

type Unsent = Pick<State, 'messages' | 'attached'>;

/** Loads the messages and attachments that were unsent when the window last closed. */
export function readUnsent(): Unsent {
  const isText = (kept: unknown): kept is string => typeof kept === 'string';
  const isList = (kept: unknown): kept is Attachment[] => Array.isArray(kept) && kept.every(isAttachment);
  return { messages: read(KEY, isText), attached: read(ATTACHED_KEY, isList) };
}

function isAttachment(kept: unknown): kept is Attachment {
  if (typeof kept !== 'object' || kept === null) return false;
  const { attachment, image, format, name, path, bytes } = kept as Record<string, unknown>;
  const isImage = typeof image === 'string' && typeof format === 'string' && typeof name === 'string';
  const known = attachment === 'image' ? isImage : attachment === 'file' && typeof path === 'string';
  return known && typeof bytes === 'number';
}

function read<T>(key: string, is: (kept: unknown) => kept is T): Record<string, T> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter((pair): pair is [string, T] => is(pair[1])));
  } catch {
    return {};
  }
}

export function storeUnsent({ messages, attached }: Unsent): void {
  store(KEY, messages, (text) => text !== '');
  store(ATTACHED_KEY, attached, (list) => list.length > 0);
}

function store<T>(key: string, values: Readonly<Record<string, T>>, says: (value: T) => boolean): void {
  const unsent = Object.entries(values).filter(([, value]) => says(value));
  try {
    if (unsent.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(unsent)));
  } catch {
    // If the storage is full, it keeps its previous content; the unsent text is still in the window.
  }
}
