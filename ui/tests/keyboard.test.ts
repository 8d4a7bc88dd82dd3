import { screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import { keyActionOf } from '../src/feature/panel/keys';
import { type Asks, type Focus, goalAfter, type Happening, type Place, placeAfter, routeOf } from '../src/shared/keyboard';
import { type Press, shortcutKey } from '../src/shared/keys';
import { anApproval, aQuestion, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, checkbox, composer, openPage, ownAnswer, panel, radio } from './open';
import { card, lone, openCard, pair, sentAnswers } from './openCard';

function pressed(key: string, changes: Partial<Press> = {}): Press {
  return {
    key,
    code: '',
    keyCode: 0,
    isComposing: false,
    repeat: false,
    ctrlKey: false,
    altKey: false,
    shiftKey: false,
    metaKey: false,
    ...changes,
  };
}

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

describe('shortcuts on other layouts', () => {
  test.each<[string, string, string, boolean?]>([
    ['г', 'KeyU', 'u'],
    ['т', 'KeyN', 'n'],
    ['о', 'KeyJ', 'j'],
    ['Л', 'KeyK', 'k', true],
    ['υ', 'KeyY', 'y'],
    ['б', 'Comma', ','],
    ['.', 'Slash', '/'],
    [',', 'Slash', '?', true],
    ['&', 'Digit1', '1'],
    ['é', 'Digit2', '2'],
    ['/', 'Digit7', '/', true],
    ['"', 'Digit2', '"', true],
    ['a', 'KeyQ', 'a'],
    ['ü', 'BracketLeft', 'ü'],
    [',', 'KeyM', ','],
    ['-', 'Slash', '-'],
    ['Escape', 'Escape', 'Escape'],
  ])('“%s” on %s is %s', (key, code, expected, shiftKey = false) => {
    expect(shortcutKey({ key, code, shiftKey })).toBe(expected);
  });

  test('answer and undo', () => {
    expect(keyActionOf(pressed('г', { code: 'KeyU' }), 'radio')).toEqual({ action: 'undo' });
    expect(keyActionOf(pressed('é', { code: 'Digit2' }), 'card')).toEqual({ action: 'choose', place: 2 });
  });
});

describe('case_101 what is typed is text', () => {
  test.each([
    ['its radio button', () => radio('Other')],
    ['its label', () => within(card()).getByText('Other', { exact: false, selector: 'label' })],
  ])('after a click on Other, at %s', async (_, target) => {
    const { user, bridge } = await openCard(lone());
    await user.click(target());
    expect(ownAnswer()).toHaveFocus();
    expect(radio('Other').checked).toBe(true);
    await user.keyboard('2 factor/n');
    expect(ownAnswer()).toHaveValue('2 factor/n');
    expect(radio('Other').checked).toBe(true);
    expect(bridge.sent('hold_end')).toEqual([]);
  });

  test('after a click beside the open field of Other', async () => {
    const { user } = await openCard(lone());
    await user.type(ownAnswer(), 'one ');
    composer().focus();
    await user.click(card().querySelector('[data-option=other] .digit')!);
    expect(ownAnswer()).toHaveFocus();
  });

  test.each([
    ['its checkbox', () => checkbox('Other')],
    ['its label', () => within(card()).getByText('Other', { exact: false, selector: 'label' })],
  ])('in multiple choice after a click on %s', async (_, target) => {
    const { user } = await openCard([pair()[1]!]);
    await user.click(target());
    expect(ownAnswer()).toHaveFocus();
    await user.keyboard('n1');
    expect(ownAnswer()).toHaveValue('n1');
    expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull();
    expect(checkbox('GitHub').checked).toBe(false);
  });

  test('when the arrow keys have chosen Other, and no key is lost', async () => {
    const { user, bridge } = await openCard(lone());
    radio('Sessions').focus();
    await user.keyboard('{ArrowDown}');
    expect(radio('Other')).toHaveFocus();
    await user.keyboard('2 of us');
    expect(ownAnswer()).toHaveValue('2 of us');
    expect(radio('Other').checked).toBe(true);
    expect(bridge.sent('hold_end')).toEqual([]);
  });

  test('after Esc in a question that asks for words, a space too', async () => {
    const { user, store } = await openCard([aQuestion(1, { kind: 'text', options: [] })]);
    await user.type(within(card()).getByRole('textbox'), 'one{Escape} two');
    expect(store.state.drafts['r1']?.answers['q1']?.other).toBe('one two');
    expect(within(card()).getByRole('textbox')).toHaveFocus();
  });

  test('in a note that was added with the mouse', async () => {
    const { user } = await openCard(lone(), { quickAnswer: 'off' });
    await user.click(radio('JWT'));
    await user.click(button('Add note'));
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveFocus();
    await user.keyboard('1u');
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('1u');
    expect(radio('JWT').checked).toBe(true);
  });
});

describe('case_102 the control that takes the answer has the keyboard', () => {
  const three = () => [
    aQuestion(1, { kind: 'text', header: 'Why', options: [] }),
    aQuestion(2, { kind: 'confirm', header: 'Sure', options: ['Yes', 'No'], allowsOther: false }),
    aQuestion(3, { kind: 'secret', header: 'Key', options: [] }),
  ];

  test('after F6 from the composer, and a slash is text', async () => {
    const { user, bridge } = await openCard(three());
    await user.click(composer());
    await user.keyboard('{F6}');
    expect(ownAnswer()).toHaveFocus();
    await user.keyboard('n/a{Enter}');
    expect(composer()).toHaveValue('');
    expect(radio('Yes')).toHaveFocus();
    await user.keyboard('1');
    expect(screen.getByLabelText('Your own answer')).toHaveFocus();
    await user.keyboard('n/a?1');
    expect(screen.getByLabelText('Your own answer')).toHaveValue('n/a?1');
    expect(bridge.sent('send_message')).toEqual([]);
  });

  test('also on the frame of a text question, after Esc', async () => {
    const { user } = await openCard(three());
    await user.click(ownAnswer());
    await user.keyboard('{Escape}');
    expect(card()).toHaveFocus();
    await user.keyboard('n/a');
    expect(ownAnswer()).toHaveValue('n/a');
    expect(composer()).toHaveValue('');
  });

  test('after F6 to options, the chosen one, or the field of Other', async () => {
    const { user } = await openCard(lone(), { quickAnswer: 'off' });
    await user.click(composer());
    await user.keyboard('{F6}');
    expect(radio('OAuth 2.0')).toHaveFocus();
    await user.keyboard('2');
    await user.click(composer());
    await user.keyboard('{F6}');
    expect(radio('JWT')).toHaveFocus();
    await user.click(radio('Other'));
    await user.click(composer());
    await user.keyboard('{F6}');
    expect(ownAnswer()).toHaveFocus();
  });

  test('of a permission request, its card, where a slash leads nowhere', async () => {
    const { user } = await openPage(new FakeBridge({ approvals: [anApproval()] }));
    await user.click(composer());
    await user.keyboard('{F6}');
    expect(document.activeElement).toHaveAttribute('data-approval', 'a1');
    await user.keyboard('n/a');
    expect(document.activeElement).toHaveAttribute('data-approval', 'a1');
    expect(composer()).toHaveValue('');
  });

  test('after Ctrl+J to a text question', async () => {
    const { user } = await openCard(three());
    await user.click(composer());
    await user.keyboard('{Control>}j{/Control}');
    await user.keyboard('2');
    expect(ownAnswer()).toHaveValue('2');
  });
});

describe('case_103 who answers in the panel stays there', () => {
  const second = () =>
    aRequest({
      id: 'r2',
      nativeRef: 'n2',
      askedAt: 9e12,
      questions: [aQuestion(1, { text: 'And then?', options: ['Rust', 'Go', 'Zig'] })],
    });

  test('for a question that arrives after the answer', async () => {
    const { user, bridge } = await openCard(lone());
    await user.click(composer());
    await user.keyboard('{F6}2{Enter}');
    expect(sentAnswers(bridge)).toHaveLength(1);
    await user.keyboard('1');
    expect(composer()).toHaveValue('');
    await bridge.push({ change: 'request', request: second() });
    expect(panel()).toHaveFocus();
    await user.keyboard('13{Enter}');
    expect(sentAnswers(bridge)).toHaveLength(2);
    expect(sentAnswers(bridge)[1]).toMatchObject([{ chosen: ['q1o3'] }]);
    expect(composer()).toHaveValue('');
    expect(bridge.sent('send_message')).toEqual([]);
  });

  test('until they go to the composer', async () => {
    const { user, bridge } = await openCard(lone());
    await user.click(composer());
    await user.keyboard('{F6}2{Enter}/13');
    expect(composer()).toHaveValue('13');
    await bridge.push({ change: 'request', request: second() });
    expect(composer()).toHaveFocus();
    expect(radio('Rust').checked).toBe(false);
  });
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
