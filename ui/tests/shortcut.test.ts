import { fireEvent, screen, within } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { type HeldKey, recorded } from '../src/feature/settings/recorded';
import type { Outcome, Request } from '../src/generated/wire';
import { anApproval, answered, aRequest, aSession, ended, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { expectNoViolations, openPage, openSettings, settle } from './open';

describe('a combination of keys', () => {
  test.each<[string, string, HeldKey[], string]>([
    ['j', 'KeyJ', ['Alt', 'Ctrl'], 'Ctrl+Alt+J'],
    ['J', 'KeyJ', ['Shift', 'Super'], 'Shift+Super+J'],
    // On a German keyboard the letter is on another key; a Russian one doesn't have it.
    ['z', 'KeyY', ['Ctrl'], 'Ctrl+Z'],
    ['о', 'KeyJ', ['Ctrl'], 'Ctrl+J'],
    ['!', 'Digit1', ['Ctrl', 'Shift'], 'Ctrl+Shift+1'],
    ['&', 'Digit1', ['Ctrl'], 'Ctrl+1'],
    [' ', 'Space', ['Super'], 'Super+Space'],
    ['ArrowUp', 'ArrowUp', ['Alt'], 'Alt+Up'],
    ['F12', 'F12', ['Ctrl'], 'Ctrl+F12'],
  ])('%s at %s with %j is %s', (key, code, held, keys) => {
    expect(recorded({ key, code }, new Set(held))).toEqual({ got: 'combination', keys });
  });

  test.each<[string, string, HeldKey[], object]>([
    ['Control', 'ControlLeft', [], { got: 'held', key: 'Ctrl' }],
    ['Meta', 'AltLeft', ['Shift'], { got: 'held', key: 'Alt' }],
    ['Super', 'MetaLeft', [], { got: 'held', key: 'Super' }],
    ['Escape', 'Escape', [], { got: 'escape' }],
    ['Escape', 'Escape', ['Ctrl'], { got: 'unusable', why: 'no_such_key' }],
    ['j', 'KeyJ', [], { got: 'unusable', why: 'nothing_held' }],
    ['J', 'KeyJ', ['Shift'], { got: 'unusable', why: 'nothing_held' }],
    ['F5', 'F5', [], { got: 'unusable', why: 'nothing_held' }],
    ['Enter', 'Enter', ['Ctrl'], { got: 'unusable', why: 'no_such_key' }],
    ['F13', 'F13', ['Ctrl'], { got: 'unusable', why: 'no_such_key' }],
    ['1', 'Numpad1', ['Ctrl'], { got: 'unusable', why: 'no_such_key' }],
  ])('%s at %s with %j is none: %j', (key, code, held, got) => {
    expect(recorded({ key, code }, new Set(held))).toEqual(got);
  });
});

describe('the setting for the shortcut', () => {
  const dialog = () => screen.getByRole('dialog', { name: 'Settings' });
  const row = () => within(dialog()).getByRole('group', { name: 'Global shortcut' });
  const button = (name: string | RegExp) => within(row()).getByRole('button', { name });

  test('records the pressed keys', async () => {
    const { bridge, user } = await openSettings(new FakeBridge(), 'Window');
    expect(row()).toHaveAccessibleDescription(/longest-waiting question/);
    await user.click(button('Record shortcut'));
    expect(button(/^Press a shortcut/)).toHaveAttribute('aria-pressed', 'true');
    await user.keyboard('{Control>}{Alt>}');
    expect(button(/^Press a shortcut.*Ctrl\+Alt\+…$/)).toHaveFocus();
    await expectNoViolations();
    await user.keyboard('k{/Alt}{/Control}');
    expect(bridge.sent('change_setting')).toEqual([{ change: { setting: 'global_shortcut', value: 'Ctrl+Alt+K' } }]);
    expect(button('Ctrl+Alt+K Change')).toHaveFocus();
    await user.click(button('Clear'));
    expect(bridge.sent('change_setting')[1]).toEqual({ change: { setting: 'global_shortcut', value: 'off' } });
    expect(button('Record shortcut')).toBeVisible();
  });

  test('rejects single and unknown keys, and Esc cancels recording', async () => {
    const { bridge, user } = await openSettings(new FakeBridge(), 'Window');
    await user.click(button('Record shortcut'));
    await user.keyboard('k');
    expect(within(row()).getByRole('status')).toHaveTextContent('Add Ctrl, Alt, or Super.');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(within(row()).getByRole('status')).toHaveTextContent('That key can’t be used.');
    await user.keyboard('{Escape}');
    expect(button('Record shortcut')).toHaveAttribute('aria-pressed', 'false');
    expect(dialog()).toBeVisible();
    expect(bridge.sent('change_setting')).toEqual([]);
  });

  test('stops recording when it loses the focus', async () => {
    const { user } = await openSettings(new FakeBridge(), 'Window');
    await user.click(button('Record shortcut'));
    await user.tab();
    expect(button('Use Ctrl+Alt+J')).toHaveFocus();
    expect(button('Record shortcut')).toHaveAttribute('aria-pressed', 'false');
  });

  test('offers a suggestion, and shows an error if another program uses the keys', async () => {
    const bridge = new FakeBridge();
    bridge.on('change_setting', () => ({
      ...bridge.set({ globalShortcut: 'Ctrl+Alt+J' }).settings,
      unmet: [{ setting: 'global_shortcut', why: { why: 'taken' } }],
    }));
    const { user } = await openSettings(bridge, 'Window');
    await user.click(button('Use Ctrl+Alt+J'));
    expect(bridge.sent('change_setting')).toEqual([{ change: { setting: 'global_shortcut', value: 'Ctrl+Alt+J' } }]);
    expect(within(row()).getByRole('alert')).toHaveTextContent('already uses this shortcut');
    expect(button('Ctrl+Alt+J Change')).toHaveAccessibleDescription(/already uses this shortcut/);
  });
});

describe('a user who followed a deep link to a question', () => {
  const sessions = [aSession(), aSession({ id: 's2', name: 'web' })];
  const request = aRequest({ session: 's2' });
  const after = (asked: Request) => answered(asked, [{ question: 'q1', chosen: ['q1o1'] }]);

  async function ledThere(others: { requests?: Request[]; approvals?: ReturnType<typeof anApproval>[] } = {}) {
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const { requests = [], approvals = [] } = others;
    const bridge = new FakeBridge({ sessions, requests: [request, ...requests], approvals });
    const opened = await openPage(bridge);
    await bridge.openDeepLink(request.id);
    return { ...opened, bridge };
  }

  async function ends(bridge: FakeBridge, request: Request) {
    await bridge.push({ change: 'request', request });
  }

  test('is sent back once it is answered', async () => {
    const { bridge, user } = await ledThere();
    await user.keyboard('2');
    await ends(bridge, after(request));
    expect(bridge.answeredAway).toEqual([request.id]);
    await ends(bridge, { ...after(request), askedAt: 1 });
    expect(bridge.answeredAway).toEqual([request.id]);
  });

  test.each<[string, Outcome, string[]]>([
    ['is sent back once it was declined', { outcome: 'declined', words: null }, [request.id]],
    ['is sent back once it was canceled', withdrawn({ why: 'canceled', reason: null }), [request.id]],
    ['stays if the agent withdrew it', withdrawn(), []],
  ])('%s', async (_, outcome, away) => {
    const { bridge } = await ledThere();
    await ends(bridge, { ...request, state: ended(outcome) });
    expect(bridge.answeredAway).toEqual(away);
  });

  test('stays until all questions of that session are answered', async () => {
    const next = aRequest({ id: 'r2', session: 's2' });
    const { bridge } = await ledThere({ requests: [next, aRequest({ id: 'r3', session: 's1' })] });
    await ends(bridge, after(request));
    expect(bridge.answeredAway).toEqual([]);
    await ends(bridge, after(next));
    expect(bridge.answeredAway).toEqual([request.id]);
  });

  test('stays while a permission request is open in that session', async () => {
    const { bridge } = await ledThere({ approvals: [anApproval({ session: 's2' })] });
    await ends(bridge, after(request));
    expect(bridge.answeredAway).toEqual([]);
  });

  test.each<[string, (opened: Awaited<ReturnType<typeof ledThere>>) => unknown]>([
    ['typed elsewhere', ({ user }) => user.type(screen.getByRole('textbox', { name: /message/i }), 'a')],
    ['pressed something elsewhere', () => fireEvent.pointerDown(document.querySelector('nav') as Element)],
    ['went to another session', ({ store }) => store.dispatch({ type: 'session_selected', session: 's1' })],
    ['went to the inbox', ({ store }) => store.dispatch({ type: 'inbox_opened', at: 1 })],
    ['opened the settings', ({ store }) => store.dispatch({ type: 'overlay_opened', overlay: { overlay: 'settings' } })],
    ['left the window', () => fireEvent.blur(window)],
  ])('stays if they %s in the meantime', async (_, away) => {
    const opened = await ledThere();
    await away(opened);
    await settle();
    await ends(opened.bridge, after(request));
    expect(opened.bridge.answeredAway).toEqual([]);
  });

  test('isn’t sent back if they came without a deep link', async () => {
    const bridge = new FakeBridge({ sessions, requests: [request] });
    const { store } = await openPage(bridge);
    store.dispatch({ type: 'session_selected', session: 's2' });
    await settle();
    await ends(bridge, after(request));
    expect(bridge.answeredAway).toEqual([]);
  });
});
