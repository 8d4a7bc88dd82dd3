import type { Attachment } from '../../generated/wire';
import type { State } from '../state';
import { readRecord, storeRecord } from './storedRecords';

const KEY = 'askdesk.unsent';
const ATTACHED_KEY = 'askdesk.attached';

type Unsent = Pick<State, 'messages' | 'attached'>;

/** Loads the messages and attachments that were unsent when the window last closed. */
export function readUnsent(): Unsent {
  const isText = (stored: unknown): stored is string => typeof stored === 'string';
  const isList = (stored: unknown): stored is Attachment[] => Array.isArray(stored) && stored.every(isAttachment);
  return { messages: readRecord(KEY, isText), attached: readRecord(ATTACHED_KEY, isList) };
}

function isAttachment(stored: unknown): stored is Attachment {
  if (typeof stored !== 'object' || stored === null) return false;
  const { attachment, image, format, name, path, bytes } = stored as Record<string, unknown>;
  const isImage = typeof image === 'string' && typeof format === 'string' && typeof name === 'string';
  const known = attachment === 'image' ? isImage : attachment === 'file' && typeof path === 'string';
  return known && typeof bytes === 'number';
}

export function storeUnsent({ messages, attached }: Unsent): void {
  storeRecord(KEY, messages, (text) => text !== '');
  storeRecord(ATTACHED_KEY, attached, (list) => list.length > 0);
}
