import { getContext, setContext } from 'svelte';

/** Asks the person whether to open a link outside. */
export type AskToOpen = (url: string) => void;

const KEY = Symbol('links');

export function provideLinks(ask: AskToOpen): void {
  setContext(KEY, ask);
}

/** None where nothing can be opened: a link is then shown with its address. */
export function useLinks(): AskToOpen | null {
  return getContext<AskToOpen | undefined>(KEY) ?? null;
}

const OUTSIDE = new Set(['http:', 'https:', 'mailto:']);

/** The whole address of a link that may be opened outside, as a machine reads it; none for every other kind. */
export function outside(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return OUTSIDE.has(url.protocol) ? url.href : null;
}

/** A whole address in parts, so that the host can be told from what only looks like one. */
export function partsOf(whole: string): { before: string; host: string; after: string } {
  const url = new URL(whole);
  if (url.host === '') return { before: whole, host: '', after: '' };
  const named = url.username !== '' || url.password !== '';
  const from = named ? whole.indexOf('@') + 1 : url.protocol.length + '//'.length;
  const to = from + url.host.length;
  return { before: whole.slice(0, from), host: whole.slice(from, to), after: whole.slice(to) };
}
