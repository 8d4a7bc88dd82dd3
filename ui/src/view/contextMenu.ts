import { mount, unmount } from 'svelte';

import { type ContextAction, actionsAt, hasSystemMenu } from '../shared/contextMenu';
import type { FocusTargets } from '../shared/focusTargets';
import Menu from '../shared/Menu.svelte';
import type { MenuPlace } from '../shared/menu';
import { t } from '../shared/messages';
import type { Commands } from '../store/page';

/** How long the system may take to open a menu for the key that has already opened one, in milliseconds. */
const SAME_PRESS = 500;

/** Shows the window's own menu on a right click, Shift+F10, and the Menu key, in place of the browser's. */
export function ownContextMenus(commands: Commands, targets: FocusTargets): () => void {
  let pressedAt = -Infinity;

  function run(action: ContextAction) {
    if ('copies' in action) void commands.window.copy(action.copies);
    else if ('quotes' in action) targets.quote(action.quotes);
    else action.run();
  }

  function open(target: Element, at: MenuPlace): void {
    const actions = actionsAt(target, { copy: t('context.copy'), quote: t('context.quote') }).filter(
      (action) => !('quotes' in action) || targets.canQuote(),
    );
    if (actions.length === 0) return;
    // In the same part of the window: whatever is outside an open dialog can't be clicked.
    const menu = mount(Menu, {
      target: target.closest('dialog, nav, main, aside') ?? document.body,
      props: {
        label: t('context.menu'),
        items: actions.map(({ words, danger = false }, index) => ({ id: String(index), words, danger })),
        at,
        choose: (id: string) => {
          const action = actions[Number(id)];
          if (action) run(action);
        },
        closed: () => void unmount(menu),
      },
    });
  }

  function oncontextmenu(event: MouseEvent) {
    if (event.defaultPrevented || !(event.target instanceof Element) || hasSystemMenu(event.target)) return;
    event.preventDefault();
    const byKey = event.clientX === 0 && event.clientY === 0;
    open(event.target, byKey ? below(event.target) : { x: event.clientX, y: event.clientY });
  }

  /** The system opens a menu for these keys in some places only. */
  function onkeydown(event: KeyboardEvent) {
    const asks = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    const target = document.activeElement;
    if (!asks || event.defaultPrevented || !target || hasSystemMenu(target) || target.closest('[role=menu]')) return;
    event.preventDefault();
    target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
    pressedAt = event.timeStamp;
  }

  function dropSecond(event: MouseEvent) {
    if (!event.isTrusted || event.timeStamp - pressedAt > SAME_PRESS || event.button === 2) return;
    event.preventDefault();
    event.stopPropagation();
  }

  document.addEventListener('contextmenu', dropSecond, true);
  document.addEventListener('contextmenu', oncontextmenu);
  window.addEventListener('keydown', onkeydown);
  return () => {
    document.removeEventListener('contextmenu', dropSecond, true);
    document.removeEventListener('contextmenu', oncontextmenu);
    window.removeEventListener('keydown', onkeydown);
  };
}

function below(element: Element): MenuPlace {
  const { left, top, bottom } = element.getBoundingClientRect();
  return { x: left, y: Math.min(bottom, window.innerHeight), above: top };
}
