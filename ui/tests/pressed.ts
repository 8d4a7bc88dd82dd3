import type { Press } from '../src/shared/keys';

/** A key press, written such as `Ctrl+Alt+x`. */
export function pressed(written: string, changes: Partial<Press> = {}): Press {
  const parts = written.split('+');
  const held = (name: string) => parts.slice(0, -1).includes(name);
  const [ctrlKey, altKey, shiftKey, metaKey] = [held('Ctrl'), held('Alt'), held('Shift'), held('Meta')];
  return {
    key: parts.at(-1) ?? '',
    code: '',
    keyCode: 0,
    isComposing: false,
    repeat: false,
    ctrlKey,
    altKey,
    shiftKey,
    metaKey,
    ...changes,
  };
}
