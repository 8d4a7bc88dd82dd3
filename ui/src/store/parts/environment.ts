import type { Program, ProgramsFound, SettingsRead, UpdateRead } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';

export interface ReportedError {
  serial: number;
  error: AppError;
}

/** The programs that folders and files can be opened in. */
export interface OpenIn {
  /** Null until the app has looked for them. */
  found: ProgramsFound | null;
  /** What the user opened something in, the latest first; outlives the window. */
  recent: readonly Program[];
}

/** What the page knows about the app and the machine. */
export interface Environment {
  settings: SettingsRead | null;
  openIn: OpenIn;
  /** Why other programs can't ask; null if they can, or if it isn't known yet. */
  gatewayFailure: string | null;
  /** What is known about updates of the app; null before it is read. */
  update: UpdateRead | null;
  /** Whether the page says that it was loaded again because its process had died. */
  pageCrashed: boolean;
  failures: readonly ReportedError[];
}

export const initialEnvironment: Environment = {
  settings: null,
  openIn: { found: null, recent: [] },
  gatewayFailure: null,
  update: null,
  pageCrashed: false,
  failures: [],
};
