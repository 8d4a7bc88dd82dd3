import { fireEvent, screen } from '@testing-library/svelte';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

import { anApproval, anEntry, aRequest, aSession } from '../src/testing/builders';
import { anError, FakeBridge } from '../src/testing/fakeBridge';
import { button, composer, expectNoViolations, openPage } from './open';

const rows = () => [...document.querySelectorAll('[data-row]')].map((row) => row.getAttribute('data-row'));
const two = [aSession({ place: 2 }), aSession({ id: 's2', name: 'web', place: 1, state: { state: 'idle' } })];
const gone = aSession({ resumable: true, state: { state: 'ended', at: 1, end: { end: 'app_quit' } } });

async function groupBy(user: UserEvent, grouping: string) {
  await user.click(button(/^Sessions grouped by/));
  await user.click(screen.getByRole('menuitemradio', { name: grouping }));
}

test('in the user’s own order, sessions are sorted by position, and a key moves one', async () => {
  const { bridge, user } = await openPage(new FakeBridge({ sessions: two }));
  await groupBy(user, 'My order');
  expect(rows()).toEqual(['s2', 's1']);
  button(/^api/).focus();
  await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
  expect(bridge.sent('move_session')).toMatchObject([{ session: 's1', before: 's2' }]);
  await bridge.push({ change: 'session', session: aSession({ place: 0 }) });
  expect(rows()).toEqual(['s1', 's2']);
  expect(button(/^api/)).toHaveFocus();
});

test('what is typed after a session was chosen goes to its message, and arrows only walk through the list', async () => {
  const { user, store } = await openPage(new FakeBridge({ sessions: two }));
  const focus = vi.spyOn(HTMLElement.prototype, 'focus');
  await user.click(button(/^api/));
  expect(focus).toHaveBeenLastCalledWith({ preventScroll: true });
  await user.keyboard('go 1');
  button(/^web/).focus();
  await user.keyboard('{ArrowDown}{ArrowUp}');
  expect(button(/^web/)).toHaveFocus();
  expect(store.state.navigation.place.session).toBe('s1');
  await user.keyboard('{Enter}on');
  expect(store.state.messages).toEqual({ s1: 'go 1', s2: 'on' });
});

test('the menu opens by its button, wraps around by arrow keys, and Esc restores the focus', async () => {
  const { user } = await openPage(new FakeBridge({ sessions: two }));
  await user.click(button('Actions for web'));
  expect(screen.getByRole('menuitem', { name: 'Rename' })).toHaveFocus();
  await expectNoViolations();
  await user.keyboard('{ArrowUp}');
  expect(screen.getByRole('menuitem', { name: 'Close session' })).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).toBeNull();
  expect(button('Actions for web')).toHaveFocus();
});

test('a rejected name stays in the field with its error and can be corrected', async () => {
  const bridge = new FakeBridge({ sessions: two }).on('rename_session', ({ name }) => {
    if (name === 'bad') throw anError();
    return aSession({ name });
  });
  const { user } = await openPage(bridge);
  button(/^api/).focus();
  await user.keyboard('{F2}bad{Enter}');
  const field = screen.getByRole('textbox', { name: 'Session name' });
  expect(field).toHaveValue('bad');
  expect(screen.getByRole('alert')).toHaveTextContent('Couldn’t save');
  await user.clear(field);
  await user.type(field, 'gateway{Enter}');
  expect(button(/^gateway/)).toHaveFocus();
});

test('closing asks for confirmation only if something would be lost', async () => {
  const bridge = new FakeBridge({ sessions: two, requests: [aRequest()], approvals: [anApproval()] });
  const { user } = await openPage(bridge);
  const close = async (name: string) => {
    await user.click(button(`Actions for ${name}`));
    await user.click(screen.getByRole('menuitem', { name: 'Close session' }));
  };
  await close('api');
  expect(screen.getByRole('alertdialog')).toHaveTextContent('1 question and 1 permission request are waiting for you.');
  expect(bridge.sent('close_session')).toEqual([]);
  expect(button('Keep open')).toHaveFocus();
  await user.click(button('Close session'));
  await close('web');
  expect(bridge.sent('close_session').map(({ session }) => session)).toEqual(['s1', 's2']);
  await bridge.push({ change: 'session_closed', session: 's1' });
  expect(rows()).toEqual(['s2']);
  expect(document.querySelector('[data-session-view="s2"]')).not.toBeNull();
});

