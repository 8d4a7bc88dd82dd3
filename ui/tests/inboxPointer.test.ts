import { fireEvent, waitFor, within } from '@testing-library/svelte';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { Request } from '../src/generated/wire';
import { anApproval, aQuestion, aRequest, aSession, ended, NOW, undelivered, withdrawn } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { button, openPage } from './open';

const sessions = [aSession({ id: 's1', name: 'api' })];
const asked = (id: string, age: number): Request =>
  aRequest({ id, session: 's1', askedAt: NOW - age, questions: [aQuestion(1, { text: `What of ${id}?` })] });
const requests = [asked('a', 30_000), asked('b', 20_000), asked('c', 10_000)];
const item = (id: string) => document.querySelector<HTMLElement>(`[data-inbox-item="${id}"]`)!;
const heights = (...ids: string[]) => ids.map((id) => item(id).style.blockSize);
const withdraw = (request: Request) =>
  ({ change: 'request', request: { ...request, state: ended(withdrawn(), null, Date.now() + 1) } }) as const;

let scrolled: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(180);
  scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
});

async function openInbox(asked = requests, approvals = [anApproval({ id: 'p', askedAt: NOW - 5_000 })]) {
  const opened = await openPage(new FakeBridge({ sessions, requests: asked, approvals }));
  await opened.user.click(button(/^Inbox/));
  scrolled.mockClear();
  return opened;
}

describe('nothing in the inbox moves under the pointer', () => {
  test('an answered question keeps its height and shows its end there, until the pointer leaves the list', async () => {
    const { user } = await openInbox();
    const focused = vi.spyOn(HTMLElement.prototype, 'focus');
    await user.click(within(item('a')).getByRole('radio', { name: 'JWT' }));
    await user.click(within(item('a')).getByRole('button', { name: 'Submit' }));
    expect(heights('a', 'b')).toEqual(['180px', '']);
    expect(within(item('a')).getByText('(chosen)')).toBeVisible();
    // The next question takes the keys where it is.
    expect(within(item('b')).getByRole('radio', { name: 'OAuth 2.0' })).toHaveFocus();
    expect(focused).toHaveBeenLastCalledWith({ preventScroll: true });
    expect(scrolled).not.toHaveBeenCalled();
    await user.hover(button('Settings'));
    expect(heights('a', 'b')).toEqual(['', '']);
    expect(within(item('a')).queryByText('(chosen)')).toBeNull();
  });

  test('what ends by itself or is decided keeps its height too, also when the pointer comes by a touch', async () => {
    const { user, bridge } = await openInbox();
    await bridge.push(withdraw(requests[0]!));
    expect(heights('a')).toEqual(['']);
    await fireEvent.pointerDown(item('b'), { pointerType: 'touch' });
    await bridge.push(withdraw(requests[1]!));
    expect(heights('a', 'b')).toEqual(['', '180px']);
    await user.click(within(item('p')).getByRole('button', { name: /^Allow/ }));
    expect(within(item('p')).queryByRole('button', { name: /^Allow/ })).toBeNull();
    expect(heights('a', 'b', 'p')).toEqual(['', '180px', '180px']);
    await fireEvent.blur(window);
    await waitFor(() => expect(heights('a', 'b', 'p')).toEqual(['', '', '']));
  });

  test('whoever goes on by key follows the list, wherever the pointer rests', async () => {
    const { user, bridge } = await openInbox();
    await user.click(within(item('a')).getByRole('radio', { name: 'JWT' }));
    await bridge.push(withdraw(requests[2]!));
    expect(heights('c')).toEqual(['180px']);
    await user.keyboard('{Enter}');
    expect(heights('a', 'b', 'c')).toEqual(['', '', '']);
    expect(item('b')).toContainElement(document.activeElement as HTMLElement);
    expect(scrolled).toHaveBeenCalled();
  });
});

test('the cards of the inbox don’t scroll in themselves, and those of the panel do', async () => {
  const late = ended({ outcome: 'orphaned', why: 'agent_ended' }, null, NOW - 1000);
  const failed = ended({ outcome: 'answered', answers: [] }, undelivered('gone'), NOW - 1);
  const others = [
    { ...asked('m', 8_000), state: late },
    { ...asked('u', 7_000), state: failed },
  ];
  const { user } = await openPage(new FakeBridge({ sessions, requests: [...requests, ...others] }));
  expect(document.querySelectorAll('[data-request] .scroll-area')).toHaveLength(1);
  await user.click(button(/^Inbox/));
  await user.click(within(item('m')).getByText('What of m?'));
  expect(document.querySelectorAll('[data-inbox-list] .content')).toHaveLength(5);
  expect(document.querySelectorAll('[data-inbox-list] .scroll-area')).toHaveLength(0);
});

test('the name of a session is cut by itself, because WebKit cuts a button in a line without an ellipsis', async () => {
  await openInbox();
  expect(within(item('a')).getByRole('button', { name: 'api' })).toHaveClass('ellipsis');
  expect(document.querySelectorAll('.ellipsis button')).toHaveLength(0);
});

test('the next question takes the keys also if it is far below, behind permission requests', async () => {
  class LowList extends ResizeObserver {
    constructor(tell: ResizeObserverCallback) {
      const low = { width: 800, height: 100 } as DOMRectReadOnly;
      super((entries, observer) =>
        tell(
          entries.map((entry) => (entry.target.matches('[data-inbox-list]') ? { ...entry, contentRect: low } : entry)),
          observer,
        ),
      );
    }
  }
  vi.stubGlobal('ResizeObserver', LowList);
  const between = Array.from({ length: 20 }, (_, place) =>
    anApproval({
      id: `p${place}`,
      askedAt: NOW - 25_000 + place,
      subject: { detail: 'command', command: `ls ${place}`, description: null },
    }),
  );
  const { user } = await openInbox(requests.slice(0, 2), between);
  expect(document.querySelector('[data-inbox-item="p15"]')).toBeNull();
  await user.click(within(item('a')).getByRole('radio', { name: 'JWT' }));
  await user.keyboard('{Enter}');
  expect(item('b')).toContainElement(document.activeElement as HTMLElement);
  vi.unstubAllGlobals();
});
