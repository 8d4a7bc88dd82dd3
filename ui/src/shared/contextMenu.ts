import type { Attachment } from 'svelte/attachments';

/** What the context menu of an element does. */
export type ContextAction = { words: string; danger?: boolean } & ({ copies: string } | { quotes: string } | { run: () => void });

type Source = () => readonly ContextAction[];

const sources = new WeakMap<Element, Source>();

/** Offers actions in the context menu of an element and of what is inside it; they are asked for when the menu opens. */
export function contextActions(source: Source): Attachment {
  return (element) => {
    sources.set(element, source);
    return () => sources.delete(element);
  };
}

/** What the menu on an element offers, the nearest first. A selected text takes precedence over what is around it. */
export function actionsAt(target: Element, selected: { copy: string; quote: string }): ContextAction[] {
  const text = selectedAround(target);
  if (text !== null) {
    return [
      { words: selected.copy, copies: text },
      { words: selected.quote, quotes: text },
    ];
  }
  const actions: ContextAction[] = [];
  for (let around: Element | null = target; around; around = around.parentElement) actions.push(...(sources.get(around)?.() ?? []));
  return actions;
}

/** Whether an element has the system's menu, which pastes and corrects the spelling. */
export function hasSystemMenu(target: Element): boolean {
  return target.closest('textarea, input:not([type=radio], [type=checkbox]), select') !== null;
}

function selectedAround(target: Element): string | null {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.getRangeAt(0).intersectsNode(target)) return null;
  const text = selection.toString();
  return text.trim() === '' ? null : text;
}
