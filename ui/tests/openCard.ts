import { expect } from 'vitest';

import type { EndInput, HeldEnd, Question, Settings } from '../src/generated/wire';
import { answered, aQuestion, aRequest } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage, panel, settle } from './open';

export const card = () => document.querySelector<HTMLElement>('[data-card="r1"]')!;

export const lone = () => [aQuestion(1, { text: 'Which way?', options: ['OAuth 2.0', 'JWT', 'Sessions'] })];
export const pair = () => [
  aQuestion(1, { header: 'Method', options: ['OAuth 2.0', 'JWT'] }),
  aQuestion(2, { header: 'Providers', kind: 'multi', options: ['GitHub', 'Google'] }),
];
export const four = () => [1, 2, 3, 4].map((place) => aQuestion(place, { options: ['Yes', 'No', 'Later'] }));

/** Opens the window with an app that keeps quick answers undoable until `pass` is called. */
export async function openCard(questions: Question[], settings: Partial<Settings> = {}) {
  const bridge = new FakeBridge({ requests: [aRequest({ questions })] }).set(settings);
  const end = (id: string, answers: { question: string; chosen?: string[] }[]) => {
    const request = answered(bridge.request(id), answers);
    const held = bridge.snapshot.held.some((one) => one.request === id);
    bridge.push({ change: 'request', request }, ...(held ? [{ change: 'hold_released', request: id } as const] : []));
    return request;
  };
  bridge.on('answer_question', ({ id, answers }) => end(id, answers));
  bridge.on('hold_end', ({ id, end }) => {
    bridge.push({ change: 'end_held', held: holding({ request: id, end }) });
    return {};
  });
  bridge.on('undo_end', ({ id }) => {
    bridge.push({ change: 'hold_released', request: id });
    return {};
  });
  const opened = await openPage(bridge);
  /** Lets the undo time pass. */
  const pass = async () => {
    for (const held of bridge.snapshot.held) if (held.end.end === 'answered') end(held.request, held.end.answers);
    await settle();
  };
  /** Presses keys one by one. */
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await opened.user.keyboard(key);
  };
  /** Presses keys in the card. */
  const press = (...pressed: string[]) => {
    card().focus();
    return keys(...pressed);
  };
  return { ...opened, pass, keys, press };
}

export function holding(changes: Partial<HeldEnd>): HeldEnd {
  const now = Date.now();
  return { request: 'r1', end: { end: 'canceled' }, since: now, until: now + 3000, error: null, ...changes };
}

export const chose = (...chosen: string[]): EndInput => ({
  end: 'answered',
  answers: [{ question: 'q1', chosen, other: null, note: null }],
});

export const sentAnswers = (bridge: FakeBridge) => bridge.sent('answer_question').map(({ answers }) => answers);

/** A card, the keys that are pressed in it, and what has come of them; nothing is sent or held that isn't named. */
export interface KeyCase {
  of: Question[];
  with?: Partial<Settings>;
  /** Where the focus is before the keys; the card unless named. */
  from?: () => HTMLElement;
  /** What is clicked before. */
  click?: () => HTMLElement;
  keys: string[];
  sends?: object[][];
  holds?: object[];
  /** The ids of the options that are chosen in the question in view. */
  chosen?: string[];
  focus?: () => HTMLElement;
  /** The values of fields. */
  fields?: [() => HTMLElement, string][];
  says?: (string | RegExp)[];
}

export const chosenOptions = () =>
  [...card().querySelectorAll<HTMLInputElement>('[data-option] input:checked')].map(
    (input) => input.closest<HTMLElement>('[data-option]')?.dataset['option'],
  );

export async function checkKeys(tried: KeyCase) {
  const opened = await openCard(tried.of, tried.with);
  const { bridge, user, keys } = opened;
  if (tried.click) await user.click(tried.click());
  else (tried.from ?? card)().focus();
  await keys(...tried.keys);
  expect(sentAnswers(bridge)).toMatchObject(tried.sends ?? []);
  expect(bridge.sent('hold_end').map(({ end }) => end)).toMatchObject(tried.holds ?? []);
  if (tried.chosen) expect(chosenOptions()).toEqual(tried.chosen);
  if (tried.focus) expect(tried.focus()).toHaveFocus();
  for (const [field, value] of tried.fields ?? []) expect(field()).toHaveValue(value);
  for (const words of tried.says ?? []) expect(panel()).toHaveTextContent(words);
  return opened;
}
