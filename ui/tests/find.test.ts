import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { found, nextOf } from '../src/feature/transcript/find';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle } from './open';

const said = (n: number, text: string) => anEntry(n, { kind: 'agent', text });

describe('the search in a transcript', () => {
  const entries = [said(1, 'Das Café ist offen.'), said(2, '请修改数据库连接'), said(3, 'The cafe closes.'), said(4, 'Nothing')];

  test('finds words in every script, without case and accents', () => {
    expect(found(entries, 'CAFE')).toEqual([1, 3]);
    expect(found(entries, '数据库')).toEqual([2]);
    expect(found(entries, 'cafe closes')).toEqual([3]);
    expect(found(entries, ' ')).toEqual([]);
    expect(found(entries, 'missing')).toEqual([]);
  });

  test('goes from one match to the next, and around the ends', () => {
    expect(nextOf([1, 3, 8], null, -1)).toBe(8);
    expect(nextOf([1, 3, 8], 8, -1)).toBe(3);
    expect(nextOf([1, 3, 8], 1, -1)).toBe(8);
    expect(nextOf([1, 3, 8], 8, 1)).toBe(1);
    expect(nextOf([1, 3, 8], 2, 1)).toBe(3);
    expect(nextOf([], 2, 1)).toBeNull();
  });
});

async function opened(texts: string[]) {
  const bridge = new FakeBridge({ sessions: [aSession()] });
  bridge.entries['s1'] = texts.map((text, index) => said(index + 1, text));
  const { store, user } = await openPage(bridge);
  store.dispatch({ type: 'session_selected', session: 's1' });
  await settle();
  await user.keyboard('{Control>}f{/Control}');
  return { user };
}

// By its label: roles are slow to find in a long transcript.
const field = () => screen.queryByLabelText('Find in the transcript', { selector: 'input' });

test('Ctrl+F finds words in the transcript, and Esc ends it', async () => {
  const { user } = await opened(['The Café is here.', 'Nothing.']);
  expect(field()).toHaveFocus();
  await user.keyboard('cafe');
  expect(screen.getByText('1 of 1')).toBeVisible();
  await expectNoViolations();
  await user.keyboard('x');
  expect(screen.getByText('Not found')).toBeVisible();
  await user.keyboard('{Escape}');
  expect(field()).toBeNull();
  expect(screen.getByRole('region', { name: /^Transcript of/ })).toHaveFocus();
});

test('what is not loaded is searched, too', async () => {
  const { user } = await opened(Array.from({ length: 230 }, (_, index) => (index === 3 ? 'The Café is here.' : `Line ${index}`)));
  await user.keyboard('cafe');
  await settle();
  expect(screen.getByText('1 of 1')).toBeVisible();
});
