import '../shared/tokens.css';
import '../shared/base.css';

import { mount, tick } from 'svelte';

import { Desk } from '../store/desk.svelte';
import App from '../view/App.svelte';
import { scenes } from './scenes';

/**
 * Shows one scene: `gallery.html?scene=pair`. `click` names buttons, options and pills to press
 * first, parted by `|`; `select` names a session.
 */
async function show(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const scene = scenes[query.get('scene') ?? ''];
  if (!scene) {
    for (const name of Object.keys(scenes)) {
      const link = document.createElement('a');
      link.href = `?scene=${name}`;
      link.textContent = name;
      document.body.append(link, document.createElement('br'));
    }
    return;
  }
  sessionStorage.clear();
  localStorage.clear();
  const desk = new Desk(scene());
  mount(App, { target: document.body, props: { desk } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const select = query.get('select');
  if (select) desk.dispatch({ type: 'session_selected', session: select });
  for (const name of query.get('click')?.split('|') ?? []) {
    await tick();
    const targets = [...document.querySelectorAll<HTMLElement>('button, label, summary')];
    const words = (target: HTMLElement) => target.textContent.trim() || (target.ariaLabel ?? '');
    const found = targets.find((target) => words(target) === name);
    (found ?? targets.find((target) => words(target).startsWith(name)))?.click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

void show();
