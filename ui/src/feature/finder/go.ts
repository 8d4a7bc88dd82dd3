import { tick } from 'svelte';

import type { SessionId } from '../../generated/wire';
import type { Desk } from '../../store/desk.svelte';

/** Shows a session because the person asked for it, and goes to where one writes to it. */
export async function goTo(desk: Desk, session: SessionId): Promise<void> {
  desk.dispatch({ type: 'session_selected', session });
  await tick();
  const view = document.querySelector(`[data-session-view="${CSS.escape(session)}"]`);
  const field = view?.querySelector<HTMLElement>('[data-composer]:not(:disabled)');
  (field ?? view?.querySelector<HTMLElement>('[data-transcript]'))?.focus();
}
