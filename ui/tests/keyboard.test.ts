import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { type Asks, type Focus, goalAfter, type Happening, type Place, placeAfter, routeOf } from '../src/shared/keyboard';
import { anApproval, aQuestion, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, openPage, ownAnswer, panel, radio } from './open';
import { card, checkKeys, type KeyCase, lone, openCard, pair, sentAnswers } from './openCard';
import { pressed } from './pressed';

describe('the model of the keyboard', () => {
  const places: (Place | null)[] = ['panel', 'inbox', null];
  const focuses: Focus[] = ['field', 'choice', 'other', 'control', 'frame', 'nothing'];
  const asks: Asks[] = ['choice', 'words', 'decision', 'nothing'];

  test('only the user goes anywhere', () => {
    for (const place of places) {
      expect(placeAfter(place, { what: 'arrived' })).toBe(place);
      expect(placeAfter(place, { what: 'ended' })).toBe(place);
      expect(placeAfter(place, { what: 'went', to: 'inbox' })).toBe('inbox');
      for (const focus of focuses) {
        for (const waits of [true, false]) expect(goalAfter({ what: 'arrived' }, { place, focus, waits })).toBe('stay');
      }
    }
  });

  test.each<[Happening['what'], Place | null, Focus, boolean, string]>([
    ['ended', 'panel', 'nothing', true, 'next_card'],
    ['ended', 'panel', 'frame', true, 'next_card'],
    ['ended', 'inbox', 'nothing', false, 'place'],
    ['ended', 'panel', 'field', true, 'stay'],
    ['ended', 'panel', 'choice', true, 'stay'],
    ['ended', null, 'nothing', true, 'stay'],
    ['wrote', null, 'nothing', false, 'message'],
    ['wrote', null, 'control', false, 'message'],
    ['wrote', null, 'field', false, 'stay'],
    ['wrote', 'panel', 'nothing', false, 'stay'],
  ])('after %s in %s with the focus on %s (%s waits), it goes to %s', (what, place, focus, waits, goal) => {
    expect(goalAfter({ what } as Happening, { place, focus, waits })).toBe(goal);
  });

  test.each<[string, Place | null, Focus, Asks, boolean, string]>([
    ['n', 'panel', 'frame', 'words', true, 'question_field'],
    ['/', 'panel', 'frame', 'words', true, 'question_field'],
    ['/', 'panel', 'nothing', 'words', true, 'question_field'],
    ['a', 'panel', 'frame', 'words', false, 'ignored'],
    [' ', 'panel', 'frame', 'words', true, 'question_field'],
    [' ', 'panel', 'control', 'words', true, 'as_is'],
    [' ', 'panel', 'frame', 'choice', true, 'as_is'],
    [' ', 'panel', 'other', 'choice', true, 'as_is'],
    ['/', 'panel', 'control', 'words', true, 'ignored'],
    ['n', 'panel', 'control', 'words', true, 'ignored'],
    ['u', 'panel', 'control', 'words', true, 'as_is'],
    ['2', 'panel', 'other', 'choice', true, 'question_field'],
    ['/', 'panel', 'other', 'choice', true, 'question_field'],
    ['2', 'panel', 'choice', 'choice', true, 'as_is'],
    ['/', 'panel', 'choice', 'choice', true, 'as_is'],
    ['/', 'panel', 'frame', 'decision', true, 'ignored'],
    ['/', 'panel', 'frame', 'nothing', true, 'as_is'],
    ['a', null, 'nothing', 'nothing', true, 'message_field'],
    ['a', null, 'control', 'nothing', true, 'as_is'],
    ['Enter', null, 'nothing', 'nothing', true, 'as_is'],
    [' ', null, 'nothing', 'nothing', true, 'as_is'],
  ])('“%s” in %s on %s, while it asks for %s (armed: %s), is %s', (key, place, focus, asks, armed, route) => {
    expect(routeOf(pressed(key), { place, focus, asks, armed })).toBe(route);
  });

  test('case_106 no character meant for a field becomes a choice, and no key in a place becomes chat', () => {
    for (const key of '19nu/?xjko') {
      for (const place of places) {
        for (const focus of focuses) {
          for (const asked of asks) {
            for (const armed of [true, false]) {
              const route = routeOf(pressed(key), { place, focus, asks: asked, armed });
              if (place !== null) expect(route).not.toBe('message_field');
              if (focus === 'field') expect(route).toBe('as_is');
              if (focus === 'other') expect(route).toBe('question_field');
              if (place !== null && asked === 'words' && ['frame', 'nothing'].includes(focus)) expect(route).not.toBe('as_is');
            }
          }
        }
      }
    }
  });
});

const note = () => screen.getByRole('textbox', { name: 'Note' });
const labelOfOther = () => within(card()).getByText('Other', { exact: false, selector: 'label' });
const secret = () => screen.getByLabelText('Your own answer');
const words = () => [aQuestion(1, { kind: 'text', options: [] })];
const three = () => [
  aQuestion(1, { kind: 'text', header: 'Why', options: [] }),
  aQuestion(2, { kind: 'confirm', header: 'Sure', options: ['Yes', 'No'], allowsOther: false }),
  aQuestion(3, { kind: 'secret', header: 'Key', options: [] }),
];
const off = { quickAnswer: 'off' } as const;

