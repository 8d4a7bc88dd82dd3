import { describe, expect, test } from 'vitest';

import { aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage } from './open';

const working = aSession({ id: 's2', name: 'web' });
const idle = aSession({ id: 's2', name: 'web', state: { state: 'idle' } });

/** The texts of all live regions. */
const readOut = () =>
  [...document.querySelectorAll('[aria-live], [role=status], [role=alert], [role=log]')]
    .map((region) => region.textContent.trim())
    .filter(Boolean);

describe('a session that has finished its turn', () => {
  test('case_40_is_read_out_by_nothing_while_its_question_is_open_and_its_tab_says_that_it_needs_you', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [aSession(), working] }));
    await bridge.push({ change: 'request', request: aRequest({ session: 's2' }) });
    const asked = readOut();
    expect(asked).toEqual(['New question from web: Question 1?']);
    await bridge.push({ change: 'session', session: idle });
    expect(readOut()).toEqual(asked);
    expect(document.querySelector('nav [data-session=s2]')?.getAttribute('data-state')).toBe('needs_you');
  });

  test('is shown after a click on its notification', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions: [aSession(), idle] }));
    await bridge.openDeepLink('s2');
    expect(document.querySelector('nav [aria-current=page]')?.getAttribute('data-session')).toBe('s2');
    expect(bridge.target).toBeNull();
  });
});
