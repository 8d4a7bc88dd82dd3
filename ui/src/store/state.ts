import { initialChanges, type Changes } from './parts/changes';
import { initialEnvironment, type Environment } from './parts/environment';
import { type History, initialHistory } from './parts/history';
import { initialLayout, type Layout } from './parts/layout';
import { initialNavigated, type Navigated } from './parts/navigation';
import { initialNoticed, type Noticed } from './parts/noticed';
import { initialReported, type Reported } from './parts/reported';
import { initialStart, type Start } from './parts/start';
import { initialTranscripts, type Transcripts } from './parts/transcripts';
import { initialUnsent, type Unsent } from './parts/unsent';
import { initialUsage, type UsageState } from './parts/usage';

/** Everything that the window shows; each part changes for a reason of its own. */
export interface State extends Changes, Environment, Layout, Navigated, Noticed, Reported, Start, Transcripts, Unsent {
  history: History;
  usage: UsageState;
}

/** What outlives the window. */
type Stored = Pick<
  State,
  'remembered' | 'messages' | 'attached' | 'comments' | 'viewed' | 'diffForm' | 'sidebar' | 'sideFolded' | 'openIn'
>;

export function initialState(stored: Partial<Stored> = {}): State {
  return {
    ...initialChanges,
    ...initialEnvironment,
    ...initialLayout,
    ...initialNavigated,
    ...initialNoticed,
    ...initialReported,
    ...initialStart,
    ...initialTranscripts,
    ...initialUnsent,
    history: initialHistory,
    usage: initialUsage,
    ...stored,
  };
}
