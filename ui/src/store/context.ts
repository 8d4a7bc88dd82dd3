import { createContext } from 'svelte';

import type { Commands } from './page';
import type { View } from './store.svelte';

/** The commands are the same in every part of the window. */
export const [useCommands, provideCommands] = createContext<Commands>();

/** The state that the window renders. */
export const [useView, provideView] = createContext<View>();
