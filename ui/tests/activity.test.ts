import { expect, test } from 'vitest';

import type { EntryBody } from '../src/generated/wire';
import { noActivity, noteEntry } from '../src/store/activity';
import type { State } from '../src/store/state';
import { anEntry, turnEnded } from '../src/testing/builders';

function after(...bodies: EntryBody[]) {
  const start = { activity: {}, finished: {}, lastAt: {} } as unknown as State;
  const state = bodies.reduce((state, body, index) => noteEntry(state, 's1', anEntry(index + 1, body)), start);
  return state.activity.s1 ?? noActivity;
}

test('the step of a to-do list belongs to its turn', () => {
  const plan: EntryBody = {
    kind: 'plan',
    items: [
      { text: 'Read', status: 'done' },
      { text: 'Write', status: 'in_progress' },
    ],
  };
  expect(after(plan).todo).toMatchObject({ text: 'Write' });
  const user: EntryBody = { kind: 'user', text: 'also the tests', attachments: [] };
  expect(after(plan, user).todo, 'a message into the turn changes nothing').toMatchObject({ text: 'Write' });
  expect(after(plan, turnEnded).todo).toBeNull();
});
