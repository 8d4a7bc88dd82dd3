import { expect, test } from 'vitest';

import { keyOf } from '../src/store/submit';

const [s1, s2] = [{ session: 's1' }, { session: 's2' }];

test('a command excludes itself for the same session, and no other command', () => {
  const key = keyOf('stop_session', s1);
  expect(keyOf('stop_session', s1)).toBe(key);
  expect(keyOf('stop_session', s2)).not.toBe(key);
  expect(keyOf('close_session', s1)).not.toBe(key);
  expect(keyOf('revert_change', s1)).not.toBe(keyOf('revert_change', s2));
});

test('all that is done to a thing with an id excludes each other', () => {
  expect(keyOf('dismiss_request', { id: 'r1' })).toBe(keyOf('answer_question', { id: 'r1' }));
  expect(keyOf('send_queued', { id: 'm1' })).toBe(keyOf('edit_queued', { id: 'm1' }));
});

test('what acts on a part of a session leaves the other parts free', () => {
  const change = (option: string) => keyOf('set_config', { ...s1, option });
  expect(change('mode')).toBe(change('mode'));
  expect(change('mode')).not.toBe(change('model'));
  const open = (path: string | null) => keyOf('open_in', { ...s1, program: 'zed', path });
  expect(open(null)).not.toBe(open('a.ts'));
});

test('a key names its session, so that an error can go when the session runs again', () => {
  expect(keyOf('stop_helper', { ...s1, helper: 'h1' }).split(':')).toContain('s1');
});
