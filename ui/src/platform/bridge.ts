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
  PageStart,
  RequestId,
  SessionId,
} from '../generated/wire';

export type CommandName = keyof CommandMap;
export type Input<C extends CommandName> = CommandMap[C]['input'];
export type Output<C extends CommandName> = CommandMap[C]['output'];

/**
 * A command's error. `unreachable` means that the command never reached the app, and `not_copied` that the page couldn't write to the
 * clipboard.
 */
export type AppError = Omit<CommandError, 'code'> & { code: ErrorCode | 'unreachable' | 'not_copied' };

export const notCopied: AppError = { code: 'not_copied', message: '', retryable: true, traceId: '', field: null, ended: null };

/** The language settings that are known before the page's first line runs. */
export interface LanguageAtStart {
  readonly system: Language;
  readonly chosen: LanguageChoice;
  /** The region of dates and times, if the system names one. */
  readonly timeRegion: string | null;
}

/** The only way out of the webview. Every rejection is an `AppError`. */
export interface Bridge {
  readonly language: LanguageAtStart;
  /** State that the previous page handed over when its window closed; null if there was none. */
  readonly handover: unknown;
  /** Everything that the page shows first, asked for before its first line ran; null if it wasn't, or if it was taken before. */
  takeStart(): Promise<PageStart | null>;
  call<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>>;
  /** Delivers frames in order until the returned function is called. */
  subscribe(receive: (frames: Frame[]) => void): Promise<() => Promise<void>>;
  /** Listens for deep links (clicked notifications and opened addresses) until the returned function is called. */
  onDeepLink(listener: () => void): Promise<() => void>;
  /** The request, approval, or session to show, or `history`. The app remembers it until `deepLinkShown`. */
  deepLink(): Promise<RequestId | ApprovalId | SessionId | 'history' | null>;
  /** Confirms that the target was shown, or that it is unknown. */
  deepLinkShown(id: RequestId | ApprovalId | SessionId): Promise<void>;
  /** Listens for the window's close request until the returned function is called. */
  onClosing(listener: () => void): Promise<() => void>;
  /** The number of the app's current request to save everything before closing; null while the window stays open. */
  closing(): Promise<number | null>;
  /** Confirms that everything is saved, and hands state over to the next page. */
  readyToClose(ask: number, handover: unknown): Promise<void>;
  /** Reports that the user answered the deep link's target and did nothing else: the focus may return. */
  deepLinkAnswered(id: RequestId): Promise<void>;
  /** Listens for edits of the settings file by hand, until the returned function is called. */
  onSettingsEdited(listener: () => void): Promise<() => void>;
  /** Listens for the gateway opening or failing to open, until the returned function is called. */
  onGateway(listener: () => void): Promise<() => void>;
  /** Why other programs can't ask, in English; null if they can. */
  gatewayFailure(): Promise<string | null>;
  /** Tries at once to open a gateway that can't open. */
  retryGateway(): Promise<void>;
  /** Listens for anything new about updates of the app, until the returned function is called. */
  onUpdate(listener: () => void): Promise<() => void>;
  /** Whether the app loaded this page again because the page before had died or could not be shown; true only once. */
  takePageCrash(): Promise<boolean>;
  /** Reports that this page could not be shown. The app loads it again, or says what can be done. */
  pageFailed(why: string): Promise<void>;
  /** Opens a web or mail address in the user's default program. */
  openLink(url: string): Promise<void>;
  /** Opens the guide in a window of its own. */
  openGuide(): Promise<void>;
  /** Quits the app, which asks first if something is running or waiting. */
  quit(): Promise<void>;
  /** Opens the system's folder picker at a folder; returns null if the user cancels. */
  pickFolder(start: string): Promise<string | null>;
  /** Opens the system's file picker and attaches the chosen files to the session's unsent message. */
  pickAttachments(session: SessionId): Promise<AttachedFiles>;
  /** Attaches the files that were last dropped on the window. */
  attachDropped(session: SessionId): Promise<AttachedFiles>;
  /** Attaches the files or the image on the clipboard; nothing if it holds neither. */
  attachPasted(session: SessionId): Promise<AttachedFiles>;
  /** Listens for files being dragged over the window, until the returned function is called. */
  onFiles(listener: (drag: FileDrag) => void): Promise<() => void>;
  /** Returns the URL that serves an image of a message. */
  imageSource(session: SessionId, image: string): string;
}

