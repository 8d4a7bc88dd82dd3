import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './shared/tokens.css';
import './shared/base.css';
import './shared/frame.css';

import { mount } from 'svelte';

import { tauriBridge } from './platform/bridge';
import { spoken } from './shared/messages/language.svelte';
import { createPage } from './store/page';
import { languageAtStart } from './store/sync/language';
import { loadInView, loadWhenIdle } from './view/lazy';

// The page subscribes while the rest of it is loaded.
const page = createPage(tauriBridge);
page.open();
spoken.timeRegion = tauriBridge.language.timeRegion;
try {
  const [{ default: App }] = await Promise.all([
    import('./view/App.svelte'),
    // If the catalog can't be loaded, the window is in English.
    spoken.speak(languageAtStart(tauriBridge.language)).catch(() => spoken.speak('en')),
    page.prepare(loadInView),
  ]);
  mount(App, { target: document.body, props: { page } });
  void loadWhenIdle();
} catch (thrown) {
  // Nothing in this document can say so.
  await tauriBridge.pageFailed(String(thrown));
}
