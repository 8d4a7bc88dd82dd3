import type { Approval, ApprovalDecision } from '../../generated/wire';
import { allows } from './approvalWords';
import { isCut, readableHere } from './readableHere';

/** A part of a text, from one height to another in pixels. */
export interface Stretch {
  from: number;
  to: number;
}

/** What of a text was on screen so far, or passed by the user's own scrolling. */
export interface ReadSoFar {
  width: number;
  height: number;
  /** In order and apart from each other. */
  seen: readonly Stretch[];
  /** What is on screen; it ends before it begins while nothing is. */
  now: Stretch;
}

export const nothingRead: ReadSoFar = { width: 0, height: 0, seen: [], now: { from: 0, to: 0 } };

/** Parts of a pixel are lost in rounding. */
const ROUNDING = 1;

/**
 * Adds what is on screen now, and what lies between it and what was there before if the user scrolled from there. In another width,
 * every line is somewhere else, so reading begins again.
 */
export function readMore(before: ReadSoFar, width: number, height: number, now: Stretch, scrolled = false): ReadSoFar {
  const known = before.width === width ? before.seen : [];
  const passed = scrolled && before.width === width && isSome(before.now) ? joined(before.now, now, height) : now;
  const all = isSome(passed) ? [...known, passed].sort((one, other) => one.from - other.from) : known;
  const seen: Stretch[] = [];
  for (const next of all) {
    const last = seen.at(-1);
    if (last && next.from <= last.to + ROUNDING) seen[seen.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
    else seen.push(next);
  }
  return { width, height, seen, now };
}

function isSome({ from, to }: Stretch): boolean {
  return to > from;
}

function joined(one: Stretch, other: Stretch, height: number): Stretch {
  return { from: Math.min(one.from, other.from), to: Math.min(height, Math.max(one.to, other.to)) };
}

/** The parts that were not on screen yet; a text without any height was never shown. */
export function unreadOf({ height, seen }: ReadSoFar): Stretch[] {
  if (height === 0) return [{ from: 0, to: 1 }];
  const gaps: Stretch[] = [];
  let at = 0;
  for (const { from, to } of [...seen, { from: height, to: height }]) {
    if (from - at > ROUNDING) gaps.push({ from: at, to: from });
    at = Math.max(at, to);
  }
  return gaps;
}

const contents = new WeakMap<Approval, string>();

/** What of a permission request has to be read. */
export function contentOf(approval: Approval): string {
  let content = contents.get(approval);
  if (content === undefined) {
    const { title, subject, description, remark } = approval;
    content = JSON.stringify([title, subject, description, remark]);
    contents.set(approval, content);
  }
  return content;
}

/** Whether a decision may be sent: nothing is allowed that was not readable as a whole; anything can be denied. */
export function mayDecide(approval: Approval, decision: ApprovalDecision, read: string | undefined): boolean {
  if (!approval.options.some((option) => allows(option) && decision.options.includes(option.id))) return true;
  return !isCut(approval) && (read === contentOf(approval) || readableHere(approval).here === 'readable');
}