/** A file drag entered the window, left it, or ended in a drop. */
export type FileDrag = 'over' | 'left' | 'dropped';

/** Converts any rejection of a command into an `AppError`. */
export function asAppError(thrown: unknown): AppError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'traceId' in thrown) {
    return thrown as CommandError;
  }
  const message = thrown instanceof globalThis.Error ? thrown.message : String(thrown);
  return { code: 'unreachable', message, retryable: true, traceId: '', field: null, ended: null };
}

/** Returns the result of a call, or the error it was rejected with. */
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
    /** Injected by the app. */
    readonly __ASKDESK_LANGUAGE__?: LanguageAtStart;
    /** Injected by the app: what it answered before the page's first line ran. */
    readonly __ASKDESK_START__?: Promise<PageStart>;
    /** Injected by the app: the handover of the previous page, verbatim. */
    readonly __ASKDESK_LEFT__?: string;
  }
}

let begun = window.__ASKDESK_START__ ?? null;

/** The desktop app's bridge, on top of Tauri. */
export const tauriBridge: Bridge = {
  language: window.__ASKDESK_LANGUAGE__ ?? { system: 'en', chosen: 'system', timeRegion: null },
  handover: window.__ASKDESK_LEFT__ === undefined ? null : (JSON.parse(window.__ASKDESK_LEFT__) as unknown),
  takeStart: () => {
    const start = begun;
    begun = null;
    return Promise.resolve(start);
  },
  call: (command, input) => reach(command, { input }),
  async subscribe(receive) {
    // The first frames may arrive before the number of their subscription.
    let number: (subscription: number) => void = () => undefined;
    const numbered = new Promise<number>((resolve) => (number = resolve));
    const channel = new Channel<Frame[]>((frames) => {
      // The app sends no further frames until these are acknowledged, so that keystrokes never queue behind them.
      void numbered.then((subscription) => reach<void>('acknowledge_frames', { subscription })).catch(() => undefined);
      receive(frames);
    });
    const subscription = await reach<number>('subscribe', { channel });
    number(subscription);
    return () => reach<void>('unsubscribe', { subscription });
  },
  onDeepLink: (listener) => listen('deep_link', () => listener()),
  deepLink: () => reach<RequestId | ApprovalId | SessionId | null>('deep_link_target', {}),
  deepLinkShown: (id) => reach<void>('deep_link_shown', { id }),
  onClosing: (listener) => listen('close', () => listener()),
  closing: () => reach<number | null>('close_request', {}),
  readyToClose: (ask, handover) => reach<void>('ready_to_close', { request: ask, handover }),
  deepLinkAnswered: (id) => reach<void>('deep_link_answered', { id }),
  onSettingsEdited: (listener) => listen('settings_edited', () => listener()),
  onGateway: (listener) => listen('gateway', () => listener()),
  gatewayFailure: () => reach<string | null>('gateway_failure', {}),
  retryGateway: () => reach<void>('retry_gateway', {}),
  onUpdate: (listener) => listen('update', () => listener()),
  takePageCrash: () => reach<boolean>('take_page_crash', {}),
  pageFailed: (why) => reach<void>('page_failed', { report: crypto.randomUUID(), why }),
  openLink: (url) => reach<void>('open_link', { url }),
  openGuide: () => reach<void>('open_guide', {}),
  quit: () => reach<void>('quit', {}),
  pickFolder: (start) => reach<string | null>('pick_folder', { start }),
  pickAttachments: (session) => reach<AttachedFiles>('pick_attachments', { session }),
  attachDropped: (session) => reach<AttachedFiles>('attach_dropped', { session }),
  attachPasted: (session) => reach<AttachedFiles>('attach_pasted', { session }),
  async onFiles(listener) {
    const stops = await Promise.all([
      listen('tauri://drag-enter', () => listener('over')),
      listen('tauri://drag-leave', () => listener('left')),
      listen('tauri://drag-drop', () => listener('dropped')),
    ]);
    return () => stops.forEach((stop) => stop());
  },
  imageSource: (session, image) => convertFileSrc(`${session}.${image}`, 'kept-image'),
};
