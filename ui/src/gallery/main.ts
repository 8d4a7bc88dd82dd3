import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../shared/tokens.css';
import '../shared/base.css';
import '../shared/frame.css';

import { mount } from 'svelte';

import index from '../../index.html?raw';
import { arming } from '../shared/arming';
import type { LanguageChoice } from '../generated/wire';
import { languageOf, spoken } from '../shared/messages/language.svelte';
import { createPage, type Page } from '../store/page';
import type { FakeBridge } from '../testing/fakeBridge';
import App from '../view/App.svelte';
import { scenes } from './scenes';
import { states, waitFor } from './states';

/** Shows a state or a scene: `gallery.html?state=one`, or `?scene=plan`. `lang` names a language. */
async function show(): Promise<void> {
  const query = new URLSearchParams(location.search);
  // What acts on a card to bring it into a state doesn't wait.
  arming.delay = 0;
  await spoken.speak(languageOf((query.get('lang') ?? 'en') as LanguageChoice, 'en'));
  const scene = scenes[query.get('scene') ?? ''];
  if (query.has('state')) await showState(query.get('state') ?? '', query.get('width'));
  else if (scene) open(scene());
  else listAll();
}

function listAll(): void {
  for (const address of [...Object.keys(states).map((name) => `?state=${name}`), ...Object.keys(scenes).map((name) => `?scene=${name}`)]) {
    const link = document.createElement('a');
    link.href = address;
    link.textContent = address;
    document.body.append(link, document.createElement('br'));
  }
}

function open(bridge: FakeBridge): Page {
  sessionStorage.clear();
  localStorage.clear();
  const page = createPage(bridge.set({ language: spoken.language }));
  mount(App, { target: document.body, props: { page } });
  return page;
}

/** Shows a state, and marks the root element when it is complete. */
async function showState(name: string, width: string | null): Promise<void> {
  const state = states[name];
  if (!state) throw new Error(`there is no state ${name}`);
  const { scene, act, shows } = state;
  const bridge = scene();
  // In the window it is there before the first script.
  const frame = new DOMParser().parseFromString(index, 'text/html').getElementById('frame');
  if (frame) document.body.append(frame);
  const { store } = open(bridge);
  // The state before may have left it folded.
  store.dispatch({ type: 'side_folded', folded: false });
  await waitFor(name === 'loading' ? shows : 'aside, main form.start');
  if (width !== null) store.dispatch({ type: 'panel_resized', width: Number(width) });
  await act?.(store, bridge);
  await waitFor(shows);
  document.documentElement.dataset.state = name;
}

show().catch((error: unknown) => {
  document.documentElement.dataset.failed = String(error);
});
