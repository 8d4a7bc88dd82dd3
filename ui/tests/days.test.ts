import { afterEach, describe, expect, test, vi } from 'vitest';

import { dayBounds, dayName, shortDay, startOfDay } from '../src/shared/days';
import { spoken } from '../src/shared/messages/language.svelte';
import { clockTime } from '../src/shared/time';

const HOUR = 3_600_000;

/** Makes a zone the window's time zone. */
const inZone = (zone: string) => vi.stubEnv('TZ', zone);

afterEach(() => {
  vi.unstubAllEnvs();
  spoken.timeRegion = null;
});

const hoursOf = (bounds: readonly number[]) => bounds.slice(1).map((end, index) => (end - bounds[index]!) / HOUR);
const at = (text: string) => new Date(text).getTime();

describe('the days of the window’s time zone', () => {
  test.each([
    ['UTC', '2026-11-21T23:59:59.999Z', '2026-11-21T00:00:00Z'],
    ['UTC', '2026-11-22T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['Europe/Berlin', '2026-11-21T22:59:59.999Z', '2026-11-20T23:00:00Z'],
    ['Europe/Berlin', '2026-11-21T23:00:00Z', '2026-11-21T23:00:00Z'],
    ['America/Los_Angeles', '2026-11-22T07:59:59Z', '2026-11-21T08:00:00Z'],
    ['Asia/Kathmandu', '2026-11-21T18:15:00Z', '2026-11-21T18:15:00Z'],
  ])('start at midnight in %s, seen at %s', (zone, now, start) => {
    inZone(zone);
    expect(new Date(startOfDay(at(now))).toISOString()).toBe(new Date(start).toISOString());
    expect(dayBounds(at(now), 1)).toEqual([at(start), at(start) + 24 * HOUR]);
  });

  test.each([
    ['when the clocks go forward', 'Europe/Berlin', '2026-03-30T10:00:00Z', [24, 23, 24]],
    ['when the clocks go back', 'Europe/Berlin', '2026-10-26T10:00:00Z', [24, 25, 24]],
    ['when they go back in the last hour of the day', 'America/Havana', '2026-11-02T15:00:00Z', [24, 25, 24]],
    ['when midnight itself is skipped', 'America/Sao_Paulo', '2018-11-05T12:00:00Z', [24, 23, 24]],
    ['when a whole day is skipped', 'Pacific/Apia', '2011-12-31T12:00:00Z', [0, 24, 24]],
    ['without daylight saving time', 'Asia/Shanghai', '2026-03-30T10:00:00Z', [24, 24, 24]],
  ])('have their own length %s', (_, zone, now, hours) => {
    inZone(zone);
    const bounds = dayBounds(at(now), 3);
    expect(hoursOf(bounds)).toEqual(hours);
    expect(bounds.at(-2)).toBeLessThanOrEqual(at(now));
    expect(bounds.at(-1)).toBeGreaterThan(at(now));
  });

  test('cover the year and its end', () => {
    inZone('Europe/Berlin');
    const bounds = dayBounds(at('2027-01-02T09:00:00Z'), 90);
    expect(bounds).toHaveLength(91);
    expect(new Date(bounds[0]!).toISOString()).toBe('2026-10-04T22:00:00.000Z');
    expect(new Set(hoursOf(bounds))).toEqual(new Set([24, 25]));
  });
});

describe('the name of a day', () => {
  const names = (zone: string, now: string, ...moments: string[]) => {
    inZone(zone);
    return moments.map((moment) => dayName(at(moment), at(now)));
  };

  test('is Today or Yesterday by the local midnight', () => {
    const moments = ['2026-11-21T23:30:00Z', '2026-11-21T22:30:00Z', '2026-11-20T23:00:00Z', '2026-11-20T22:59:00Z'];
    expect(names('Europe/Berlin', '2026-11-22T05:00:00Z', ...moments)).toEqual([
      'Today',
      'Yesterday',
      'Yesterday',
      expect.stringContaining('November'),
    ]);
  });

  test('is Yesterday for the whole day before a change of the clocks', () => {
    const day = ['2026-03-28T23:00:00Z', '2026-03-29T21:59:00Z'];
    expect(names('Europe/Berlin', '2026-03-30T00:30:00Z', ...day)).toEqual(['Yesterday', 'Yesterday']);
  });

  test('is the date otherwise, with the year if it is another one', () => {
    const now = new Date(2026, 10, 21, 9).getTime();
    expect(dayName(new Date(2026, 10, 18, 9).getTime(), now)).toBe('Wednesday, November 18');
    expect(dayName(new Date(2025, 11, 31, 9).getTime(), now)).toBe('Wednesday, December 31, 2025');
  });
});

test.each([
  [null, '02:05 PM', 'Nov 5'],
  ['DE', '14:05', '5 Nov'],
])('dates and times are those of the system’s region: %s', (region, time, day) => {
  inZone('UTC');
  spoken.timeRegion = region;
  const afternoon = at('2026-11-05T14:05:00Z');
  expect([clockTime(afternoon).replace(/\s/u, ' '), shortDay(afternoon)]).toEqual([time, day]);
});
