import { describe, expect, test } from 'vitest';

import { isAnswered, toInputs } from '../src/entities/request/answerDraft';
import { type Action, reduce } from '../src/store/reducer';
import { draftOf, submitOf } from '../src/store/select';
import { initialState, type State } from '../src/store/state';
import { aQuestion, aRequest, aSnapshot } from '../src/testing/builders';
import { anError } from '../src/testing/fakeBridge';

const three = aRequest({
  questions: [
    aQuestion(1, { options: ['A', 'B'] }),
    aQuestion(2, { kind: 'multi', options: ['C', 'D', 'E'] }),
    aQuestion(3, { options: ['F', 'G'] }),
  ],
});

const open = (request = three): State =>
  reduce(initialState(), {
    type: 'frames_received',
    frames: [{ frame: 'snapshot', ...aSnapshot({ requests: [request] }) }],
  });

const choose = (question: string, option: string, on = true, goOn = true): Action => ({
  type: 'option_chosen',
  request: 'r1',
  question,
  option,
  on,
  goOn,
});
const write = (question: string, text: string): Action => ({
  type: 'other_written',
  request: 'r1',
  question,
  text,
});
const show = (index: number): Action => ({ type: 'question_shown', request: 'r1', index });

function check(actions: Action[], expected: { active?: number; inputs?: unknown }, request = three) {
  const draft = draftOf(actions.reduce(reduce, open(request)), 'r1');
  if (expected.active !== undefined) expect(draft.active).toBe(expected.active);
  if (expected.inputs !== undefined) expect(toInputs(request, draft)).toEqual(expected.inputs);
}

const input = (question: string, chosen: string[], other: string | null = null) => ({
  question,
  chosen,
  other,
  note: null,
});

describe('drafts', () => {
  test('case_12_a_fresh_choice_goes_on_to_the_next_unanswered_question', () => {
    check([choose('q1', 'q1o1')], { active: 1 });
    check([choose('q2', 'q2o1'), choose('q1', 'q1o1')], { active: 2 });
  });

  test('case_12_looking_at_an_answered_question_again_stays_there', () => {
    check([choose('q1', 'q1o1'), show(0)], { active: 0 });
    check([choose('q1', 'q1o1'), show(0), choose('q1', 'q1o2')], { active: 0 });
  });

  test('case_12_arrow_keys_choose_without_going_on', () => {
    check([choose('q1', 'q1o2', true, false)], { active: 0, inputs: [input('q1', ['q1o2'])] });
  });

  test('case_12_a_tick_of_several_never_goes_on', () => {
    check([show(1), choose('q2', 'q2o1')], { active: 1 });
  });

  test('case_13_the_last_choice_leads_to_the_summary_and_sends_nothing', () => {
    const all = [choose('q1', 'q1o1'), choose('q2', 'q2o1'), choose('q3', 'q3o2')];
    check(all, { active: 3 });
    expect(all.reduce(reduce, open()).submits).toEqual({});
  });

  test('case_06_equal_headers_and_texts_are_answered_apart', () => {
    const same = { header: 'Same', text: 'Same?' };
    const request = aRequest({ questions: [aQuestion(1, same), aQuestion(2, same)] });
    check(
      [choose('q1', 'q1o1'), choose('q2', 'q2o2')],
      { inputs: [input('q1', ['q1o1']), input('q2', ['q2o2'])] },
      request,
    );
  });

  test('case_10_ticks_and_own_words_go_out_together', () => {
    check([choose('q2', 'q2o1'), choose('q2', 'q2o3'), write('q2', 'and mine')], {
      inputs: [input('q2', ['q2o1', 'q2o3'], 'and mine')],
    });
  });

  test('case_11_blank_other_is_no_answer_and_leaves_the_others', () => {
    check([choose('q1', 'q1o1'), write('q3', '  \n')], { inputs: [input('q1', ['q1o1'])] });
  });

  test('case_11_other_chosen_without_words_is_no_answer', () => {
    const state = reduce(open(), { type: 'other_chosen', request: 'r1', question: 'q1', on: true });
    const answer = draftOf(state, 'r1').answers['q1'];
    expect(answer && isAnswered(three.questions[0]!, answer)).toBe(false);
  });

  test('own text replaces a single choice, and is kept when an option is chosen again', () => {
    check([choose('q1', 'q1o1'), write('q1', 'mine')], { inputs: [input('q1', [], 'mine')] });
    const back = [write('q1', 'mine'), choose('q1', 'q1o1')].reduce(reduce, open());
    expect(toInputs(three, draftOf(back, 'r1'))).toEqual([input('q1', ['q1o1'])]);
    expect(draftOf(back, 'r1').answers['q1']?.other).toBe('mine');
  });

  test('a failed submit keeps its command id and its error', () => {
    const error = anError();
    const state = [
      { type: 'submit_started', key: 'r1', command: 'c1', payload: 'p' } as const,
      { type: 'submit_failed', key: 'r1', command: 'c1', payload: 'p', error } as const,
    ].reduce(reduce, open());
    expect(submitOf(state, 'r1')).toEqual({ command: 'c1', payload: 'p', phase: 'failed', error });
  });
});
