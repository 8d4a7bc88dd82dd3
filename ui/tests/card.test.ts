import { screen, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { labelIn, nameIn, parted } from '../src/entities/request/questionNames';
import type { Question, Request } from '../src/generated/wire';
import { cutText, firstLetters, shortHeader, withoutFences } from '../src/shared/text';
import { visibly } from '../src/shared/visible';
import { aQuestion, aRequest } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, cpuMillis, expectNoViolations, openPage, panel, radio, settle } from './open';

const open = (questions: Question[], changes: Partial<Request> = {}) =>
  openPage(new FakeBridge({ requests: [aRequest({ questions, ...changes })] }));

beforeEach(() => expect(document.body.children).toHaveLength(0));

describe('a question in Markdown', () => {
  test.each([
    ['One line.', 'One line.', ''],
    ['Two\nlines.\n\nAnd more.', 'Two\nlines.', 'And more.'],
    ['Which?\n- a\n- b', 'Which?', '- a\n- b'],
    ['Which?\n```\na\n\nb\n```', 'Which?', '```\na\n\nb\n```'],
    ['# A heading\n\nText', '', '# A heading\n\nText'],
    ['a | b\n--- | ---\n1 | 2', '', 'a | b\n--- | ---\n1 | 2'],
    ['-1 or 1?', '-1 or 1?', ''],
    ['#1 or #2?', '#1 or #2?', ''],
    ['  \n\nLate.', 'Late.', ''],
  ])('%j is split into a title and details', (text, head, rest) => {
    expect(parted(text)).toEqual({ head, rest });
  });

  test('a text of any shape is split quickly', () => {
    const started = cpuMillis();
    for (const line of [`a\n${'-'.repeat(65_000)}x`, `a\n${' '.repeat(65_000)}x`, '\n'.repeat(65_000), '- \n'.repeat(20_000)]) {
      parted(line);
    }
    expect(cpuMillis() - started).toBeLessThan(2_000);
  });

  test('the first paragraph names the group, and the rest is below it', async () => {
    await open([aQuestion(1, { header: null, text: 'Which **way**?\n\n- the `first`\n- the second', options: ['A', 'B'] })]);
    const group = await screen.findByRole('group', { name: 'Which way?' });
    expect((await within(group).findByText('first')).tagName).toBe('CODE');
    expect(within(group).getByText('way').tagName).toBe('STRONG');
    await expectNoViolations();
  });

  test('a question that starts with a list has a name, too', async () => {
    await open([aQuestion(1, { header: null, text: '- one\n- two', options: ['A', 'B'] })]);
    expect(screen.getByRole('group')).toHaveAccessibleName(/one/);
  });
});

