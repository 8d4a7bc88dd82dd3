import { Channel, convertFileSrc, invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';

import type {
  ApprovalId,
  AttachedFiles,
  CommandMap,
  Error as CommandError,
  ErrorCode,
  Frame,
  Language,
  LanguageChoice,
  RequestId,
  SessionId,
} from '../generated/wire';

export type CommandName = keyof CommandMap;
export type Input<C extends CommandName> = CommandMap[C]['input'];
export type Output<C extends CommandName> = CommandMap[C]['output'];

/** A command's error, or that the command did not reach the app at all. */
export type AppError = Omit<CommandError, 'code'> & { code: ErrorCode | 'unreachable' };

/** What is known of the language before the first line of the page runs. */
export interface LanguageAtStart {
  readonly system: Language;
  readonly chosen: LanguageChoice;
}

/** The way out of the webview; rejections are always a `AppError`. */
export interface Bridge {
  readonly language: LanguageAtStart;
  /** What the page before handed to this one when its window was closed; none where there was none. */
  readonly handover: unknown;
  call<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>>;
  /** Delivers frames in order until the returned function is called. */
  subscribe(receive: (frames: Frame[]) => void): Promise<() => Promise<void>>;
  /** Hears of a deep link, by a click on a notification or an address, until the returned function is called. */
  onDeepLink(hear: () => void): Promise<() => void>;
  /** The request, approval or session to show; the app keeps it until it hears that it was shown. */
  deepLink(): Promise<RequestId | ApprovalId | SessionId | null>;
  /** Says that it is shown, or that nothing is known of it. */
  deepLinkShown(id: RequestId | ApprovalId | SessionId): Promise<void>;
  /** Hears that the window is to close, until the returned function is called. */
  onClosing(hear: () => void): Promise<() => void>;
  /** The number under which the app asks the page to save everything; none while the window stays. */
  closing(): Promise<number | null>;
  /** Says that everything is saved, and hands something to the next page. */
  readyToClose(ask: number, handover: unknown): Promise<void>;
  /** Says that the person has answered what a deep link led to, and did nothing else: the focus may go back. */
  answeredThere(id: RequestId): Promise<void>;
  /** Opens an address of the web or of a mailbox in the person's own program for it. */
  openLink(url: string): Promise<void>;
  /** Lets the person choose a folder, beginning in one; none where they choose none. */
  pickFolder(start: string): Promise<string | null>;
  /** Lets the person choose files to attach to the message that is written in a session. */
  pickAttachments(session: SessionId): Promise<AttachedFiles>;
  /** Attaches the files that were dropped on the window just now. */
  attachDropped(session: SessionId): Promise<AttachedFiles>;
  /** Hears of files that are dragged over the window, until the returned function is called. */
  onFiles(hear: (drag: FileDrag) => void): Promise<() => void>;
  /** Where the bytes of an image of a message are found. */
  imageSource(session: SessionId, image: string): string;
}

/** Files that are dragged over the window: they are over it, went away, or were dropped. */
export type FileDrag = 'over' | 'left' | 'dropped';

/** Gives whatever a command was rejected with the shape of an error of the desk. */
export function asAppError(thrown: unknown): AppError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'traceId' in thrown) {
    return thrown as CommandError;
  }
  const message = thrown instanceof globalThis.Error ? thrown.message : String(thrown);
  return { code: 'unreachable', message, retryable: true, traceId: '', field: null, ended: null };
}

/** What a call returns, or the error it was rejected with. */
export async function orError<T>(call: () => Promise<T>): Promise<T | AppError> {
  try {
    return await call();
  } catch (thrown) {
    return asAppError(thrown);
  }
}

async function reach<T>(command: string, args: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(command, args);
  } catch (thrown) {
    throw asAppError(thrown);
  }
}

declare global {
  interface Window {
    /** Put there by the app. */
    readonly __ASKDESK_LANGUAGE__?: LanguageAtStart;
    /** Put there by the app, as the page before wrote it. */
    readonly __ASKDESK_LEFT__?: string;
  }
}

/** The bridge of the desktop app. */
export const tauriBridge: Bridge = {
  language: window.__ASKDESK_LANGUAGE__ ?? { system: 'en', chosen: 'system' },
  handover: window.__ASKDESK_LEFT__ === undefined ? null : (JSON.parse(window.__ASKDESK_LEFT__) as unknown),
  call: (command, input) => reach(command, { input }),
  async subscribe(receive) {
    // The first frames may come before the number that they belong to.
    let number: (subscription: number) => void = () => undefined;
    const numbered = new Promise<number>((resolve) => (number = resolve));
    const channel = new Channel<Frame[]>((frames) => {
      // The app holds back what follows until this is taken, so that keys never wait behind it.
      void numbered.then((subscription) => reach<void>('took_frames', { subscription })).catch(() => undefined);
      receive(frames);
    });
    const subscription = await reach<number>('subscribe', { channel });
    number(subscription);
    return () => reach<void>('unsubscribe', { subscription });
  },
  onDeepLink: (hear) => listen('wanted', () => hear()),
  deepLink: () => reach<RequestId | ApprovalId | SessionId | null>('wanted', {}),
  deepLinkShown: (id) => reach<void>('brought_up', { id }),
  onClosing: (hear) => listen('leaving', () => hear()),
  closing: () => reach<number | null>('leaving', {}),
  readyToClose: (ask, handover) => reach<void>('kept', { ask, left: handover }),
  answeredThere: (id) => reach<void>('answered_there', { id }),
  openLink: (url) => reach<void>('open_link', { url }),
  pickFolder: (start) => reach<string | null>('pick_folder', { start }),
  pickAttachments: (session) => reach<AttachedFiles>('pick_attachments', { session }),
  attachDropped: (session) => reach<AttachedFiles>('attach_dropped', { session }),
  async onFiles(hear) {
    const stops = await Promise.all([
      listen('tauri://drag-enter', () => hear('over')),
      listen('tauri://drag-leave', () => hear('left')),
      listen('tauri://drag-drop', () => hear('dropped')),
    ]);
    return () => stops.forEach((stop) => stop());
  },
  imageSource: (session, image) => convertFileSrc(`${session}.${image}`, 'kept-image'),
};
