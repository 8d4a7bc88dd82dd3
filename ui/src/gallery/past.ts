import type { Outcome, PastQuestion } from '../generated/wire';
import { claudeCode, of } from '../testing/agents';
import { aQuestion, aRequest, aUsage, totalsOf, withdrawn } from '../testing/builders';
import { FakeBridge } from '../testing/fakeBridge';

const DAY = 86_400_000;

type Sketch = [name: string, header: string, text: string, options: string[], outcome: Outcome, seconds: number];

const chose = (...options: number[]): Outcome => ({
  outcome: 'answered',
  answers: [{ question: 'q1', chosen: options.map((n) => `q1o${n}`), other: null, note: null, secretGiven: false }],
});

const wrote = (own: string, ...options: number[]): Outcome => {
  const chosen = options.map((n) => `q1o${n}`);
  return { outcome: 'answered', answers: [{ question: 'q1', chosen, other: own, note: null, secretGiven: false }] };
};

/** By day, newest first. */
const sketches: Sketch[][] = [
  [
    ['shop-api', 'Identity', 'Which identity provider should the login use?', ['Keycloak', 'Auth0', 'Our own'], chose(1), 14],
    [
      'docs-site',
      'Old guide',
      'Should the guide keep the v2 pages?',
      ['Keep', 'Remove'],
      { outcome: 'replied_in_chat', text: 'Keep them for one more release, with a banner on top' },
      100,
    ],
    ['mobile-app', 'Push', 'Which platforms need push tokens?', ['iOS', 'Android'], wrote('web later', 1, 2), 38],
  ],
  [
    ['design-tokens', 'Names', 'How should color tokens be named?', ['By role, not by hue', 'By hue'], chose(1), 52],
    ['design-tokens', 'Changelog', 'Add a changelog entry for each renamed token?', ['Yes', 'No'], { outcome: 'declined', words: null }, 4],
    [
      'legacy-import',
      'CSV',
      'Which CSV dialect do the exports use?',
      ['RFC 4180', 'Excel'],
      { outcome: 'orphaned', why: 'agent_ended' },
      900,
    ],
    [
      'billing-worker',
      'Retries',
      'How often should a failed invoice be sent again before the customer hears of it?',
      ['3 times', '5 times'],
      withdrawn({ why: 'interrupted' }),
      61,
    ],
  ],
  [
    ['storefront', 'Checks', 'Which checks should block a merge?', ['Unit tests', 'Type check', 'Visual diff'], chose(1, 2), 7_400],
    [
      'infra with a rather long name',
      'Region',
      'Which region gets the second database?',
      ['eu-central-1', 'us-east-1'],
      { outcome: 'expired' },
      600,
    ],
  ],
];

function pastQuestions(): PastQuestion[] {
  const noon = new Date().setHours(12, 0, 0, 0);
  return sketches.flatMap((day, daysAgo) =>
    day.map(([name, header, text, options, outcome, seconds], index) => {
      const askedAt = noon - daysAgo * DAY - index * 1_500_000;
      const told = outcome.outcome !== 'orphaned' && outcome.outcome !== 'withdrawn';
      const delivery = told ? ({ delivery: 'delivered', at: askedAt, late: false } as const) : null;
      const kind = name === 'mobile-app' || name === 'storefront' ? 'multi' : 'single';
      return {
        name,
        folder: `/home/ada/code/${name}`,
        origin: of(claudeCode).origin,
        request: aRequest({
          id: `h${daysAgo}-${index}`,
          questions: [aQuestion(1, { header, text, options, kind })],
          askedAt,
          state: { state: 'ended', outcome, at: askedAt + seconds * 1_000, delivery },
        }),
      };
    }),
  );
}

/** What the last days cost. */
const costs = [8, 12, 9, 15, 5, 2, 10, 14, 11, 16, 13, 3, 3, 9, 14, 17, 12, 11];

/** Adds past questions, and what sessions used, to an app. */
export function withPast(bridge: FakeBridge): FakeBridge {
  const found = { questions: pastQuestions(), more: true, count: 188, answered: 163, unreadable: 0, medianMillis: 24_000 };
  return bridge
    .on('search_questions', () => found)
    .on('count_questions', () => totalsOf([14, 36, 50, 30, 17, 8, 5, 3], 24_000))
    .on('count_usage', ({ days }) => ({
      days: days.slice(1).map((_, index, all) => aUsage({ turns: 1, cost: costs[index - all.length + costs.length] ?? 0 })),
    }));
}

/** Adds the first question of all to an app. */
export function withFirst(bridge: FakeBridge): FakeBridge {
  const found = { questions: pastQuestions().slice(0, 1), more: false, count: 1, answered: 1, unreadable: 0, medianMillis: 14_000 };
  return bridge.on('search_questions', () => found).on('count_questions', () => totalsOf([0, 1], 14_000));
}
