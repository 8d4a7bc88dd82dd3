import type { Program, ProgramsFound, Session } from '../generated/wire';
import { isProgram, kindOfProgram, PROGRAM_KINDS, type ProgramKind } from '../shared/programs';
import { agentOf } from './agents';
import type { Handlers } from './handlers';
import type { OpenIn } from './parts/environment';
import type { State } from './state';

export type OpenInAction = { type: 'programs_found'; found: ProgramsFound } | { type: 'opened_in'; program: Program };

export const openInHandlers: Handlers<OpenInAction> = {
  programs_found: (state, { found }) => ({ ...state, openIn: { ...state.openIn, found } }),
  opened_in(state, { program }) {
    const recent = [program, ...state.openIn.recent.filter((other) => other !== program)];
    return { ...state, openIn: { ...state.openIn, recent } };
  },
};

/** The installed programs, by kind; within a kind, the chosen one first, then the latest. */
export function programsOf(state: State): Program[] {
  const found = state.openIn.found?.programs ?? [];
  return PROGRAM_KINDS.flatMap((kind) => {
    const first = [chosenOf(state, kind), ...state.openIn.recent];
    const place = (program: Program) => (first.includes(program) ? first.indexOf(program) : first.length);
    return found.filter((program) => kindOfProgram(program) === kind).sort((a, b) => place(a) - place(b));
  });
}

/** The program that the settings name for a kind; null if the choice is left to the app. */
function chosenOf(state: State, kind: ProgramKind): Program | null {
  const settings = state.settings?.settings;
  const chosen = kind === 'editor' ? settings?.editor : kind === 'terminal' ? settings?.terminal : undefined;
  return chosen === undefined || chosen === 'auto' ? null : chosen;
}

/** The editor for files: the one in the settings, even if it isn't installed, or the first that was found; null if there is none. */
export function editorOf(state: State): Program | null {
  return chosenOf(state, 'editor') ?? state.openIn.found?.programs.find((program) => kindOfProgram(program) === 'editor') ?? null;
}

/** Whether the agent's own program can continue the session in a terminal. */
export function canContinue(state: State, session: Session): boolean {
  return session.nativeSession !== null && (agentOf(state, session)?.capabilities.continueInTerminal ?? false);
}

const KEY = 'askdesk.opened_in';

/** Loads what was used last. */
export function readOpenIn(): OpenIn {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return { found: null, recent: Array.isArray(stored) ? stored.filter(isProgram) : [] };
  } catch {
    return { found: null, recent: [] };
  }
}

export function storeOpenIn({ openIn }: State): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(openIn.recent));
  } catch {
    // The order then lasts as long as the window.
  }
}
