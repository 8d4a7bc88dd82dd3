import type { Desk } from './desk.svelte';

/** The desk for what stands beside the panel: it does the same, and shows what is drawn there. */
export function besidePanel(desk: Desk): Desk {
  return new Proxy(desk, {
    get(target, name) {
      if (name === 'state') return target.beside;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
