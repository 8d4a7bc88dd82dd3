import { isComposing, mac, shortcutKey } from './keys';

/*
 * Undo and redo in every text field. The webview has no keys for them on Linux, and its own history forgets everything when a
 * draft is set from outside, and mixes fields.
 */

type Field = HTMLTextAreaElement | HTMLInputElement;

/** A part of a text that another one has replaced. */
interface Change {
  at: number;
  removed: string;
  added: string;
}

interface History {
  /** The text after the last change. Another text comes from outside, as when a draft was sent: it has no history. */
  text: string;
  done: Change[];
  undone: Change[];
  /** How the last change was typed, if the next character of the same kind belongs to it. */
  typing: string | null;
}

const LONGEST = 500;
/** What the system's own menus ask for. */
const BY_MENU: Partial<Record<string, 'undo' | 'redo'>> = { historyUndo: 'undo', historyRedo: 'redo' };

const histories = new WeakMap<Field, History>();
/** The field in which an input method composes: what it shows meanwhile is no change. */
let composing: Field | null = null;

function undo(field: Field, what: 'undo' | 'redo'): void {
  const history = historyOf(field);
  const change = (what === 'undo' ? history.done : history.undone).pop();
  if (!change) return;
  (what === 'undo' ? history.undone : history.done).push(change);
  const [old, now] = what === 'undo' ? [change.added, change.removed] : [change.removed, change.added];
  history.text = field.value.slice(0, change.at) + now + field.value.slice(change.at + old.length);
  history.typing = null;
  field.value = history.text;
  // Not every kind of field has a caret to set.
  if (field.selectionStart !== null) field.setSelectionRange(change.at + now.length, change.at + now.length);
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: what === 'undo' ? 'historyUndo' : 'historyRedo' }));
}

/** Replaces a part of a field's text as if it were typed, so that it can be undone. The caret is then behind it. */
export function replaceText(field: Field, text: string, from: number, to: number): void {
  historyOf(field);
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertReplacementText', data: text }));
}

/** Follows all text fields, and takes the keys for undo and redo. */
export function followEdits(): () => void {
  const before = (event: Event) => {
    const { target } = event;
    if (!isTextField(target)) return;
    historyOf(target);
    const native = event instanceof InputEvent ? BY_MENU[event.inputType] : undefined;
    if (native === undefined) return;
    event.preventDefault();
    undo(target, native);
  };
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  document.addEventListener('focusin', before, options);
  document.addEventListener('beforeinput', before, options);
  document.addEventListener('input', noteInput, options);
  document.addEventListener('compositionend', noteInput, options);
  window.addEventListener('keydown', onkeydown, options);
  return () => stop.abort();
}

function isTextField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly;
  return target instanceof HTMLInputElement && /^(?:text|search|password|url|email|tel|number)$/.test(target.type) && !target.readOnly;
}

function onkeydown(event: KeyboardEvent): void {
  const { target, metaKey, ctrlKey, altKey, shiftKey } = event;
  const held = mac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (!held || altKey || isComposing(event) || !isTextField(target)) return;
  const key = shortcutKey(event);
  if (key !== 'z' && (key !== 'y' || mac || shiftKey)) return;
  event.preventDefault();
  event.stopPropagation();
  undo(target, key === 'y' || shiftKey ? 'redo' : 'undo');
}

function historyOf(field: Field): History {
  const known = histories.get(field);
  if (known?.text === field.value || (known && composing === field)) return known;
  const history: History = { text: field.value, done: [], undone: [], typing: null };
  histories.set(field, history);
  return history;
}

function noteInput(event: Event): void {
  const { target } = event;
  if (!isTextField(target)) return;
  composing = event instanceof InputEvent && event.isComposing ? target : null;
  const history = histories.get(target);
  if (composing || !history || history.text === target.value) return;
  const change = changeBetween(history.text, target.value);
  history.text = target.value;
  history.undone = [];
  const typed = event instanceof InputEvent && change.removed.length + change.added.length === 1 ? event.inputType : null;
  const last = history.done.at(-1);
  if (!last || typed === null || history.typing !== typed || !joined(last, change)) history.done.push(change);
  if (history.done.length > LONGEST) history.done.shift();
  history.typing = typed;
}

/** Adds a typed or deleted character to the word before; returns whether it continues that. */
function joined(last: Change, { at, removed, added }: Change): boolean {
  if (last.at + last.added.length !== at + removed.length || /\s$/.test(last.added)) return false;
  last.added += added;
  last.removed = removed + last.removed;
  last.at -= removed.length;
  return true;
}

function changeBetween(before: string, after: string): Change {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at += 1;
  let end = 0;
  while (end < shorter - at && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { at, removed: before.slice(at, before.length - end), added: after.slice(at, after.length - end) };
}
