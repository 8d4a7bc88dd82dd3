import '@testing-library/jest-dom/vitest';
import { configure } from '@testing-library/svelte';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';

import { arming } from '../src/shared/arming';
import { clock } from '../src/shared/clock.svelte';
import { sight } from '../src/feature/panel/reading.svelte';
import { spoken } from '../src/shared/messages/language.svelte';
import { loadMarkdown } from '../src/shared/reader.svelte';
import { later } from '../src/view/lazy';
import { matchingMedia, warned } from './jsdom';

// Generous, because a slow machine is no fault of the window.
configure({ asyncUtilTimeout: 20_000 });

// Loaded once, so that no test waits for a file.
beforeAll(() => Promise.all([spoken.speak('en'), loadMarkdown(), ...Object.values(later).map((load) => load())]));

beforeEach(() => {
  // Cards act on keys and clicks at once, so that no test waits; arming.test.ts tests the delay.
  arming.delay = 0;
  // There is no layout; everything counts as on screen, except in reading.test.ts.
  sight.of = () => ({ width: 300, height: 100, now: { from: 0, to: 100 }, line: 20 });
  // A test before may have skipped time.
  clock.now = Date.now();
  sessionStorage.clear();
  localStorage.clear();
  matchingMedia.clear();
});

/** Svelte's warnings fail the test. */
afterEach(() => expect(warned.splice(0)).toEqual([]));
