import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Change, EntryBody } from '../src/generated/wire';
import type { News } from '../src/store/parts/noticed';
import { type Action, reduce } from '../src/store/reducer';
import { initialState } from '../src/store/state';
import { anApproval, anEntry, aQuestion, aRequest, aSession, aSnapshot, NOW, turnEnded } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { composer, openPage } from './open';

type WebState = 'starting' | 'working' | 'idle' | 'failed';
const web = (state: WebState) =>
  aSession({
    id: 's2',
    name: 'web',
    state: state === 'failed' ? { state: 'ended', end: { end: 'failed', why: { failure: 'session_unknown' } }, at: NOW } : { state },
  });
const session = (state: WebState): Change => ({ change: 'session', session: web(state) });
const request = (changes = {}): Change => ({
  change: 'request',
  request: aRequest({ session: 's2', questions: [aQuestion(1, { text: 'Which way?' })], ...changes }),
});
const approval = (changes = {}): Change => ({ change: 'approval', approval: anApproval({ session: 's2', ...changes }) });
const plan = { detail: 'plan', plan: '1. Look', path: null } as const;
const command = { detail: 'command', command: 'pnpm db:migrate\npnpm test', description: null } as const;

const entry = (n: number, body: EntryBody): Change => ({ change: 'entry', session: 's2', entry: anEntry(n, body) });

/** What was announced last, and how often something was, after frames with changes or other actions. */
function announcedAfter(before: WebState, steps: readonly (Change[] | Action)[]) {
  const snapshot = { frame: 'snapshot' as const, ...aSnapshot({ sessions: [aSession(), web(before)] }) };
  const opened = reduce(initialState(), { type: 'frames_received', frames: [snapshot] });
  return steps.reduce((state, step) => {
    if (!Array.isArray(step)) return reduce(state, step);
    const { seq } = state.link;
    return reduce(state, { type: 'frames_received', frames: [{ frame: 'delta', epoch: 'e1', prev: seq, seq: seq + 1, changes: step }] });
  }, opened).announced;
}

/** The texts of all live regions. */
const readOut = () =>
  [...document.querySelectorAll('[aria-live], [role=status], [role=alert], [role=log]')]
    .map((region) => region.textContent.trim())
    .filter(Boolean);

const said = () => [...document.querySelectorAll('[data-announcer] p')].map((line) => line.textContent);
const open = () => openPage(new FakeBridge({ sessions: [aSession(), web('working')] }));

describe('screen readers announce once', () => {
  const news: [string, Change, Change, string][] = [
    ['question', request(), request({ askedBy: 'a subagent' }), 'New question from web: Which way?'],
    [
      'permission_request',
      approval({ subject: command }),
      approval({ subject: command, takesMessage: false }),
      'Permission request from web: pnpm db:migrate [+1 line]',
    ],
    ['plan', approval({ subject: plan }), approval({ subject: plan, takesMessage: false }), 'Plan to review from web'],
    ['finished_turn', session('idle'), session('idle'), 'web finished its turn'],
    ['failure', session('failed'), session('failed'), 'web failed'],
  ];

  test.each(news)('case_85_%s', async (_what, first, again, words) => {
    const { bridge } = await open();
    expect(said()).toEqual([]);
    await bridge.push(first);
    expect(said()).toEqual([words]);
    const [line] = document.querySelectorAll('[data-announcer] p');
    await bridge.push(again);
    expect(said()).toEqual([words]);
    expect(document.querySelector('[data-announcer] p')).toBe(line);
  });

  test('case_40_a_finished_turn_is_read_out_by_nothing_while_its_question_is_open_and_its_tab_says_that_it_needs_you', async () => {
    const { bridge } = await open();
    await bridge.push(request());
    expect(readOut()).toEqual(['New question from web: Which way?']);
    await bridge.push(session('idle'));
    expect(readOut()).toEqual(['New question from web: Which way?']);
    expect(document.querySelector('nav [data-session=s2]')?.getAttribute('data-state')).toBe('needs_you');
  });

  test('case_85_a_turn_that_the_user_stopped_is_not_announced_as_finished', async () => {
    const { bridge, user } = await open();
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    await bridge.push({ change: 'session', session: aSession({ state: { state: 'idle' } }) });
    expect(said()).toEqual([]);
  });

  const finished: News = { news: 'finished', session: 's2' };
  const turn = (n: number) => [session('working'), entry(n, turnEnded), session('idle')];
  const other: Change = { change: 'session', session: aSession({ model: 'opus' }) };
  const stopped = entry(1, { kind: 'notice', notice: { notice: 'interrupted' } });
  const asked = { session: 's2', before: null, generation: 1 };
  const page = { entries: [anEntry(1, turnEnded)], more: false, requests: [], approvals: [] };

  test.each<[string, WebState, (Change[] | Action)[], number, News[]]>([
    ['a turn that begins and ends at once', 'idle', [turn(1)], 1, [finished]],
    ['the first turn, too', 'starting', [turn(1)], 1, [finished]],
    ['once, whatever comes after', 'idle', [turn(1), [session('idle')]], 1, [finished]],
    ['the next turn again', 'idle', [turn(1), [session('idle')], turn(2)], 2, [finished]],
    ['once, when its last entry is late', 'working', [[session('idle')], [entry(1, turnEnded), other]], 1, [finished]],
    ['nothing of a start without a turn', 'starting', [[session('idle')]], 0, []],
    ['nothing of a short turn that was stopped', 'idle', [[session('working'), stopped, entry(2, turnEnded), session('idle')]], 0, []],
    [
      'nothing of a turn of before the window opened, once its transcript is shown',
      'idle',
      [
        { type: 'page_asked', asked },
        { type: 'page_read', asked, page },
        [{ change: 'session', session: { ...web('idle'), model: 'opus' } }],
      ],
      0,
      [],
    ],
  ])('case_85_%s', (_what, before, steps, serial, news) => {
    expect(announcedAfter(before, steps)).toEqual({ serial, news });
  });

  test('case_85_what_was_there_when_the_window_opened_is_not_announced', async () => {
    await openPage(new FakeBridge({ sessions: [aSession(), web('failed')], requests: [aRequest()], approvals: [anApproval()] }));
    expect(said()).toEqual([]);
  });
});

describe('F6', () => {
  test('moves between the sidebar, the session and the panel, and Shift+F6 back', async () => {
    const { user } = await openPage(new FakeBridge({ requests: [aRequest()] }));
    composer().focus();
    await user.keyboard('{F6}');
    expect(screen.getAllByRole('radio')[0]).toHaveFocus();
    await user.keyboard('{F6}');
    expect(document.querySelector('nav [aria-current=page]')).toHaveFocus();
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(document.activeElement?.closest('aside')).not.toBeNull();
    await user.keyboard('{Shift>}{F6}{/Shift}');
    expect(composer()).toHaveFocus();
  });
});
