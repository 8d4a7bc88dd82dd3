/** Whether a key belongs to an input method that is composing. */
export function isComposing(event: KeyboardEvent): boolean {
  // Some input methods report the key that ends a composition only by this code.
  return event.isComposing || event.keyCode === 229;
}

/** Whether a key is Enter alone, outside a composition. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const held = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey;
  return event.key === 'Enter' && !held && !isComposing(event);
}
