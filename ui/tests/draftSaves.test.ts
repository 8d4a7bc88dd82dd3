import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { DraftTarget, Request } from '../src/generated/wire';
import { anApproval, anEntry, answered, aQuestion, aRequest, aSession, ended, planOptions, withdrawn } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, held, openPage, ownAnswer, radio, settle, skippableTime } from './open';

const store = aQuestion(1, { header: 'Store', text: 'Which store?', options: ['SQLite', 'PostgreSQL'] });
const parts = aQuestion(2, { header: 'Parts', text: 'Which parts?', kind: 'multi', options: ['W', 'X'] });
const two = (changes: Partial<Request> = {}) => aRequest({ questions: [store, parts], ...changes });
const one = (changes: Partial<Request> = {}) => aRequest({ questions: [store], ...changes });

type Begun = Partial<Extract<DraftTarget, { of: 'request' }>['draft']>;
const draft = (begun: Begun, id = 'r1'): DraftTarget => ({
  of: 'request',
  id,
  draft: { active: 0, answers: [], declining: false, words: '', ...begun },
});
const on = (question: string, begun: { chosen?: string[]; other?: string; note?: string }) => ({
  question,
  chosen: [],
  otherChosen: (begun.other ?? '') !== '' && !begun.chosen,
  other: '',
  note: '',
  ...begun,
});

const saves = (bridge: FakeBridge) => bridge.sent('save_draft');
const saved = (bridge: FakeBridge) => saves(bridge).at(-1)?.draft;
const open = (request: Request, drafts: DraftTarget[] = []) => {
  return openPage(new FakeBridge({ requests: [request] }).with({ drafts: drafts }));
};
/** Waits longer than a save may take. */
const wait = (millis = 300) => vi.advanceTimersByTimeAsync(millis);

skippableTime();

describe('a draft', () => {
  test('case_28_comes_back_question_choices_words_and_place', async () => {
    const begun = draft({ active: 1, answers: [on('q1', { other: 'a graph store' }), on('q2', { chosen: ['q2o2'], note: 'only X' })] });
    const { user, bridge } = await open(two(), [begun]);
    expect(screen.getByRole('group', { name: /Which parts\?/ })).toBeVisible();
    expect(screen.getByRole('checkbox', { name: 'X' })).toBeChecked();
    expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('only X');
    await user.click(button('Back'));
    expect(ownAnswer()).toHaveValue('a graph store');
    await wait();
    // Only the change of the visible question is saved.
    expect(saves(bridge).map(({ draft: saved }) => saved)).toEqual([{ ...begun, draft: { ...begun.draft, active: 0 } }]);
  });

  test('of an edited plan is restored', async () => {
    const plan = anApproval({
      title: 'ExitPlanMode',
      subject: { detail: 'plan', plan: '1. Build', path: null },
      options: planOptions('default', 'accept_edits'),
    });
    const bridge = new FakeBridge({ approvals: [plan] });
    bridge.drafts = [
      { of: 'approval', id: plan.id, draft: { form: 'plan', message: '', options: ['allow:accept_edits'], plan: '1. Wait' } },
    ];
    const { user } = await openPage(bridge);
    const field = screen.getByDisplayValue('1. Wait');
    await user.type(field, ' longer');
    await user.tab();
    expect(saved(bridge)).toMatchObject({ of: 'approval', draft: { plan: '1. Wait longer', options: ['allow:accept_edits'] } });
  });

  test('stays visible when the agent withdraws the question', async () => {
    const { user, bridge } = await open(one());
    bridge.push({ change: 'entry', session: 's1', entry: anEntry(9, { kind: 'request', request: 'r1' }) });
    await user.type(ownAnswer(), 'do not lose this');
    await bridge.push({ change: 'request', request: one({ state: ended(withdrawn()) }) });
    const left = await screen.findByRole('group', { name: 'Your unsent draft' });
    expect(left).toHaveTextContent('do not lose this');
    expect(button('Copy draft')).toBeVisible();
    await wait();
    expect(saved(bridge)).toMatchObject({ draft: { answers: [{ other: 'do not lose this' }] } });
  });
});

