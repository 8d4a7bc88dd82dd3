import { screen } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import { answered, aRequest, aSession, delivered } from '../src/testing/builders';
import { FakeBridge } from '../src/testing/fakeBridge';
import { openPage, settle } from './open';

const question = () => document.querySelector('aside [data-card="r1"]');
const row = () => document.querySelector<HTMLElement>('nav [data-session="s1"]')!;
const face = () => row().dataset['state'];

/** Opens the window; the test triggers its animation frames. */
async function open() {
  const frames: FrameRequestCallback[] = [];
  vi.spyOn(window, 'requestAnimationFrame').mockImplementation((draw) => frames.push(draw));
  const opened = await openPage(new FakeBridge({ sessions: [aSession({ name: 'api' })] }));
  await settle();
  frames.length = 0;
  const paint = async () => {
    frames.splice(0).forEach((draw) => draw(performance.now()));
    await settle();
  };
  return { ...opened, paint };
}

describe('everything beside the panel', () => {
  test('is updated a frame after the question', async () => {
    const { bridge, paint } = await open();
    const before = face();
    await bridge.push({ change: 'request', request: aRequest() });
    expect(question()).toBeVisible();
    expect(face()).toBe(before);
    await paint();
    expect(face()).toBe(before);
    await paint();
    expect(face()).toBe('needs_you');
  });

  test('doesn’t wait for a second question', async () => {
    const { bridge, paint } = await open();
    bridge.push({ change: 'request', request: aRequest() });
    await paint();
    bridge.push({ change: 'request', request: aRequest({ id: 'r2', nativeRef: 'n2' }) });
    await paint();
    expect(row()).toHaveTextContent('2 questions');
  });

  test('skips the moment between an answer and the question right behind it', async () => {
    const { bridge, paint } = await open();
    const request = aRequest();
    await bridge.push({ change: 'request', request });
    await paint();
    await paint();
    const faces: (string | undefined)[] = [];
    const watch = new MutationObserver(() => faces.push(face()));
    watch.observe(document.querySelector('nav')!, { subtree: true, childList: true, attributes: true });
    await bridge.push({ change: 'request', request: answered(request, [{ question: 'q1', chosen: ['q1o1'] }], delivered) });
    expect(question()).not.toHaveAttribute('data-state', 'open');
    await paint();
    await bridge.push({ change: 'request', request: aRequest({ id: 'r2', nativeRef: 'n2' }) });
    await paint();
    await paint();
    expect(new Set(faces)).not.toContain('working');
    watch.disconnect();
    await bridge.push({ change: 'request', request: answered(aRequest({ id: 'r2', nativeRef: 'n2' }), [{ question: 'q1', chosen: ['q1o1'] }], delivered) });
    expect(face()).toBe('needs_you');
    await paint();
    await paint();
    expect(face()).not.toBe('needs_you');
  });

  test('shows the user’s own actions immediately', async () => {
    const { bridge, store } = await open();
    bridge.push({ change: 'request', request: aRequest() });
    store.dispatch({ type: 'message_written', session: 's1', text: 'Wait' });
    await settle();
    expect(screen.getByRole('textbox', { name: 'Message to the agent' })).toHaveValue('Wait');
    expect(face()).toBe('needs_you');
  });

  test('is updated immediately in a hidden window', async () => {
    const { bridge } = await open();
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    await bridge.push({ change: 'request', request: aRequest() });
    expect(face()).toBe('needs_you');
  });
});