test.each<[string, KeyCase]>([
  [
    'case_101 a click on the label of Other',
    { of: lone(), click: labelOfOther, keys: ['2 f/n'], chosen: ['other'], fields: [[ownAnswer, '2 f/n']] },
  ],
  [
    'case_101 a click on Other of multiple choice',
    { of: [pair()[1]!], click: () => checkbox('Other'), keys: ['n1'], chosen: ['other'], fields: [[ownAnswer, 'n1']] },
  ],
  [
    'case_101 arrow keys that have chosen Other, and no key is lost',
    { of: lone(), from: () => radio('Sessions'), keys: ['{ArrowDown}', '2 of us'], chosen: ['other'], fields: [[ownAnswer, '2 of us']] },
  ],
  [
    'case_101 Esc in a question that asks for words, a space too',
    { of: words(), from: ownAnswer, keys: ['one{Escape} two'], focus: ownAnswer, fields: [[ownAnswer, 'one two']] },
  ],
  [
    'case_102 Esc on the frame of a text question',
    {
      of: three(),
      from: ownAnswer,
      keys: ['{Escape}', 'n/a'],
      fields: [
        [ownAnswer, 'n/a'],
        [composer, ''],
      ],
    },
  ],
  ['case_102 F6 from the composer', { of: three(), from: composer, keys: ['{F6}'], focus: ownAnswer }],
  ['case_102 Enter in a field, on the options', { of: three(), from: composer, keys: ['{F6}', 'n/a{Enter}'], focus: () => radio('Yes') }],
  [
    'case_102 a digit, in the field of a secret',
    { of: three(), from: composer, keys: ['{F6}', 'n/a{Enter}', '1', 'n/a?1'], fields: [[secret, 'n/a?1']] },
  ],
  ['case_102 F6 to options', { of: lone(), from: composer, keys: ['{F6}'], focus: () => radio('OAuth 2.0') }],
  ['case_102 F6 to the chosen one', { of: lone(), with: off, keys: ['2', '/', '{F6}'], focus: () => radio('JWT') }],
  ['case_102 F6 to the field of Other', { of: lone(), with: off, keys: ['4', '{Escape}', '/', '{F6}'], focus: ownAnswer }],
  ['case_102 Ctrl+J to a text question', { of: three(), from: composer, keys: ['{Control>}j{/Control}', '2'], fields: [[ownAnswer, '2']] }],
])('the keyboard is where it belongs after %s', async (_, tried) => {
  const { bridge } = await checkKeys(tried);
  expect(bridge.sent('send_message')).toEqual([]);
  expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull();
});

test('case_101 a click beside the open field of Other, or on Add note, leads to its field', async () => {
  const { user } = await openCard(lone(), off);
  await user.type(ownAnswer(), 'one ');
  composer().focus();
  await user.click(card().querySelector('[data-option=other] .digit')!);
  expect(ownAnswer()).toHaveFocus();
  await user.click(radio('JWT'));
  await user.click(button('Add note'));
  await user.keyboard('1u');
  expect(note()).toHaveValue('1u');
  expect(radio('JWT').checked).toBe(true);
});

test('case_102 F6 leads to the card of a permission request, where a slash leads nowhere', async () => {
  const { user } = await openPage(new FakeBridge({ approvals: [anApproval()] }));
  await user.click(composer());
  for (const keys of ['{F6}', 'n/a']) {
    await user.keyboard(keys);
    expect(document.activeElement).toHaveAttribute('data-approval', 'a1');
  }
  expect(composer()).toHaveValue('');
});

test('case_103 who answers in the panel stays there, for a question that arrives after the answer', async () => {
  const { user, bridge } = await openCard(lone());
  await user.click(composer());
  await user.keyboard('{F6}2{Enter}1');
  expect(sentAnswers(bridge)).toHaveLength(1);
  await bridge.push({ change: 'request', request: aRequest({ id: 'r2', nativeRef: 'n2', askedAt: 9e12, questions: lone() }) });
  expect(panel()).toHaveFocus();
  await user.keyboard('13{Enter}');
  expect(sentAnswers(bridge)[1]).toMatchObject([{ chosen: ['q1o3'] }]);
  expect(composer()).toHaveValue('');
  expect(bridge.sent('send_message')).toEqual([]);
});

describe('the message field', () => {
  test('takes what is typed with no focus, and a press of its frame', async () => {
    const { user } = await openPage(new FakeBridge());
    (document.activeElement as HTMLElement | null)?.blur();
    await user.keyboard('hi/?1');
    expect(composer()).toHaveValue('hi/?1');
    composer().blur();
    await user.click(composer().closest<HTMLElement>('.box')!);
    expect(composer()).toHaveFocus();
  });

  test('has the focus after Send was clicked', async () => {
    const { user, bridge } = await openPage(
      new FakeBridge({ sessions: [aSession({ state: { state: 'idle' } })] }).on('send_message', () => ({})),
    );
    await user.type(composer(), 'go on');
    await user.click(button('Send'));
    expect(bridge.sent('send_message')).toHaveLength(1);
    expect(composer()).toHaveFocus();
  });
});