test('names and messages are written in the direction of their own script', async () => {
  const named = { name: 'שלום עולם' };
  const { user } = await openPage(
    new FakeBridge({ sessions: [aSession(named), aSession({ id: 's2', name: 'web' })], requests: [aRequest()] }),
  );
  const withDirection = () => screen.getAllByText(named.name, { ignore: 'option' }).map(({ tagName, dir }) => [tagName, dir]);
  expect(withDirection()).toEqual([
    ['SPAN', 'auto'],
    ['H1', 'auto'],
  ]);
  expect(composer()).toHaveAttribute('dir', 'auto');
  document.querySelector<HTMLElement>('[data-session=s1]')!.focus();
  await user.keyboard('{F2}');
  expect(screen.getByRole('textbox', { name: 'Session name' })).toHaveAttribute('dir', 'auto');
  await user.keyboard('{Escape}');
  await user.click(button(/^Inbox/));
  expect(withDirection()).toEqual([
    ['SPAN', 'auto'],
    ['BUTTON', 'auto'],
  ]);
});

test('a new entry out of view marks its session as unread until it is shown', async () => {
  const { bridge, user } = await openPage(new FakeBridge({ sessions: two }));
  await user.click(button(/^web/));
  await bridge.push({ change: 'entry', session: 's1', entry: anEntry(1, { kind: 'agent', text: 'Done.' }) });
  expect(button(/^api/)).toHaveTextContent('unread');
  await user.click(button(/^api/));
  expect(button(/^api/)).not.toHaveTextContent('unread');
});

test('an ended session is resumed by its row or by sending', async () => {
  const { bridge, user } = await openPage(new FakeBridge({ sessions: [gone] }));
  await user.click(button('Resume api'));
  expect(bridge.sent('resume_session')).toMatchObject([{ session: 's1' }]);
  expect(composer()).toHaveAttribute('placeholder', 'Message the agent to resume…');
  await user.type(composer(), 'go on{Enter}');
  expect(bridge.sent('send_message')).toMatchObject([{ session: 's1', text: 'go on' }]);
});

test('the up arrow recalls earlier messages and never replaces unsent text', async () => {
  const bridge = new FakeBridge();
  bridge.entries['s1'] = ['one', 'two'].map((text, index) => anEntry(index + 1, { kind: 'user', text, attachments: [] }));
  const { user } = await openPage(bridge);
  composer().focus();
  await user.keyboard('{ArrowUp}');
  expect(composer()).toHaveValue('two');
  await user.keyboard('{ArrowUp}');
  expect(composer()).toHaveValue('one');
  await user.keyboard('{ArrowDown}');
  await user.keyboard('{ArrowDown}');
  expect(composer()).toHaveValue('');
  await user.type(composer(), 'mine');
  composer().setSelectionRange(0, 0);
  await fireEvent.keyDown(composer(), { key: 'ArrowUp' });
  expect(composer()).toHaveValue('mine');
});

test('an unsent message is restored in the next window', async () => {
  const first = await openPage(new FakeBridge());
  await first.user.type(composer(), 'half a thought');
  first.unmount();
  await openPage(new FakeBridge());
  expect(composer()).toHaveValue('half a thought');
});

test('a session is muted and its text hidden from its menu, and its row says so', async () => {
  const { bridge, user } = await openPage(new FakeBridge({ sessions: two }));
  const choose = async (action: string) => {
    await user.click(button('Actions for web'));
    await user.click(screen.getByRole('menuitem', { name: action }));
  };
  await choose('Mute notifications');
  expect(bridge.sent('set_session_notifications')).toMatchObject([{ session: 's2', attention: { muted: true, private: false } }]);
  const muted = aSession({ ...two[1], attention: { muted: true, private: false } });
  await bridge.push({ change: 'session', session: muted });
  expect(button(/^web/)).toHaveTextContent('muted');
  expect(button(/^api/)).not.toHaveTextContent('muted');
  await choose('Hide text in notifications');
  expect(bridge.sent('set_session_notifications')[1]).toMatchObject({ attention: { muted: true, private: true } });
  await bridge.push({ change: 'session', session: { ...muted, attention: { muted: true, private: true } } });
  expect(button(/^web/)).toHaveTextContent('text hidden');
  await choose('Unmute notifications');
  await choose('Show text in notifications');
  expect(bridge.sent('set_session_notifications').slice(2)).toMatchObject([
    { attention: { muted: false, private: true } },
    { attention: { muted: true, private: false } },
  ]);
});

test('Help in the sidebar opens the guide, and says if the app can’t be reached', async () => {
  const { bridge, user } = await openPage(new FakeBridge({ sessions: two }));
  await user.click(button('Help'));
  expect(bridge.guides).toBe(1);
  expect(screen.queryByRole('alert')).toBeNull();
  bridge.openGuide = () => Promise.reject(anError());
  await user.click(button('Help'));
  expect(await screen.findByRole('alert')).toBeVisible();
});
