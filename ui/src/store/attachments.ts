import type {
  AttachedFiles,
  Attachment,
  RefusedFile,
  RefusedWhy,
  SessionId,
  Takes,
} from '../generated/wire';
import { asDeskError, type Bridge, type DeskError, type FileDrag } from '../platform/bridge';
import { agentOf } from './agents';
import { withoutKey } from './queue';
import type { Refusal, State } from './state';

/** What can happen to what goes along with a message that is written. */
export type AttachmentAction =
  | { type: 'files_attached'; session: SessionId; files: AttachedFiles }
  | { type: 'files_refused'; session: SessionId; refused: readonly Refusal[] }
  | { type: 'attachment_removed'; session: SessionId; attachment: Attachment }
  | { type: 'refusals_read'; session: SessionId };

const types = {
  files_attached: true,
  files_refused: true,
  attachment_removed: true,
  refusals_read: true,
} as const satisfies Record<AttachmentAction['type'], true>;

export function isAttachmentAction(action: { type: string }): action is AttachmentAction {
  return action.type in types;
}

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

/** The newest refusals alone: each try has its own. */
function refuse(state: State, session: SessionId, refused: readonly Refusal[]): State {
  const others = withoutKey(state.refusals, session);
  return { ...state, refusals: refused.length === 0 ? others : { ...others, [session]: refused } };
}

/** Puts files behind those that are attached, each once, as many as a message takes. */
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

/** Takes out what went out with a message; what was attached meanwhile stays. */
export function withoutSent(state: State, session: SessionId, sent: readonly Attachment[]): State {
  const held = attachedOf(state, session).filter((one) => !sent.some((other) => isSame(one, other)));
  return { ...state, attached: { ...state.attached, [session]: held }, refusals: withoutKey(state.refusals, session) };
}

export function attachedOf(state: State, session: SessionId): readonly Attachment[] {
  return state.attached[session] ?? [];
}

/** What the agent of a session takes along with a message; none while that is not known. */
export function takesOf(state: State, session: SessionId): Takes | null {
  const known = state.sessions.find((one) => one.id === session);
  return (known && agentOf(state, known)?.capabilities.takes) ?? null;
}

export function keyOf(attachment: Attachment): string {
  return attachment.attachment === 'image' ? attachment.image : attachment.path;
}

export function isSame(one: Attachment, other: Attachment): boolean {
  return one.attachment === other.attachment && keyOf(one) === keyOf(other);
}

export function nameOf(attachment: Attachment): string {
  if (attachment.attachment === 'image') return attachment.name;
  return attachment.path.split(/[/\\]/).at(-1) ?? attachment.path;
}

interface Screen {
  readonly state: State;
  dispatch(action: AttachmentAction): void;
}

/** Brings what the person pastes, drops or chooses to the app, which keeps it or says why not. */
export class Attaching {
  readonly #bridge: Bridge;
  readonly #screen: Screen;
  /** How many times files are being brought at this moment. */
  #bringing = 0;

  constructor(bridge: Bridge, screen: Screen) {
    this.#bridge = bridge;
    this.#screen = screen;
  }

  /** Whether files are being brought. */
  get isBusy(): boolean {
    return this.#bringing > 0;
  }

  /** Attaches pasted files: they have no path, so only images can be taken. */
  async paste(session: SessionId, pasted: readonly File[]): Promise<void> {
    this.#bringing += 1;
    try {
      await this.#paste(session, pasted);
    } finally {
      this.#bringing -= 1;
    }
  }

  async #paste(session: SessionId, pasted: readonly File[]): Promise<void> {
    const takes = this.#takes(session);
    if (takes?.takes !== 'images_and_files') return;
    const files: AttachedFiles = { attached: [], refused: [] };
    const refuse = (file: File, why: RefusedWhy) => files.refused.push({ name: file.name, why });
    for (const file of pasted) {
      // What is too large is not even read.
      if (file.size > takes.imageBytes) {
        refuse(file, { why: 'too_large' });
        continue;
      }
      if (files.attached.length >= takes.count) {
        refuse(file, { why: 'too_many' });
        continue;
      }
      try {
        const input = { session, name: file.name, data: await inBase64(file) };
        const taken = await this.#bridge.call('attach_image', { requestId: crypto.randomUUID(), ...input });
        files.attached.push(...taken.attached);
        files.refused.push(...taken.refused);
      } catch (thrown) {
        refuse(file, { why: 'unreadable', error: asDeskError(thrown).message });
      }
    }
    this.#took(session, files);
  }

  /** Attaches what was dropped on the window just now. */
  drop(session: SessionId): Promise<void> {
    return this.#bring(session, () => this.#bridge.attachDropped(session));
  }

  /** Lets the person choose files. */
  pick(session: SessionId): Promise<void> {
    return this.#bring(session, () => this.#bridge.pickAttachments(session));
  }

  /** Takes an attachment back; an image's bytes are forgotten. */
  async remove(session: SessionId, attachment: Attachment): Promise<void> {
    this.#screen.dispatch({ type: 'attachment_removed', session, attachment });
    if (attachment.attachment !== 'image') return;
    const input = { requestId: crypto.randomUUID(), session, attachments: [attachment] };
    // What stays behind goes with its session.
    await this.#bridge.call('discard_attachments', input).catch(() => undefined);
  }

  /** Where the page finds the bytes of an image. */
  source(session: SessionId, image: string): string {
    return this.#bridge.imageSource(session, image);
  }

  /** Hears of files that are dragged over the window; gives the way to stop. */
  hear(heard: (drag: FileDrag) => void): () => void {
    const hearing = this.#bridge.onFiles(heard);
    hearing.catch(() => undefined);
    return () => void hearing.then((stop) => stop()).catch(() => undefined);
  }

  async #bring(session: SessionId, bring: () => Promise<AttachedFiles>): Promise<void> {
    if (this.#takes(session)?.takes !== 'images_and_files') return;
    this.#bringing += 1;
    try {
      this.#took(session, await bring());
    } catch (thrown) {
      this.#failed(session, asDeskError(thrown));
    } finally {
      this.#bringing -= 1;
    }
  }

  #takes(session: SessionId): Takes | null {
    const takes = takesOf(this.#screen.state, session);
    if (takes?.takes === 'words') {
      const refused: Refusal[] = [{ name: '', why: { why: 'words_only' } }];
      this.#screen.dispatch({ type: 'files_refused', session, refused });
    }
    return takes;
  }

  #took(session: SessionId, files: AttachedFiles): void {
    if (files.attached.length === 0 && files.refused.length === 0) return;
    this.#screen.dispatch({ type: 'files_attached', session, files });
  }

  #failed(session: SessionId, error: DeskError): void {
    const refused: Refusal[] = [{ name: '', why: { why: 'unreadable', error: error.message } }];
    this.#screen.dispatch({ type: 'files_refused', session, refused });
  }
}

function inBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.onload = () => {
      const address = reader.result as string;
      resolve(address.slice(address.indexOf(',') + 1));
    };
    reader.readAsDataURL(file);
  });
}
