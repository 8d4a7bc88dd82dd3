import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './shared/tokens.css';
import './shared/base.css';

import { mount } from 'svelte';

import { type Bridge, tauriBridge } from './platform/bridge';
import { spoken } from './shared/messages/language.svelte';
import { createPage } from './store/page';
import { languageAtStart } from './store/sync/language';
import App from './view/App.svelte';
import { later } from './view/lazy';
import { partsFirst } from './view/partsFirst';

// If the catalog can't be loaded, the window stays in English.
await spoken.speak(languageAtStart(tauriBridge.language)).catch(() => undefined);
const bridge: Bridge = { ...tauriBridge, subscribe: (receive) => tauriBridge.subscribe(partsFirst(later.session, receive)) };
mount(App, { target: document.body, props: { page: createPage(bridge) } });
// What a session needs is loaded after the first paint. If that fails, showing a session tries again.
requestAnimationFrame(() => setTimeout(() => void Promise.resolve(later.session()).catch(() => undefined)));
