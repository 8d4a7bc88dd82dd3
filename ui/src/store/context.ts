import { createContext } from 'svelte';

import type { Desk } from './desk.svelte';

export const [useDesk, provideDesk] = createContext<Desk>();
