import { t } from './messages';
import { inLanguage, inTimeLocale } from './messages/formats';

/** Formats a duration as a clock: `0:42`, `12:05`, `1:02:03`. */
export function span(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

const ages = inLanguage((locale) => {
  const inUnit = (unit: string) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' });
  return { minute: inUnit('minute'), hour: inUnit('hour'), day: inUnit('day') };
});

/** Formats an age for tight spaces, calmly: `now`, `12m`, `3h`, `2d`. */
export function age(millis: number): string {
  const minutes = Math.floor(millis / 60_000);
  if (minutes < 1) return t('time.now');
  if (minutes < 60) return ages().minute.format(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? ages().hour.format(hours) : ages().day.format(Math.floor(hours / 24));
}

const tenths = inLanguage((locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));

/** Formats the duration of a turn: `0.8 s`, `42 s`, `3 min 5 s`. */
export function duration(millis: number): string {
  if (millis < 10_000) return t('time.seconds', { seconds: tenths().format(millis / 1000) });
  const seconds = Math.round(millis / 1000);
  if (seconds < 60) return t('time.seconds', { seconds });
  return t('time.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}

/** Formats a duration that can be longer than a turn: `42 s`, `3 min 5 s`, `3h`, `2d`. */
export function longDuration(millis: number): string {
  return millis < 3_600_000 ? duration(millis) : age(millis);
}

const times = inTimeLocale((locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }));
const moments = inTimeLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));

/** The time of day in the window's locale. */
export function clockTime(at: number): string {
  return times().format(at);
}

/** The date and time in the window's locale. */
export function dayTime(at: number): string {
  return moments().format(at);
}

/** The time of day, with the date unless it is today. */
export function momentTime(at: number, now: number): string {
  const today = new Date(at).toDateString() === new Date(now).toDateString();
  return today ? clockTime(at) : dayTime(at);
}
