import { isSame } from '../../entities/attachment/attachment';
import type { AttachedFiles, Attachment, RefusedWhy, SessionId, Takes } from '../../generated/wire';
import { asAppError, type Bridge, type FileDrag } from '../../platform/bridge';
import { attachedOf, takesOf } from '../attachments';
import type { Refusal } from '../parts/unsent';
import type { Store } from '../store.svelte';

type Limits = Extract<Takes, { takes: 'images_and_files' }>;

/** Passes pasted, dropped, and chosen files to the app, which stores each or says why not. */
export class AttachmentCommands {
  /** The number of transfers in progress. */
  #pending = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly store: Store,
  ) {}

  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /**
   * Attaches pasted files, or, if the paste event had none, the files or the image that the app finds on the clipboard.
   * Returns whether there was anything to attach, even if it was refused.
   *
   * The files of an event have no path, so only images work.
   */
  async paste(session: SessionId, pasted: readonly File[]): Promise<boolean> {
    if (pasted.length > 0) return this.#attach(session, (limits) => this.#readPasted(session, pasted, limits));
    return this.#attach(session, () => this.bridge.attachPasted(session));
  }

  async #readPasted(session: SessionId, pasted: readonly File[], limits: Limits): Promise<AttachedFiles> {
    const files: AttachedFiles = { attached: [], refused: [] };
    const refuse = (file: File, why: RefusedWhy) => files.refused.push({ name: file.name, why });
    for (const file of pasted) {
      // Files over the size limit aren't even read.
      if (file.size > limits.imageBytes) {
        refuse(file, { why: 'too_large' });
        continue;
      }
      if (files.attached.length >= limits.count) {
        refuse(file, { why: 'too_many' });
        continue;
      }
      try {
        const input = { session, name: file.name, data: await inBase64(file) };
        const taken = await this.bridge.call('attach_image', { requestId: crypto.randomUUID(), ...input });
        files.attached.push(...taken.attached);
        files.refused.push(...taken.refused);
      } catch (thrown) {
        refuse(file, { why: 'unreadable', error: asAppError(thrown).message });
      }
    }
    return files;
  }

  /** Attaches the files that were last dropped on the window. */
  async drop(session: SessionId): Promise<void> {
    await this.#attach(session, () => this.bridge.attachDropped(session));
  }

  /** Opens the file picker and attaches the chosen files. */
  async pick(session: SessionId): Promise<void> {
    await this.#attach(session, () => this.bridge.pickAttachments(session));
  }

  /** Moves the session's unsent text into a file. It stays in the composer if that fails, or if it was changed meanwhile. */
  async attachText(session: SessionId): Promise<void> {
    const text = this.store.state.messages[session] ?? '';
    let stored: readonly Attachment[] = [];
    await this.#attach(session, async () => {
      const files = await this.bridge.call('attach_text', { requestId: crypto.randomUUID(), session, text });
      stored = files.attached;
      return files;
    });
    const { state } = this.store;
    const isAttached = stored.length > 0 && stored.every((one) => attachedOf(state, session).some((other) => isSame(one, other)));
    if (isAttached && state.messages[session] === text) this.store.dispatch({ type: 'message_written', session, text: '' });
  }

  /** Removes an attachment and discards an image's bytes. */
  async remove(session: SessionId, attachment: Attachment): Promise<void> {
    this.store.dispatch({ type: 'attachment_removed', session, attachment });
    if (attachment.attachment !== 'image') return;
    const input = { requestId: crypto.randomUUID(), session, attachments: [attachment] };
    // Bytes left behind by a failure are deleted with their session.
    await this.bridge.call('discard_attachments', input).catch(() => undefined);
  }

  /** The URL that serves an image's bytes. */
  source(session: SessionId, image: string): string {
    return this.bridge.imageSource(session, image);
  }

  /** Listens for files being dragged over the window; returns a function that stops listening. */
  onDrag(listen: (drag: FileDrag) => void): () => void {
    const listening = this.bridge.onFiles(listen);
    listening.catch(() => undefined);
    return () => void listening.then((stop) => stop()).catch(() => undefined);
  }

  /** Returns whether anything was attached or refused. */
  async #attach(session: SessionId, read: (limits: Limits) => Promise<AttachedFiles>): Promise<boolean> {
    const takes = takesOf(this.store.state, session);
    if (takes?.takes === 'words') {
      this.#refuse(session, { why: 'words_only' });
      return true;
    }
    if (!takes) return false;
    this.#pending += 1;
    try {
      const files = await read(takes);
      if (files.attached.length === 0 && files.refused.length === 0) return false;
      this.store.dispatch({ type: 'files_attached', session, files });
    } catch (thrown) {
      this.#refuse(session, { why: 'unreadable', error: asAppError(thrown).message });
    } finally {
      this.#pending -= 1;
    }
    return true;
  }

  #refuse(session: SessionId, why: Refusal['why']): void {
    this.store.dispatch({ type: 'files_refused', session, refused: [{ name: '', why }] });
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
