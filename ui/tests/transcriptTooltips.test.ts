import { screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { runs, settled } from '../src/gallery/scenes';
import { openPage } from './open';

test.each([
  ['runs of tool calls', runs],
  ['ended requests', settled],
])('every shortened text of %s has a tooltip, inside an element that the keyboard reaches', async (_, scene) => {
  const { user } = await openPage(scene());
  const feed = screen.getByRole('feed');
  const foldedRuns = [...feed.querySelectorAll<HTMLElement>('[data-kind=run] > details > summary')];
  expect(foldedRuns.length).toBeGreaterThan(0);
  for (const run of foldedRuns) await user.click(run);
  const shortened = [...feed.querySelectorAll<HTMLElement>('.ellipsis')];
  expect(shortened.length).toBeGreaterThan(10);
  const plain = (text: string | null) => text?.replace(/[\s,·:]+|and /g, '');
  for (const text of shortened) {
    expect(text.closest('summary, button'), text.outerHTML).not.toBeNull();
    const path = text.closest<HTMLElement>('.path');
    if (path) expect(path.title, path.outerHTML).toContain(path.textContent.replace(/^~/, ''));
    else expect(plain(text.title), text.outerHTML).toBe(plain(text.textContent));
  }
});
