import type { Entry, OutcomeKind, QuestionsFound, QuestionTotals, SearchHit, Session, SessionId, UsageSum } from '../../generated/wire';
import type { AppError } from '../../platform/bridge';

export interface QuestionsFilter {
  query: string;
  /** Null means that questions of all sessions are shown. */
  session: SessionId | null;
  /** Null means that any outcome is shown. */
  outcome: OutcomeKind | null;
}

/** How many days the totals can cover. */
export const SPANS = [7, 30, 90] as const;
export type Span = (typeof SPANS)[number];

/** The totals of some days. */
export interface CountedDays {
  /** The start of each day, and the end of the last one. */
  bounds: readonly number[];
  counts: QuestionTotals;
  /** What each day used. */
  usage: readonly UsageSum[];
}

export interface PastQuestions {
  filter: QuestionsFilter;
  span: Span;
  /** The totals for the current filter and days, once loaded. */
  totals: CountedDays | null;
  /** The result for the current filter, once loaded. */
  found: QuestionsFound | null;
  error: AppError | null;
  /** The path of the exported file. */
  saved: string | null;
}

/** A read-only part of a transcript. */
export interface Excerpt {
  session: Session;
  /** The entry that it was opened at. */
  n: number | null;
  entries: readonly Entry[];
  read: boolean;
  earlier: boolean;
  later: boolean;
  error: AppError | null;
  /** The path of the exported file. */
  saved: string | null;
  /** Whether the user is being asked to confirm deleting the session. */
  deleting: boolean;
}

export const emptyExcerpt = { entries: [], read: false, earlier: false, later: false, error: null, saved: null, deleting: false } as const;

export interface History {
  /** All messages, or only questions. */
  part: 'said' | 'questions';
  questions: PastQuestions;
  query: string;
  /** The query that the hits belong to. */
  found: string | null;
  hits: readonly SearchHit[];
  more: boolean;
  error: AppError | null;
  /** The past sessions, once loaded. */
  past: readonly Session[] | null;
  excerpt: Excerpt | null;
}

export const initialHistory: History = {
  part: 'questions',
  questions: { filter: { query: '', session: null, outcome: null }, span: 30, totals: null, found: null, error: null, saved: null },
  query: '',
  found: null,
  hits: [],
  more: false,
  error: null,
  past: null,
  excerpt: null,
};
