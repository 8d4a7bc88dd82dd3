import '../shared/tokens.css';
import '../shared/base.css';

import { mount, tick } from 'svelte';

import type { LanguageChoice } from '../generated/wire';
import { languageOf, spoken } from '../shared/messages/language.svelte';
import { createPage, type Page } from '../store/page';
import type { FakeBridge } from '../testing/fakeBridge';
import App from '../view/App.svelte';
import { scenes } from './scenes';
import { STATES, states, type GalleryState } from './states';

/**
 * Shows one scene: `gallery.html?scene=pair`. `click` lists the buttons, options, and pills to press first, separated
 * by `|`; `select` names a session; `lang` names a language.
 */
async function show(): Promise<void> {
  const query = new URLSearchParams(location.search);
  await spoken.speak(languageOf((query.get('lang') ?? 'en') as LanguageChoice, 'en'));
  const state = STATES.find((name) => name === query.get('state'));
  if (state) return showState(state, query);
  const scene = scenes[query.get('scene') ?? ''];
  if (!scene) {
    for (const link of [
      ...STATES.map((name) => `?state=${name}`),
      ...Object.keys(scenes).map((name) => `?scene=${name}`),
    ]) {
      const shown = document.createElement('a');
      shown.href = link;
      shown.textContent = link;
      document.body.append(shown, document.createElement('br'));
    }
    return;
  }
  const { store } = open(scene());
  await new Promise((resolve) => setTimeout(resolve, 50));
  const select = query.get('select');
  if (select) store.dispatch({ type: 'session_selected', session: select });
  for (const name of query.get('click')?.split('|') ?? []) {
    await tick();
    const targets = [...document.querySelectorAll<HTMLElement>('button, label, summary')];
    const words = (target: HTMLElement) => target.textContent.trim() || (target.ariaLabel ?? '');
    const found = targets.find((target) => words(target) === name);
    (found ?? targets.find((target) => words(target).startsWith(name)))?.click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

function open(bridge: FakeBridge): Page {
  sessionStorage.clear();
  localStorage.clear();
  const { language } = spoken;
  bridge.settings = { ...bridge.settings, settings: { ...bridge.settings.settings, language } };
  const page = createPage(bridge);
  mount(App, { target: document.body, props: { page } });
  return page;
}

/** Shows a state, and marks the root element when it is complete. */
async function showState(state: GalleryState, query: URLSearchParams): Promise<void> {
  const { scene, act, shows } = states[state];
  const bridge = scene();
  const { store } = open(bridge);
  await until('the window', () => document.querySelector(state === 'loading' ? shows : 'aside'));
  const width = query.get('width');
  if (width !== null) store.dispatch({ type: 'panel_resized', width: Number(width) });
  await act?.(store, bridge);
  await until(shows, () => document.querySelector(shows));
  document.documentElement.dataset.state = state;
}

async function until(what: string, look: () => unknown): Promise<void> {
  const began = performance.now();
  while (!look()) {
    if (performance.now() - began > 10_000) throw new Error(`waited in vain for ${what}`);
    await new Promise(requestAnimationFrame);
  }
}

show().catch((error: unknown) => {
  document.documentElement.dataset.failed = String(error);
});
