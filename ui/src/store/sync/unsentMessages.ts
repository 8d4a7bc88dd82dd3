import type { Attachment } from '../../generated/wire';
import type { State } from '../state';

const KEY = 'askdesk.unsent';
const ATTACHED_KEY = 'askdesk.attached';

type Unsent = Pick<State, 'messages' | 'attached'>;

/** Loads the messages and attachments that were unsent when the window last closed. */
export function readUnsent(): Unsent {
  const isText = (stored: unknown): stored is string => typeof stored === 'string';
  const isList = (stored: unknown): stored is Attachment[] => Array.isArray(stored) && stored.every(isAttachment);
  return { messages: read(KEY, isText), attached: read(ATTACHED_KEY, isList) };
}

function isAttachment(stored: unknown): stored is Attachment {
  if (typeof stored !== 'object' || stored === null) return false;
  const { attachment, image, format, name, path, bytes } = stored as Record<string, unknown>;
  const isImage = typeof image === 'string' && typeof format === 'string' && typeof name === 'string';
  const known = attachment === 'image' ? isImage : attachment === 'file' && typeof path === 'string';
  return known && typeof bytes === 'number';
}

function read<T>(key: string, is: (stored: unknown) => stored is T): Record<string, T> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter((pair): pair is [string, T] => is(pair[1])));
  } catch {
    return {};
  }
}

export function storeUnsent({ messages, attached }: Unsent): void {
  store(KEY, messages, (text) => text !== '');
  store(ATTACHED_KEY, attached, (list) => list.length > 0);
}

function store<T>(key: string, values: Readonly<Record<string, T>>, worthStoring: (value: T) => boolean): void {
  const unsent = Object.entries(values).filter(([, value]) => worthStoring(value));
  try {
    if (unsent.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(unsent)));
  } catch {
    // If the storage is full, it keeps its previous content; the unsent text is still in the window.
  }
}
