import { fireEvent } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';

import { aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage, settle, skippableTime } from './open';

/** In pixels; a row and a heading are 40 high. */
const VIEWPORT = 400;

skippableTime();

beforeEach(() => {
  class WithRoom extends ResizeObserver {
    constructor(report: ResizeObserverCallback) {
      const contentRect = { width: 800, height: VIEWPORT } as DOMRectReadOnly;
      super((entries, observer) => {
        const sized = entries.map((entry) => (entry.target.matches('.rows') ? { ...entry, contentRect } : entry));
        report(sized, observer);
      });
    }
  }
  vi.stubGlobal('ResizeObserver', WithRoom);
  vi.spyOn(Element.prototype, 'scrollTo').mockImplementation(function (this: Element, to?: ScrollToOptions | number) {
    if (typeof to !== 'object' || to.top === undefined || !this.matches('.rows')) return;
    this.scrollTop = Math.max(to.top, 0);
    this.dispatchEvent(new Event('scroll'));
  });
  return () => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  };
});

const ended = { state: 'ended', at: 1, end: { end: 'stopped' } } as const;
/** Two need the user, 18 work, and 20 have ended, so the headings are the lines 0, 3, and 22. */
const sessions = Array.from({ length: 40 }, (_, n) =>
  aSession({ id: `s${n}`, name: `name-${n}`, place: n, startedAt: 1000 - n, ...(n >= 20 && { state: ended }) }),
);
const asks = (session: string) => ({ change: 'request', request: aRequest({ id: `of ${session}`, session }) }) as const;
const requests = ['s0', 's1'].map((session) => asks(session).request);

const list = () => document.querySelector<HTMLElement>('nav .rows')!;
const lines = () => [...list().querySelectorAll('li')];

/** The headings at the top of the list, and how far below it. */
function stuck(): string[] {
  const sticky = lines().filter(({ style }) => style.position === 'sticky');
  return sticky.map(({ textContent, style }) => `${textContent.replace(/\s+/g, ' ').trim()} at ${style.top}`);
}

async function scrollTo(top: number) {
  list().scrollTop = top;
  await fireEvent.scroll(list());
  await settle();
}

/** Where the row of a session is, from the top of the list. */
const topOf = (id: string) => lines().findIndex((line) => line.dataset['row'] === id) * 40 - list().scrollTop;

async function open(selected: string) {
  const page = await openPage(new FakeBridge({ sessions, requests }));
  await page.commands.navigation.showSession(selected);
  await settle();
  await rest();
  return page;
}

/** Lets the list come to rest: it goes on with a scroll for 150 ms after a line was measured. */
const rest = () => vi.advanceTimersByTimeAsync(500);

test('case_51_the heading of the group in view sticks below that of the sessions that need the user', async () => {
  const { store } = await open('s0');
  expect(stuck()).toEqual(['Needs you 2 at 0px']);
  expect(list().style.scrollPaddingBlockStart).toBe('calc(2 * var(--control))');
  await scrollTo(79);
  expect(stuck()).toEqual(['Needs you 2 at 0px']);
  await scrollTo(80);
  expect(stuck()).toEqual(['Needs you 2 at 0px', 'Working 18 at 40px']);
  await scrollTo(880);
  expect(stuck()).toEqual(['Needs you 2 at 0px', 'Earlier 20 at 40px']);
  store.dispatch({ type: 'sidebar_grouped', grouping: 'folder' });
  await settle();
  expect(stuck()).toEqual(['~/projects/api 40 at 0px']);
  expect(list().style.scrollPaddingBlockStart).toBe('calc(1 * var(--control))');
  store.dispatch({ type: 'sidebar_grouped', grouping: 'own' });
  await settle();
  expect(stuck()).toEqual([]);
});

test('case_51_a session that is selected comes into view below the headings', async () => {
  const { commands } = await open('s30');
  await scrollTo(1000);
  await commands.navigation.showSession('s21');
  await settle();
  expect(topOf('s21')).toBe(80);
});

test('case_51_the selected row stays in view when rows come above it', async () => {
  const { bridge } = await open('s10');
  await scrollTo(200);
  expect(topOf('s10')).toBe(280);
  await bridge.push(...['s15', 's16', 's17', 's18'].map(asks));
  await rest();
  expect(topOf('s10')).toBe(VIEWPORT - 40);
});

test('case_51_the selected row stays in view when it moves to another group', async () => {
  const { bridge } = await open('s10');
  await scrollTo(200);
  await bridge.push(asks('s10'));
  await rest();
  expect(topOf('s10')).toBeGreaterThanOrEqual(40);
  expect(topOf('s10')).toBeLessThanOrEqual(VIEWPORT - 40);
});

test('case_51_nothing scrolls where the user has scrolled the selected row out of view', async () => {
  const { bridge } = await open('s10');
  await scrollTo(1000);
  await bridge.push(...['s15', 's16', 's17'].map(asks));
  await rest();
  expect(list().scrollTop).toBe(1000);
});

test('case_51_what comes while the pointer is over the sidebar scrolls once it has left', async () => {
  const { bridge, user } = await open('s10');
  await scrollTo(200);
  await user.hover(list().querySelector('[data-session=s10]')!);
  const before = lines().map(({ dataset }) => dataset['row']);
  await bridge.push(...['s15', 's16', 's17', 's18'].map(asks), { change: 'session', session: aSession({ id: 'new', place: 40 }) });
  await rest();
  expect(lines().map(({ dataset }) => dataset['row'])).toEqual([...before, 'new']);
  expect(list().querySelector('[data-session=s15]')).toHaveAttribute('data-state', 'needs_you');
  expect(list().scrollTop).toBe(200);
  await user.hover(document.querySelector('main')!);
  await rest();
  expect(stuck()[0]).toBe('Needs you 6 at 0px');
  expect(topOf('s10')).toBe(VIEWPORT - 40);
});