describe('saving', () => {
  test('takes no more than 300 ms while the user types', async () => {
    const { bridge } = await open(one());
    vi.useFakeTimers();
    const times: number[] = [];
    bridge.on('save_draft', () => (times.push(performance.now()), {}));
    const began = performance.now();
    for (let letters = 1; letters <= 12; letters += 1) {
      await fireEvent.input(ownAnswer(), { target: { value: 'x'.repeat(letters) } });
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(250);
    vi.useRealTimers();
    expect(saved(bridge)).toEqual(draft({ answers: [on('q1', { other: 'x'.repeat(12) })] }));
    const gaps = times.map((time, index) => time - (times[index - 1] ?? began));
    expect(Math.max(...gaps)).toBeLessThan(300);
    expect(times.length).toBeLessThan(8);
    expect(saves(bridge).map(({ n }) => n)).toEqual(times.map((_, index) => index + 1));
    expect(new Set(saves(bridge).map(({ page }) => page)).size).toBe(1);
  });

  test.each([
    ['the focus leaves the field', () => ownAnswer().blur()],
    ['the page is hidden', () => hide()],
    ['the window loses the focus', () => window.dispatchEvent(new Event('blur'))],
    ['the page is left', () => window.dispatchEvent(new Event('beforeunload'))],
    ['the page is gone', () => window.dispatchEvent(new Event('pagehide'))],
  ])('happens immediately when %s', async (_, leave) => {
    const { user, bridge } = await open(one());
    await user.click(ownAnswer());
    await fireEvent.input(ownAnswer(), { target: { value: 'mine' } });
    expect(saves(bridge)).toEqual([]);
    leave();
    expect(saved(bridge)).toEqual(draft({ answers: [on('q1', { other: 'mine' })] }));
    await wait();
    expect(saves(bridge)).toHaveLength(1);
  });

  test('waits for the save in progress, except when the page closes', async () => {
    const { bridge } = await open(one());
    const first = held<Record<string, never>>();
    bridge.on('save_draft', () => first.promise);
    await fireEvent.input(ownAnswer(), { target: { value: 'a' } });
    await wait(200);
    await fireEvent.input(ownAnswer(), { target: { value: 'ab' } });
    await wait(200);
    expect(saves(bridge)).toHaveLength(1);
    window.dispatchEvent(new Event('beforeunload'));
    expect(saves(bridge).map(({ n, draft: sent }) => [n, sent])).toEqual([
      [1, draft({ answers: [on('q1', { other: 'a' })] })],
      [2, draft({ answers: [on('q1', { other: 'ab' })] })],
    ]);
    first.give({});
  });

  test('reports a failure, keeps the text, and retries', async () => {
    const { user, bridge } = await open(one());
    bridge.fail('save_draft', { code: 'storage_full' });
    await user.type(ownAnswer(), 'mine');
    await user.tab();
    expect(screen.getByText(/^Draft not saved yet\. The disk is full/)).toBeVisible();
    expect(ownAnswer()).toHaveValue('mine');
    bridge.on('save_draft', () => ({}));
    await waitFor(() => expect(screen.queryByText(/^Draft not saved yet/)).toBeNull());
    expect(saved(bridge)).toEqual(draft({ answers: [on('q1', { other: 'mine' })] }));
  });

  test('never sends a secret', async () => {
    const secret = aQuestion(2, { kind: 'secret', text: 'Which key?', options: [] });
    const { user, bridge } = await open(aRequest({ questions: [store, secret] }));
    await user.click(radio('SQLite'));
    await user.type(screen.getByLabelText('Your own answer', { selector: 'input[type=password]' }), 'hunter2');
    await user.tab();
    await wait();
    expect(saved(bridge)).toEqual(draft({ active: 1, answers: [on('q1', { chosen: ['q1o1'] })] }));
    expect(JSON.stringify(bridge.calls)).not.toContain('hunter2');
  });

  test('saves that a text was cleared', async () => {
    const { user, bridge } = await open(two());
    await user.click(button('Next'));
    await user.click(button('Back'));
    await user.type(ownAnswer(), 'x');
    await wait();
    await user.clear(ownAnswer());
    await user.click(radio('SQLite'));
    await user.click(button('Back'));
    await wait();
    expect(saved(bridge)).toMatchObject({ draft: { answers: [{ question: 'q1', other: '' }] } });
  });
});

describe('loading after a reload', () => {
  test('keeps the stored text and the text typed since', async () => {
    const bridge = new FakeBridge({ requests: [two()] });
    const reading = held<{ drafts: DraftTarget[] }>();
    bridge.on('read_drafts', () => reading.promise);
    const { user } = await openPage(bridge);
    await user.type(ownAnswer(), 'new words');
    await wait();
    // A save would have overwritten the stored draft.
    expect(saves(bridge)).toEqual([]);
    const disk = draft({ active: 1, answers: [on('q1', { other: 'old words', note: 'old note' }), on('q2', { chosen: ['q2o1'] })] });
    reading.give({ drafts: [disk] });
    await settle();
    expect(ownAnswer()).toHaveValue('old words\nnew words');
    expect(ownAnswer()).toHaveFocus();
    await wait();
    const expected = [on('q1', { other: 'old words\nnew words', note: 'old note' }), on('q2', { chosen: ['q2o1'] })];
    expect(saved(bridge)).toEqual(draft({ answers: expected }));
  });

  test('keeps a choice made since, and merges selected options', async () => {
    const bridge = new FakeBridge({ requests: [two()] });
    const reading = held<{ drafts: DraftTarget[] }>();
    bridge.on('read_drafts', () => reading.promise);
    const { user, store } = await openPage(bridge);
    await user.click(radio('PostgreSQL'));
    await user.click(screen.getByRole('checkbox', { name: 'X' }));
    const answers = [on('q1', { chosen: ['q1o1'] }), on('q2', { chosen: ['q2o1'] })];
    reading.give({ drafts: [draft({ answers })] });
    await settle();
    expect(store.state.drafts['r1']?.answers['q1']?.chosen).toEqual(['q1o2']);
    expect(store.state.drafts['r1']?.answers['q2']?.chosen).toEqual(['q2o1', 'q2o2']);
  });

  test('reports a failure once and retries', async () => {
    const bridge = new FakeBridge({ requests: [one()] });
    bridge.fail('read_drafts', { code: 'storage_busy' });
    await openPage(bridge);
    expect(screen.getByText(/The database is busy/)).toBeVisible();
    bridge.on('read_drafts', () => ({ drafts: [draft({ answers: [on('q1', { other: 'mine' })] })] }));
    await waitFor(() => expect(ownAnswer()).toHaveValue('mine'));
  });
});

describe('an answer', () => {
  test('doesn’t wait for drafts, and none is saved after it', async () => {
    const { user, bridge } = await open(one());
    bridge.on('save_draft', () => held<Record<string, never>>().promise);
    const sending = held<Request>();
    bridge.on('answer_question', () => sending.promise);
    await user.type(ownAnswer(), 'mine');
    await wait();
    expect(saves(bridge)).toHaveLength(1);
    await user.type(ownAnswer(), '!');
    await user.keyboard('{Enter}');
    expect(bridge.sent('answer_question')).toHaveLength(1);
    await wait();
    sending.give(answered(one(), [{ question: 'q1', other: 'mine!' }]));
    await wait();
    expect(saves(bridge)).toHaveLength(1);
  });

  test('that failed keeps its draft, which is then saved', async () => {
    const { user, bridge } = await open(one());
    const sending = held<Request>();
    bridge.on('answer_question', () => sending.promise);
    await user.click(radio('SQLite'));
    await user.click(button('Submit'));
    await wait();
    const before = saves(bridge).length;
    sending.refuse(anError({ code: 'storage_full' }));
    await wait();
    expect(within(document.body).getByRole('alert')).toHaveTextContent('The disk is full');
    expect(radio('SQLite')).toBeChecked();
    expect([before, saved(bridge)]).toEqual([expect.any(Number), draft({ answers: [on('q1', { chosen: ['q1o1'] })] })]);
  });
});

function hide() {
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  state.mockRestore();
}

test('a draft of an unknown request is kept until the request arrives', async () => {
  const bridge = new FakeBridge({ sessions: [aSession()], requests: [] });
  bridge.drafts = [draft({ answers: [on('q1', { other: 'mine' })] })];
  await openPage(bridge);
  await bridge.push({ change: 'request', request: one() });
  expect(ownAnswer()).toHaveValue('mine');
});
