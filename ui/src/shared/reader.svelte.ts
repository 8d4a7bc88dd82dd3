import type { Component } from 'svelte';

type Reader = Component<{ text: string }>;

let loaded = $state.raw<Reader | null>(null);

/** What shows Markdown; none until it was loaded, which nothing at the start waits for. */
export function markdownReader(): Reader | null {
  return loaded;
}

export async function loadMarkdown(): Promise<void> {
  loaded ??= (await import('./MarkdownText.svelte')).default;
}
