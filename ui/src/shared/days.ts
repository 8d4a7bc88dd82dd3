import { t } from './messages';
import { inTimeLocale } from './messages/formats';

/**
 * The starts of the last days in the window's time zone, today being the last, and the end of today. A day lasts 23 or 25
 * hours when the clocks change, and starts later where midnight itself is skipped.
 */
export function dayBounds(now: number, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, index) => dayFrom(now, index - count + 1));
}

/** The start of the day of a moment in the window's time zone. */
export function startOfDay(at: number): number {
  return dayFrom(at, 0);
}

function dayFrom(at: number, days: number): number {
  const moment = new Date(at);
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + days).getTime();
}

const daysOfYear = inTimeLocale((locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }));
const daysOfYears = inTimeLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full' }));
const shortDays = inTimeLocale((locale) => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }));

/** Names a day: Today, Yesterday, or its date, with the year if it is another one. */
export function dayName(at: number, now: number): string {
  const day = startOfDay(at);
  if (day === startOfDay(now)) return t('day.today');
  if (day === dayFrom(now, -1)) return t('day.yesterday');
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (thisYear ? daysOfYear() : daysOfYears()).format(at);
}

/** The date of a day for tight spaces: `Nov 5`. */
export function shortDay(at: number): string {
  return shortDays().format(at);
}
