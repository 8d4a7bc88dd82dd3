import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { found, nextOf } from '../src/feature/transcript/find';
import { anEntry, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, settle } from './open';

const said = (n: number, text: string) => anEntry(n, { kind: 'agent', text });

describe('the search in a transcript', () => {
  const entries = [said(1, 'Das Café ist offen.'), said(2, '请修改数据库连接'), said(3, 'The cafe closes.'), said(4, 'Nothing')];

  const entriesWith = (asked: string) => found(entries, asked).map(({ n }) => n);

  test('finds words in every script, without case and accents', () => {
    expect(entriesWith('CAFE')).toEqual([1, 3]);
    expect(entriesWith('数据库')).toEqual([2]);
    expect(entriesWith(' ')).toEqual([]);
    expect(entriesWith('missing')).toEqual([]);
    expect(found([said(1, 'Łódź, Øresund, Straße')], 'lodz, oresund, strasse')).toHaveLength(1);
  });

  test('case_147 finds a phrase as it is typed or quoted', () => {
    const two = [said(1, 'Paragraph 1 of 7'), said(2, 'see paragraph\n 7 (b)')];
    for (const asked of ['paragraph 7', '"paragraph 7"', '“paragraph  7”', ' 7 (b) ']) expect(found(two, asked)).toEqual([{ n: 2, at: 0 }]);
    expect(found(two, '7 paragraph')).toEqual([]);
  });

  test('case_147 goes from one match to the next, also within an entry, and around the ends', () => {
    const all = found([said(1, 'kettle, kettle'), said(3, 'A kettle')], 'kettle');
    const [a, b, c] = all;
    expect(all).toEqual([
      { n: 1, at: 0 },
      { n: 1, at: 1 },
      { n: 3, at: 0 },
    ]);
    expect(nextOf(all, null, -1)).toBe(c);
    expect(nextOf(all, c!, -1)).toBe(b);
    expect(nextOf(all, a!, -1)).toBe(c);
    expect(nextOf(all, c!, 1)).toBe(a);
    expect(nextOf(all, { n: 2, at: 0 }, 1)).toBe(c);
    expect(nextOf([], { n: 2, at: 0 }, 1)).toBeNull();
  });
});

async function opened(texts: string[]) {
  const bridge = new FakeBridge({ sessions: [aSession()] }).with({ entries: { s1: texts.map((text, index) => said(index + 1, text)) } });
  const { store, user } = await openPage(bridge);
  store.dispatch({ type: 'session_selected', session: 's1' });
  await settle();
  await user.keyboard('{Control>}f{/Control}');
  return { user };
}

// By its label: roles are slow to find in a long transcript.
const field = () => screen.queryByLabelText('Find in the transcript', { selector: 'input' });

test('case_147 Ctrl+F finds words in the transcript, Enter and Shift+Enter visit the matches of one message, and Esc ends it', async () => {
  const { user } = await opened(['Café '.repeat(60), 'Nothing.']);
  expect(field()).toHaveFocus();
  await user.keyboard('cafe');
  expect(screen.getByText('1 of 60')).toBeVisible();
  await expectNoViolations();
  await user.keyboard('{Enter}{Enter}');
  expect(screen.getByText('3 of 60')).toBeVisible();
  await user.keyboard('{Shift>}{Enter}{/Shift}');
  expect(screen.getByText('2 of 60')).toBeVisible();
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
