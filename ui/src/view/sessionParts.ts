/** What the window shows of a session, in one file: at startup there often is none. */
export { default as Panel } from '../feature/panel/Panel.svelte';
export { default as SessionView } from './SessionView.svelte';