describe('case_57_texts_that_try_to_be_more_than_text', () => {
  const asked = aQuestion(1, {
    kind: 'multi',
    text: '<img src="https://attacker.invalid/x.png"> [x](javascript:alert(1)) \u202eabc\u202c',
    options: ['', '  ', '\u200b', 'Same', 'Same', 'Same \u200b', '<b>bold</b>', 'a\u202eb'],
  });

  test('every option has a distinct name, and its label is sent unchanged', () => {
    const labels = asked.options.map((option) => labelIn(asked, option));
    expect(labels).toEqual([
      'Option 1 (no label)',
      'Option 2 (no label)',
      '⟨U+200B⟩',
      'Same (option 4)',
      'Same (option 5)',
      'Same ⟨U+200B⟩',
      '<b>bold</b>',
      'a⟨U+202E⟩b',
    ]);
    expect(asked.options[4]?.label).toBe('Same');
  });

  test('questions with the same name are numbered', () => {
    const twin = (n: number) => aQuestion(n, { header: 'Way', text: 'Which?' });
    const request = aRequest({ questions: [twin(1), twin(2), aQuestion(3, { header: 'Other way' })] });
    expect(request.questions.map((question) => nameIn(request, question))).toEqual(['Way (question 1)', 'Way (question 2)', 'Other way']);
  });

  test('nothing becomes an element, a link, or a text direction', async () => {
    await open([asked], { askedBy: '<b>boss</b>\u202e', limit: { at: Date.now() + 60_000, then: '<i>gone</i>\u202e' } });
    const card = document.querySelector('[data-card]');
    expect(card?.querySelectorAll('img, a[href], b, i, iframe, script')).toHaveLength(0);
    expect(card?.textContent).toContain('<img src=');
    expect(card?.textContent).toContain('Asked by <b>boss</b>⟨U+202E⟩');
    expect(card?.outerHTML).not.toMatch(/[\u202a-\u202e\u200b\u001b]/u);
  });

  test('a label of 64 KiB is cut until it is expanded', async () => {
    const label = 'L'.repeat(65_000);
    const { user } = await open([aQuestion(1, { options: [label, 'B'] })]);
    const first = screen.getAllByRole('radio')[0]!;
    expect(first).toHaveAccessibleName(`${'L'.repeat(240)}…`);
    await user.click(button(/Show all 65,000 characters/));
    expect(first).toHaveAccessibleName(label);
    expect((first as HTMLInputElement).checked).toBe(false);
    await user.click(button('Show less'));
    expect(first).toHaveAccessibleName(`${'L'.repeat(240)}…`);
  });

  test('text is cut between graphemes', () => {
    const family = '👩\u200d👩\u200d👧\u200d👦';
    expect(firstLetters(family.repeat(5), 2)).toBe(family.repeat(2));
    expect(shortHeader(family.repeat(12))).toBe(family.repeat(12));
    expect(shortHeader(family.repeat(13))).toBe(`${family.repeat(11)}…`);
    expect(cutText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301e\u0301…');
    const heap = `a${'\u0301'.repeat(100_000)}`;
    expect(cutText(heap, 12).length).toBeLessThan(1_000);
  });
});

test('the preview shows the option under the focus or the pointer, otherwise the chosen one, else the first, always as text', async () => {
  const previews = [
    aQuestion(1, {
      options: [{ label: 'A', preview: '```\nlet a = 1;\n<b>\u202e\n```' }, { label: 'B', preview: 'let b = 2;' }, { label: 'C' }],
    }),
  ];
  const { user } = await open(previews);
  const figure = screen.getByRole('figure');
  expect(figure).toHaveTextContent('Preview: A');
  expect(figure.querySelector('pre')?.textContent).toBe('let a = 1;\n<b>⟨U+202E⟩');
  radio('C').focus();
  await settle();
  expect(figure).toHaveTextContent('No preview for C');
  radio('C').blur();
  await user.hover(radio('B'));
  expect(figure).toHaveTextContent('let b = 2;');
  await user.unhover(radio('B'));
  expect(figure).toHaveTextContent('Preview: A');
  await user.click(radio('B'));
  radio('B').blur();
  await user.unhover(radio('B'));
  await settle();
  expect(figure).toHaveTextContent('let b = 2;');
});

test.each([
  ['```rust\nlet a = 1;\n```', 'let a = 1;'],
  ['Before\n~~~\nlet a = 1;\n~~~\n\nAfter', 'Before\nlet a = 1;\n\nAfter'],
  ['````md\n```sh\nls\n```\n````', '```sh\nls\n```'],
  ['  ```\r\nlet a = 1;\r\n  ```\r\n', 'let a = 1;\n'],
  ['a ``` b', 'a ``` b'],
  ['``` also drops the table\nls', '``` also drops the table\nls'],
])('a preview shows code without its fences: %j', (preview, shown) => {
  expect(withoutFences(visibly(preview))).toBe(shown);
});

describe('confirmations and secrets', () => {
  test('an option of a secret fills its field, masked as what is typed', async () => {
    const { user, bridge } = await open([aQuestion(1, { kind: 'secret', header: 'Token' })]);
    const [first] = aQuestion(1).options;
    await user.click(button(first!.label));
    const field = screen.getByLabelText('Your own answer');
    expect(field).toHaveAttribute('type', 'password');
    expect(field).toHaveValue(first!.label);
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')).toMatchObject([{ answers: [{ chosen: [], other: first!.label }] }]);
  });

  test('case_61_a_secret_is_masked_until_it_is_asked_for_and_stands_nowhere_else', async () => {
    const secret = aQuestion(1, { kind: 'secret', options: [], header: 'Token' });
    const { user, bridge, store } = await open([secret, aQuestion(2, { kind: 'text', options: [] })]);
    const field = document.querySelector<HTMLInputElement>('fieldset input')!;
    expect(field.type).toBe('password');
    await user.type(field, 'hunter2');
    await user.click(button('Show secret'));
    expect(field.type).toBe('text');
    expect(button('Hide secret')).toHaveTextContent('Hide');
    await user.click(button('Next'));
    await user.click(button('Back'));
    expect(document.querySelector<HTMLInputElement>('fieldset input')?.type).toBe('password');
    await user.click(button('Summary'));
    expect(document.body).not.toHaveTextContent('hunter2');
    expect(screen.getByText('Secret provided')).toBeVisible();
    await user.click(button('Submit'));
    await user.click(button('Submit'));
    expect(bridge.sent('answer_question')[0]?.answers[0]?.other).toBe('hunter2');
    expect(JSON.stringify(store.state)).not.toContain('hunter2');
  });
});

describe('the time limit', () => {
  test('case_41_a_limit_counts_down_and_says_what_happens_when_it_passes', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      await open([aQuestion(1)], { limit: { at: Date.now() + 90_000, then: 'the agent goes on' } });
      const line = screen.getByText(/left\. Without an answer, the agent goes on\./);
      const before = line.textContent;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(screen.getByText(/left\. Without an answer, the agent goes on\./).textContent).not.toBe(before);
      await vi.advanceTimersByTimeAsync(61_000);
      expect(screen.getByText('Timed out: the agent goes on')).toBeVisible();
      // Only the app removes the card, never the page's clock.
      expect(screen.getByRole('group')).toBeVisible();
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a missing answer shows an error that describes the field', async () => {
  const { user } = await open([aQuestion(1, { kind: 'text', options: [] })]);
  await user.click(button('Submit'));
  expect(screen.getByRole('alert')).toHaveTextContent('Write an answer, or skip.');
  const field = screen.getByRole('textbox', { name: 'Your own answer' });
  expect(field).toHaveAttribute('aria-invalid', 'true');
  expect(screen.getByRole('group')).toHaveAccessibleDescription(/Write an answer, or skip/);
});

describe('the options', () => {
  test('are laid out in the direction of their label, badge and all', async () => {
    const options = [{ label: 'رموز JWT (Recommended)' }, { label: 'Session' }];
    await open([aQuestion(1, { options })]);
    const line = screen.getByText('رموز JWT').closest('[dir]');
    expect(line).toHaveAttribute('dir', 'auto');
    expect(line).toContainElement(screen.getByText('Recommended'));
    // What has a direction of its own says nothing about that of the line.
    expect(line?.querySelector('[dir]')).toBeNull();
  });

  test('more than twelve can be filtered, and a digit counts in what is shown', async () => {
    const options = Array.from({ length: 40 }, (_, place) => (place % 10 === 3 ? `\u00fci-${place}` : `Package ${place}`));
    const { user } = await open([aQuestion(1, { kind: 'multi', options, allowsOther: false })]);
    const filter = screen.getByRole('searchbox', { name: 'Filter options' });
    await user.click(screen.getByRole('checkbox', { name: 'Package 1' }));
    await user.type(filter, 'UI-');
    expect(screen.getAllByRole('checkbox')).toHaveLength(4);
    expect([...panel().querySelectorAll('mark')].map((found) => found.textContent)).toEqual(Array(4).fill('\u00fci-'));
    expect(panel()).toHaveTextContent('4 of 40');
    await user.keyboard('{ArrowDown}2');
    expect(screen.getByRole('checkbox', { name: '\u00fci-13' })).toBeChecked();
    expect(panel()).toHaveTextContent('2 chosen');
    filter.focus();
    await user.keyboard('{Escape}');
    expect(filter).toHaveValue('');
    expect(screen.getAllByRole('checkbox', { checked: true })).toHaveLength(2);
    await user.type(filter, 'nowhere');
    expect(panel()).toHaveTextContent('No match');
    await user.clear(filter);
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('checkbox', { name: 'Package 0' })).toHaveFocus();
  });

  test('the field of Other opens when it is chosen, and keeps its text', async () => {
    const { user } = await open([aQuestion(1, { options: ['JWT', 'OAuth'] })]);
    const closed = () => screen.getByRole('textbox', { name: 'Your own answer' }).closest('.unseen');
    expect(closed()).not.toBeNull();
    await user.click(radio('Other'));
    expect(closed()).toBeNull();
    await user.type(screen.getByRole('textbox', { name: 'Your own answer' }), 'mine');
    await user.click(radio('JWT'));
    expect(closed()).toBeNull();
    expect(screen.getByRole('textbox', { name: 'Your own answer' })).toHaveValue('mine');
  });
});
