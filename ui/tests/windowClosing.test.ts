import { screen, waitFor } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { Request } from '../src/generated/wire';
import { aQuestion, aRequest, aSession } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { held, openPage, ownAnswer, settle, skippableTime } from './open';

const sessions = [aSession(), aSession({ id: 's2', name: 'web' })];
const request = aRequest({ questions: [aQuestion(1)] });
const message = () => screen.getByRole('textbox', { name: /message/i });
const savedWords = (bridge: FakeBridge) => JSON.stringify(bridge.sent('save_draft').at(-1)?.draft ?? null);
const handovers = (bridge: FakeBridge, count: number) => waitFor(() => expect(bridge.handovers).toHaveLength(count));
/** Waits longer than a page without unsaved input needs to confirm. */
const wait = () => vi.advanceTimersByTimeAsync(400);

/** Closes the window and opens the next one with its handover. */
async function again(bridge: FakeBridge, unmount: () => void) {
  bridge.close(1);
  await handovers(bridge, 1);
  unmount();
  sessionStorage.clear();
  localStorage.clear();
  const next = new FakeBridge(bridge.snapshot);
  next.drafts = bridge.drafts;
  next.handover = bridge.handovers[0]?.handover ?? null;
  return openPage(next);
}

describe('a closing window', () => {
  skippableTime();

  test('closes once the last typed text is saved, also what is typed after the request to close', async () => {
    const { user, bridge } = await openPage(new FakeBridge({ sessions, requests: [request] }));
    await user.type(ownAnswer(), 'a graph');
    bridge.close(7);
    await user.type(ownAnswer(), ' store');
    await handovers(bridge, 1);
    expect(bridge.handovers[0]?.ask).toBe(7);
    expect(savedWords(bridge)).toContain('a graph store');
  });

  test('hands over the session, the unsent message, the start form, and the panel width', async () => {
    const first = await openPage(new FakeBridge({ sessions, requests: [request] }));
    await first.user.click(screen.getByRole('button', { name: /^web/ }));
    await first.user.type(message(), 'not sent yet');
    first.store.dispatch({ type: 'start_drafted', change: { prompt: 'Sort the notes.' } });
    first.store.dispatch({ type: 'panel_resized', width: 500 });
    const { store } = await again(first.bridge, first.unmount);
    expect(document.querySelector('nav [aria-current=page]')?.getAttribute('data-session')).toBe('s2');
    expect(message()).toHaveValue('not sent yet');
    expect([store.state.panelWidth, store.state.start.prompt]).toEqual([500, 'Sort the notes.']);
  });

  test('hands over nothing to a reloaded page', async () => {
    const first = await openPage(new FakeBridge({ sessions }));
    await first.user.type(message(), 'not sent yet');
    const second = await again(first.bridge, first.unmount);
    await second.user.clear(message());
    second.unmount();
    const reloaded = new FakeBridge({ sessions });
    reloaded.handover = second.bridge.handover;
    await openPage(reloaded);
    expect(message()).toHaveValue('');
  });

  test('stays open until drafts are saved', async () => {
    const bridge = new FakeBridge({ sessions, requests: [request] });
    bridge.fail('save_draft', { code: 'storage' });
    const { user } = await openPage(bridge);
    await user.type(ownAnswer(), 'a graph store');
    bridge.close(1);
    await wait();
    expect(bridge.handovers).toEqual([]);
    bridge.on('save_draft', () => ({}));
    await handovers(bridge, 1);
  });

  test('stays open while it contains a typed secret', async () => {
    const secret = aRequest({ questions: [aQuestion(1, { kind: 'secret', options: [] })] });
    const { user, bridge } = await openPage(new FakeBridge({ sessions, requests: [secret] }));
    const field = document.querySelector<HTMLInputElement>('aside input[type=password]');
    await user.type(field as HTMLInputElement, 'hunter2');
    bridge.close(1);
    await wait();
    expect(bridge.handovers).toEqual([]);
    await user.clear(field as HTMLInputElement);
    await handovers(bridge, 1);
    expect(JSON.stringify(bridge.handovers)).not.toContain('hunter2');
  });

  test('stays open while an answer is being sent', async () => {
    const bridge = new FakeBridge({ sessions, requests: [request] });
    const { promise, give } = held<Request>();
    bridge.on('answer_question', () => promise);
    const { commands } = await openPage(bridge);
    void commands.questions.answer(request);
    bridge.close(1);
    await wait();
    expect(bridge.handovers).toEqual([]);
    give(request);
    await handovers(bridge, 1);
  });

  test('confirms each request to close once', async () => {
    const { bridge } = await openPage(new FakeBridge({ sessions }));
    bridge.close(1);
    await handovers(bridge, 1);
    await wait();
    bridge.close(2);
    await handovers(bridge, 2);
    expect(bridge.handovers.map(({ ask }) => ask)).toEqual([1, 2]);
  });

  test('closes if the request came before its page', async () => {
    const bridge = new FakeBridge({ sessions });
    bridge.asked = 3;
    await openPage(bridge);
    await settle();
    await handovers(bridge, 1);
    expect(bridge.handovers[0]?.ask).toBe(3);
  });

  test('closes if the request came while an earlier check read its answer', async () => {
    const bridge = new FakeBridge({ sessions });
    const { promise, give } = held();
    vi.spyOn(bridge, 'closing').mockImplementationOnce(() => {
      const { asked } = bridge;
      return promise.then(() => asked);
    });
    await openPage(bridge);
    await waitFor(() => expect(bridge.closing).toHaveBeenCalled());
    bridge.close(4);
    give();
    await handovers(bridge, 1);
    expect(bridge.handovers[0]?.ask).toBe(4);
  });
});
