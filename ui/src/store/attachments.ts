import { isSame, nameOf } from '../entities/attachment/attachment';
import type { AttachedFiles, Attachment, RefusedFile, SessionId, Takes } from '../generated/wire';
import { agentOf } from './agents';
import type { Handlers } from './handlers';
import type { Refusal } from './parts/unsent';
import { withoutKey } from './records';
import { sessionOf } from './select';
import type { State } from './state';

/** Changes to the attachments of unsent messages. */
export type AttachmentAction =
  | { type: 'files_attached'; session: SessionId; files: AttachedFiles }
  | { type: 'files_refused'; session: SessionId; refused: readonly Refusal[] }
  | { type: 'attachment_removed'; session: SessionId; attachment: Attachment }
  | { type: 'refusals_read'; session: SessionId };

export const attachmentHandlers: Handlers<AttachmentAction> = {
  files_attached(state, { session, files }) {
    const { attached, refused } = put(attachedOf(state, session), files, takesOf(state, session));
    return refuse({ ...state, attached: { ...state.attached, [session]: attached } }, session, refused);
  },
  files_refused: (state, { session, refused }) => refuse(state, session, refused),
  attachment_removed: (state, { session, attachment }) => withoutAttached(state, session, [attachment]),
  refusals_read: (state, { session }) => refuse(state, session, []),
};

/** Keeps only the latest refusals: each attempt replaces those of the previous one. */
function refuse(state: State, session: SessionId, refused: readonly Refusal[]): State {
  const others = withoutKey(state.refusals, session);
  return { ...state, refusals: refused.length === 0 ? others : { ...others, [session]: refused } };
}

/** Appends files without duplicates, up to the number a message can take. */
function put(before: readonly Attachment[], files: AttachedFiles, takes: Takes | null) {
  const count = takes?.takes === 'images_and_files' ? takes.count : 0;
  const attached = [...before];
  const refused: RefusedFile[] = [...files.refused];
  for (const attachment of files.attached) {
    if (attached.some((one) => isSame(one, attachment))) continue;
    if (attached.length < count) attached.push(attachment);
    else refused.push({ name: nameOf(attachment), why: { why: 'too_many' } });
  }
  return { attached, refused };
}

/** Removes the attachments that were sent with a message; those added in the meantime stay. */
export function withoutSent(state: State, session: SessionId, sent: readonly Attachment[]): State {
  return refuse(withoutAttached(state, session, sent), session, []);
}

function withoutAttached(state: State, session: SessionId, gone: readonly Attachment[]): State {
  const attached = attachedOf(state, session).filter((one) => !gone.some((other) => isSame(one, other)));
  return { ...state, attached: { ...state.attached, [session]: attached } };
}

export function attachedOf(state: State, session: SessionId): readonly Attachment[] {
  return state.attached[session] ?? [];
}

/** The size of a session's unsent text, in bytes, if it is too long for a message but can be attached as a file. */
export function tooLongOf(state: State, session: SessionId): number | null {
  const takes = takesOf(state, session);
  const text = state.messages[session] ?? '';
  // No character takes more than three bytes per unit, so most texts needn't be counted.
  if (takes?.takes !== 'images_and_files' || text.length * 3 <= takes.textBytes) return null;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > takes.textBytes ? bytes : null;
}

/** The attachments that a session's agent accepts; null until that is known. */
export function takesOf(state: State, session: SessionId): Takes | null {
  const known = sessionOf(state, session);
  return (known && agentOf(state, known)?.capabilities.takes) ?? null;
}
