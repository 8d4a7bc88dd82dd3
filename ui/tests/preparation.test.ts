import { readFileSync } from 'node:fs';

import { screen } from '@testing-library/svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { AgentsFound, Entry, FirstTranscript, Frame, PageStart, TranscriptPage } from '../src/generated/wire';
import { createPage } from '../src/store/page';
import { transcriptOf } from '../src/store/select';
import { aFound, demoFound } from '../src/testing/agents';
import { aSession, anEntry } from '../src/testing/builders';
import { FakeBridge, settle } from '../src/testing/fakeBridge';
import { later, loadInView } from '../src/view/lazy';
import { held, openPage, radio, skippableTime } from './open';

skippableTime();

const found: AgentsFound = { reading: false, agents: [aFound({ program: '/usr/bin/claude' }), demoFound] };

let close = () => undefined as void;
afterEach(() => close());

/** Starts a page without a window; `prepared` becomes true once the window may be mounted. */
function begin(bridge: FakeBridge, load = async (): Promise<unknown> => undefined) {
  const page = createPage(bridge);
  close = page.open();
  const progress = { prepared: false };
  void page.prepare(load).then(() => (progress.prepared = true));
  return { page, progress };
}

/** What the app sends before the page asks. */
function startOf(bridge: FakeBridge, transcript: FirstTranscript | null = null): PageStart {
  const snapshot: Frame = { frame: 'snapshot', ...bridge.snapshot };
  return { snapshot, settings: bridge.settings, agents: found, drafts: { drafts: [] }, transcript };
}

function pageOf(...entries: Entry[]): TranscriptPage {
  return { entries, more: false, requests: [], approvals: [] };
}

describe('the window is mounted', () => {
  test('at once where the app sent everything before the page asked', async () => {
    const session = aSession();
    const bridge = new FakeBridge({ sessions: [session] });
    for (const command of ['list_agents', 'read_settings', 'read_drafts', 'read_transcript'] as const) {
      bridge.on(command, () => new Promise<never>(() => undefined));
    }
    bridge.start = startOf(bridge, { session: session.id, page: pageOf(anEntry(1, { kind: 'agent', text: 'Hello.' })) });
    bridge.subscribe = () => new Promise(() => undefined);
    const { progress, page } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(true);
    expect(page.store.state).toMatchObject({ settings: bridge.settings, agents: found, link: { status: 'live', seq: 0 } });
    expect(transcriptOf(page.store.state, session.id)).toMatchObject({ status: 'read', entries: [{ n: 1 }] });
    for (const command of ['list_agents', 'read_drafts', 'read_transcript'] as const) expect(bridge.sent(command)).toEqual([]);
  });

  test('with the transcript of its own session, if the app sent another', async () => {
    const [shown, other] = [aSession(), aSession({ id: 's-2' })];
    localStorage.setItem('askdesk.left', JSON.stringify({ session: shown.id, place: null }));
    const bridge = new FakeBridge({ sessions: [shown, other] });
    bridge.start = startOf(bridge, { session: other.id, page: pageOf() });
    bridge.subscribe = () => new Promise(() => undefined);
    const { progress, page } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(true);
    expect(bridge.sent('read_transcript')).toMatchObject([{ session: shown.id }]);
    expect(transcriptOf(page.store.state, other.id).status).toBe('unread');
  });

  test('by asking for everything, if what the app sent can’t be had', async () => {
    const bridge = new FakeBridge({ sessions: [aSession()] });
    bridge.takeStart = () => Promise.reject(new Error('closing'));
    const { progress, page } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(true);
    expect(page.store.state.link.status).toBe('live');
    expect(bridge.sent('read_drafts')).toHaveLength(1);
  });

  test('with the agents on a desk without sessions, never before', async () => {
    const { promise: reply, give } = held<AgentsFound>();
    const bridge = new FakeBridge({ sessions: [] }).on('list_agents', () => reply);
    const { progress, page } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(false);
    give(found);
    await settle();
    expect(progress.prepared).toBe(true);
    expect(page.store.state.agents).toEqual(found);
  });

  test('with the transcript of the session in view, without looking for agents', async () => {
    const { promise: reply, give } = held<TranscriptPage>();
    const bridge = new FakeBridge({ sessions: [aSession()] }).on('read_transcript', () => reply);
    const { progress, page } = begin(bridge);
    await settle();
    expect(progress.prepared).toBe(false);
    give(pageOf());
    await settle();
    expect(progress.prepared).toBe(true);
    expect(transcriptOf(page.store.state, aSession().id).status).toBe('read');
    expect(bridge.sent('list_agents')).toEqual([]);
  });

  test('with the scripts of what is in view, unless they can’t be loaded', async () => {
    const { promise: reply, give } = held();
    const { progress } = begin(new FakeBridge({ sessions: [aSession()] }), async () => {
      await reply;
      throw new Error('missing');
    });
    await settle();
    expect(progress.prepared).toBe(false);
    give();
    await settle();
    expect(progress.prepared).toBe(true);
  });

  test('after 300 ms, whatever is missing', async () => {
    const bridge = new FakeBridge();
    bridge.subscribe = () => new Promise(() => undefined);
    const { progress } = begin(bridge);
    await vi.advanceTimersByTimeAsync(250);
    expect(progress.prepared).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(progress.prepared).toBe(true);
  });
});

test('agents that the app sent are in the first form, and are looked for again behind it', async () => {
  const bridge = new FakeBridge({ sessions: [] }).on('list_agents', () => new Promise<never>(() => undefined));
  bridge.start = startOf(bridge);
  await openPage(bridge);
  expect(radio('Claude Code')).toBeVisible();
  expect(bridge.sent('list_agents')).toHaveLength(1);
});

test('the frame of the document stays until the window has something to show', async () => {
  document.body.innerHTML = new DOMParser().parseFromString(readFileSync('index.html', 'utf8'), 'text/html').body.innerHTML;
  const frame = () => document.getElementById('frame');
  const bridge = new FakeBridge();
  const subscribe = bridge.subscribe.bind(bridge);
  const { promise: reply, give } = held();
  bridge.subscribe = (receive) => reply.then(() => subscribe(receive));
  await openPage(bridge);
  expect(frame()).toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Connecting…' })).toBeInTheDocument();
  give();
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
