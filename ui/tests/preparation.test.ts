import { readFileSync } from 'node:fs';

import { screen } from '@testing-library/svelte';
import { describe, expect, test, vi } from 'vitest';

import type { AgentsFound, TranscriptPage } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { transcriptOf } from '../src/store/select';
import { aFound, demoFound } from '../src/testing/agents';
import { aSession } from '../src/testing/builders';
import { FakeBridge, settle } from '../src/testing/fakeBridge';
import { later, loadInView } from '../src/view/lazy';
import { openPage, radio, skippableTime } from './open';

skippableTime();

const found: AgentsFound = { agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };

/** Starts a page without a window; `prepared` becomes true once the window may be mounted. */
function begin(bridge: FakeBridge, load = async (): Promise<unknown> => undefined) {
  const page = createPage(bridge);
  const close = page.open();
  const progress = { prepared: false };
  void page.prepare(load).then(() => (progress.prepared = true));
  return { page, progress, close };
}

/** A reply that is held back until the returned function is called. */
function held<T>(value: T) {
  let release: () => void = () => undefined;
  const reply = new Promise<T>((resolve) => (release = () => resolve(value)));
  return { reply, release };
}

describe('the window is mounted', () => {
  test('at once where settings and agents came with the document', async () => {
    const bridge = new FakeBridge({ sessions: [] }).on('list_agents', () => new Promise<never>(() => undefined));
    bridge.on('read_settings', () => new Promise<never>(() => undefined));
    bridge.start = { settings: bridge.settings, agents: found };
    const { progress, page, close } = begin(bridge);
    expect(page.store.state).toMatchObject({ settings: bridge.settings, agents: found });
    await settle();
    expect(progress.prepared).toBe(true);
    expect(bridge.sent('list_agents')).toEqual([]);
    close();
  });

  test('with the agents on a desk without sessions, never before', async () => {
    const { reply, release } = held(found);
    const bridge = new FakeBridge({ sessions: [] }).on('list_agents', () => reply);
    const { progress, page, close } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(false);
    release();
    await settle();
    expect(progress.prepared).toBe(true);
    expect(page.store.state.agents).toEqual(found);
    close();
  });

  test('with the transcript of the session in view, without looking for agents', async () => {
    const { reply, release } = held<TranscriptPage>({ entries: [], more: false, requests: [], approvals: [] });
    const bridge = new FakeBridge({ sessions: [aSession()] }).on('read_transcript', () => reply);
    const { progress, page, close } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(false);
    release();
    await settle();
    expect(progress.prepared).toBe(true);
    expect(transcriptOf(page.store.state, aSession().id).status).toBe('read');
    expect(bridge.sent('list_agents')).toEqual([]);
    close();
  });

  test('with the scripts of what is in view, unless they can’t be loaded', async () => {
    const { reply, release } = held(undefined);
    const { progress, close } = begin(new FakeBridge({ sessions: [aSession()] }), async () => {
      await reply;
      throw new Error('missing');
    });
    await settle();
    expect(progress.prepared).toBe(false);
    release();
    await settle();
    expect(progress.prepared).toBe(true);
    close();
  });

  test('after 300 ms, whatever is missing', async () => {
    const bridge = new FakeBridge();
    bridge.subscribe = () => new Promise(() => undefined);
    const { progress, close } = begin(bridge);
    await vi.advanceTimersByTimeAsync(250);
    expect(progress.prepared).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(progress.prepared).toBe(true);
    close();
  });
});

test('a reloaded page doesn’t begin with the data of its first document', () => {
  const bridge = new FakeBridge();
  bridge.start = { settings: bridge.settings, agents: found };
  expect(createPage(bridge).store.state.settings).not.toBeNull();
  expect(createPage(bridge).store.state.settings).toBeNull();
});

test('agents that came with the document are in the first form, and are looked for again behind it', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('list_agents', () => new Promise<never>(() => undefined));
  bridge.start = { settings: bridge.settings, agents: found };
  await openPage(bridge);
  expect(radio('Claude Code')).toBeVisible();
  expect(bridge.sent('list_agents')).toHaveLength(1);
});

test('the frame of the document stays until the window has something to show', async () => {
  document.body.innerHTML = new DOMParser().parseFromString(readFileSync('index.html', 'utf8'), 'text/html').body.innerHTML;
  const frame = () => document.getElementById('frame');
  const bridge = new FakeBridge();
  const subscribe = bridge.subscribe.bind(bridge);
  const { reply, release } = held(undefined);
  bridge.subscribe = (receive) => reply.then(() => subscribe(receive));
  await openPage(bridge);
  expect(frame()).toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Connecting…' })).toBeInTheDocument();
  release();
  await settle();
  expect(frame()).toBeNull();
});

test('only what is in view is loaded for the first picture', async () => {
  const inbox = vi.spyOn(later, 'inbox');
  const { store } = createPage(new FakeBridge());
  await loadInView(store.state);
  expect(inbox).not.toHaveBeenCalled();
  await loadInView({ ...store.state, navigation: { ...store.state.navigation, place: { at: 'inbox', session: null } } });
  expect(inbox).toHaveBeenCalledOnce();
});

test('a page is started once, also if the window is mounted after it', async () => {
  const bridge = new FakeBridge();
  const page = createPage(bridge);
  expect(page.open()).toBe(page.open());
  await settle();
  expect(bridge.subscriptions).toBe(1);
  page.open()();
});
