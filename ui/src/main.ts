import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './shared/tokens.css';
import './shared/base.css';

import { mount } from 'svelte';

import { tauriBridge } from './platform/bridge';
import { spoken } from './shared/messages/language.svelte';
import { createPage } from './store/page';
import { languageAtStart } from './store/sync/language';
import App from './view/App.svelte';

// If the catalog can't be loaded, the window stays in English.
await spoken.speak(languageAtStart(tauriBridge.language)).catch(() => undefined);
mount(App, { target: document.body, props: { page: createPage(tauriBridge) } });
