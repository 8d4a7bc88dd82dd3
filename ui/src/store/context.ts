import { createContext } from 'svelte';

import type { Commands } from './page';
import type { View } from './store.svelte';

/** What the person can do; the same everywhere. */
export const [useCommands, provideCommands] = createContext<Commands>();

/** The state as this part of the window draws it. */
export const [useView, provideView] = createContext<View>();
