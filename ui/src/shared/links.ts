import { getContext, setContext } from 'svelte';

/** Asks the user to confirm opening an external link. */
export type AskToOpen = (url: string) => void;

const KEY = Symbol('links');

export function provideLinks(ask: AskToOpen): void {
  setContext(KEY, ask);
}

/** Null if links can't be opened; they then show their address as text. */
export function useLinks(): AskToOpen | null {
  return getContext<AskToOpen | undefined>(KEY) ?? null;
}

const OUTSIDE = new Set(['http:', 'https:', 'mailto:']);

/** The normalized URL of a link that may be opened externally; null for any other link. */
export function outside(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  return OUTSIDE.has(url.protocol) ? url.href : null;
}

/** Splits a URL, so that the real host stands out from text that only resembles one. */
export function partsOf(whole: string): { before: string; host: string; after: string } {
  const url = new URL(whole);
  if (url.host === '') return { before: whole, host: '', after: '' };
  const named = url.username !== '' || url.password !== '';
  const from = named ? whole.indexOf('@') + 1 : url.protocol.length + '//'.length;
  const to = from + url.host.length;
  return { before: whole.slice(0, from), host: whole.slice(from, to), after: whole.slice(to) };
}
