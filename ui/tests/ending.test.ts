import { screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';

import type { Session } from '../src/generated/wire';
import { anApproval, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const idle = { state: { state: 'idle' } } as const satisfies Partial<Session>;
const dialog = () => screen.queryByRole('alertdialog');

/** Every place that offers to end a session; each asks by the same rule. */
const places = { 'the header': 'Session menu', 'the row': 'Actions for api' } as const;

describe.each(Object.entries(places))('End session in %s', (_, menu) => {
  async function end(bridge: FakeBridge) {
    const opened = await openPage(bridge);
    await opened.user.click(button(menu));
    await opened.user.click(screen.getByRole('menuitem', { name: 'End session' }));
    return opened;
  }

  test.each<[string, ConstructorParameters<typeof FakeBridge>[0]]>([
    ['works', { sessions: [aSession()] }],
    ['starts', { sessions: [aSession({ state: { state: 'starting' } })] }],
    ['asks', { sessions: [aSession(idle)], requests: [aRequest()] }],
    ['waits for a permission', { sessions: [aSession(idle)], approvals: [anApproval()] }],
  ])('asks first while the agent %s', async (_, snapshot) => {
    const { bridge, user } = await end(new FakeBridge(snapshot));
    expect(dialog()).toHaveAccessibleName('End “api”?');
    expect(button('Keep running')).toHaveFocus();
    await user.click(button('Keep running'));
    expect(dialog()).toBeNull();
    expect(button(menu)).toHaveFocus();
    expect(bridge.sent('stop_session')).toEqual([]);
  });

  test('ends a busy session once the user confirms it', async () => {
    const { bridge, user } = await end(new FakeBridge());
    await expectNoViolations();
    await user.click(button('End session'));
    expect(bridge.sent('stop_session')).toMatchObject([{ session: 's1' }]);
    expect(dialog()).toBeNull();
  });

  test('ends a session at rest at once, whatever the user has typed', async () => {
    const opened = await openPage(new FakeBridge({ sessions: [aSession(idle)] }));
    await opened.user.type(composer(), 'half a thought');
    await opened.user.click(button(menu));
    await opened.user.click(screen.getByRole('menuitem', { name: 'End session' }));
    expect(dialog()).toBeNull();
    expect(opened.bridge.sent('stop_session')).toMatchObject([{ session: 's1' }]);
    expect(composer()).toHaveValue('half a thought');
  });
});
