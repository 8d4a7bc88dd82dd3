import type { UpdateRead } from '../generated/wire';
import type { Offer } from '../shared/actions.svelte';
import { demoOf } from '../store/agents';
import { nextWaiting } from '../store/inbox';
import type { Overlay } from '../store/parts/navigation';
import type { Page } from '../store/page';

/** The actions that the window offers everywhere. */
export function windowActions({ store, commands }: Page, showNextWaiting: () => void): (Offer | false)[] {
  const { state } = store;
  const { place, back, forward } = state.navigation;
  const open = (overlay: Overlay) => () => commands.dispatch({ type: 'overlay_opened', overlay });
  const demo = demoOf(state) !== null;
  return [
    { id: 'new_session', run: () => commands.dispatch({ type: 'start_opened' }) },
    { id: 'inbox', run: () => commands.dispatch({ type: 'inbox_opened', at: Date.now() }) },
    nextWaiting(state, null) !== null && { id: 'next_waiting', run: showNextWaiting },
    { id: 'history', run: () => void commands.history.open() },
    { id: 'settings', run: open({ overlay: 'settings' }) },
    place.at === 'start' && state.sessions.length > 0 && { id: 'start_back', run: () => commands.dispatch({ type: 'start_closed' }) },
    // The form for a new session offers it with its examples.
    demo && place.at !== 'start' && { id: 'demo', run: () => void commands.start.demo() },
    back.length > 0 && { id: 'back', run: () => void commands.navigation.step('back') },
    forward.length > 0 && { id: 'forward', run: () => void commands.navigation.step('forward') },
    { id: 'notification_log', run: open({ overlay: 'settings', at: 'notification_log' }) },
    { id: 'permissions', run: open({ overlay: 'settings', at: 'permissions' }) },
    demo && { id: 'test_question', run: () => void commands.start.testQuestion() },
    { id: 'zoom_in', run: () => void commands.settings.zoom('in') },
    { id: 'zoom_out', run: () => void commands.settings.zoom('out') },
    { id: 'zoom_reset', run: () => void commands.settings.zoom('reset') },
    {
      id: 'check_updates',
      run: () => {
        open({ overlay: 'settings', at: 'updates' })();
        void commands.updates.ask('check_for_update', {});
      },
    },
    offersUpdate(state.update) && { id: 'install_update', run: open({ overlay: 'update', part: 'install' }) },
    { id: 'help', run: () => void commands.window.openGuide() },
    { id: 'keys', run: open({ overlay: 'keys' }) },
    { id: 'quit', run: () => void commands.window.quit() },
    ...state.failures.map(({ serial }): Offer => ({ id: 'dismiss', run: () => commands.dispatch({ type: 'failure_dismissed', serial }) })),
  ];
}

/** Whether the next step of an update waits for the user. */
function offersUpdate(update: UpdateRead | null): boolean {
  return update !== null && ['available', 'downloaded', 'installed'].includes(update.phase.phase);
}
