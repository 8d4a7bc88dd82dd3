import { isSame, nameOf } from '../entities/attachment/attachment';
import type { AttachedFiles, Attachment, RefusedFile, SessionId, Takes } from '../generated/wire';
import { agentOf } from './agents';
import { withoutKey } from './records';
import type { Refusal, State } from './state';

/** Changes to the attachments of unsent messages. */
export type AttachmentAction =
  | { type: 'files_attached'; session: SessionId; files: AttachedFiles }
  | { type: 'files_refused'; session: SessionId; refused: readonly Refusal[] }
  | { type: 'attachment_removed'; session: SessionId; attachment: Attachment }
  | { type: 'refusals_read'; session: SessionId };

export function reduceAttachments(state: State, action: AttachmentAction): State {
  const { session } = action;
  switch (action.type) {
    case 'files_attached': {
      const { held, refused } = put(attachedOf(state, session), action.files, takesOf(state, session));
      return refuse({ ...state, attached: { ...state.attached, [session]: held } }, session, refused);
    }
    case 'files_refused':
      return refuse(state, session, action.refused);
    case 'attachment_removed': {
      const held = attachedOf(state, session).filter((one) => !isSame(one, action.attachment));
      return { ...state, attached: { ...state.attached, [session]: held } };
    }
    case 'refusals_read':
      return refuse(state, session, []);
  }
}

/** Keeps only the latest refusals: each attempt replaces those of the previous one. */
function refuse(state: State, session: SessionId, refused: readonly Refusal[]): State {
  const others = withoutKey(state.refusals, session);
  return { ...state, refusals: refused.length === 0 ? others : { ...others, [session]: refused } };
}

/** Appends files without duplicates, up to the number a message can take. */
function put(before: readonly Attachment[], files: AttachedFiles, takes: Takes | null) {
  const count = takes?.takes === 'images_and_files' ? takes.count : 0;
  const held = [...before];
  const refused: RefusedFile[] = [...files.refused];
  for (const attachment of files.attached) {
    if (held.some((one) => isSame(one, attachment))) continue;
    if (held.length < count) held.push(attachment);
    else refused.push({ name: nameOf(attachment), why: { why: 'too_many' } });
  }
  return { held, refused };
}

/** Removes the attachments that were sent with a message; those added in the meantime stay. */
export function withoutSent(state: State, session: SessionId, sent: readonly Attachment[]): State {
  const held = attachedOf(state, session).filter((one) => !sent.some((other) => isSame(one, other)));
  return { ...state, attached: { ...state.attached, [session]: held }, refusals: withoutKey(state.refusals, session) };
}

export function attachedOf(state: State, session: SessionId): readonly Attachment[] {
  return state.attached[session] ?? [];
}

/** The attachments that a session's agent accepts; null until that is known. */
export function takesOf(state: State, session: SessionId): Takes | null {
  const known = state.sessions.find((one) => one.id === session);
  return (known && agentOf(state, known)?.capabilities.takes) ?? null;
}
