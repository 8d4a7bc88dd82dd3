import type { Component } from 'svelte';

type Reader = Component<{ text: string }>;

let loaded = $state.raw<Reader | null>(null);

/** The Markdown component; null until it is loaded. Startup doesn't wait for it. */
export function markdownReader(): Reader | null {
  return loaded;
}

export async function loadMarkdown(): Promise<void> {
  loaded ??= (await import('./MarkdownText.svelte')).default;
}
