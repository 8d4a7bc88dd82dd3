import './shared/tokens.css';
import './shared/base.css';

import { mount } from 'svelte';

import { tauriBridge } from './platform/bridge';
import { Desk } from './store/desk.svelte';
import App from './view/App.svelte';

mount(App, { target: document.body, props: { desk: new Desk(tauriBridge) } });
