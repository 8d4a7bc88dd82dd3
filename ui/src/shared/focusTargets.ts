import { createContext } from 'svelte';
import type { Attachment } from 'svelte/attachments';

import type { ApprovalId, RequestId } from '../generated/wire';

export type CardId = RequestId | ApprovalId;

/** The kind of element that has the focus when a key is pressed. */
export type Spot =
  | 'radio'
  | 'checkbox'
  /** The field of Other, or of a question without options. */
  | 'words'
  | 'note'
  /** Any other field: it handles its own keys. */
  | 'field'
  /** The submit button, or the whole summary. */
  | 'submit'
  /** Another button, or any other element that handles keys itself. */
  | 'control'
  /** The card or the panel itself. */
  | 'card';

export type Deed =
  | { deed: 'choose'; place: number }
  | { deed: 'move'; step: 1 | -1 }
  | { deed: 'turn'; step: 1 | -1 }
  | { deed: 'go_on' | 'submit' | 'submit_from_anywhere' | 'chat' | 'note' | 'undo' | 'leave' | 'help' }
  /** A key repeat: the key already acted, and must not trigger anything else. */
  | { deed: 'nothing' };

/** What the keys of an answer form do now; the footer says it. */
export interface FormKeys {
  /** How many options are shown, including Other. */
  options: number;
  several: boolean;
  /** Whether Enter on an option or in a field submits. */
  submits: boolean;
  /** Whether a digit answers at once. */
  quick: boolean;
}

/** The operations that a card's answer form offers to keys and commands. */
export interface AnswerController {
  /** Moves the focus to the question, or to the submit button if no question is shown. */
  focus(): void;
  /** Carries out a key; returns whether the key has a meaning here. */
  carryOut(deed: Deed, at: { spot: Spot; target: Element }): boolean;
  showsSummary(): boolean;
  keys(): FormKeys;
}

/** The elements that keys and commands move the focus to. Their components register them. */
export class FocusTargets {
  readonly #cards = new Map<CardId, HTMLElement>();
  readonly #forms = new Map<CardId, AnswerController>();
  readonly #session = new Map<'composer' | 'transcript', HTMLElement>();

  registerCard(id: CardId): Attachment<HTMLElement> {
    return (element) => register(this.#cards, id, element);
  }

  /** Registers a card's answer form; returns a function that unregisters it. */
  registerForm(id: CardId, form: AnswerController): () => void {
    return register(this.#forms, id, form);
  }

  registerComposer: Attachment<HTMLTextAreaElement> = (element) => register(this.#session, 'composer', element);
  registerTranscript: Attachment<HTMLElement> = (element) => register(this.#session, 'transcript', element);

  card(id: CardId): HTMLElement | null {
    return this.#cards.get(id) ?? null;
  }

  form(id: CardId): AnswerController | null {
    return this.#forms.get(id) ?? null;
  }

  /** Returns the card that contains an element. */
  cardAround(element: Element | null): CardId | null {
    for (const [id, card] of this.#cards) if (card.contains(element)) return id;
    return null;
  }

  /** Classifies an element for the key table. A card that shows its summary counts as `submit`. */
  spotOf(element: Element): Spot {
    const id = this.cardAround(element);
    const summary = id !== null && this.card(id) === element && this.form(id)?.showsSummary();
    return summary ? 'submit' : spotOf(element);
  }

  /** Moves the focus to a card's question, or to the card itself if it has none. */
  focusCard(id: CardId): void {
    this.form(id)?.focus();
    const card = this.card(id);
    if (!card?.contains(document.activeElement)) card?.focus();
  }

  /** Moves the focus to the message field; returns whether there is one. */
  focusComposer(): boolean {
    const composer = this.#session.get('composer');
    if (!composer?.matches(':enabled')) return false;
    composer.focus();
    return true;
  }

  focusSession(): void {
    if (!this.focusComposer()) this.#session.get('transcript')?.focus();
  }
}

export const [useFocusTargets, provideFocusTargets] = createContext<FocusTargets>();

const spots = new WeakMap<Element, Spot>();

/** Declares which keys work on an element whose tag doesn't say so. */
export function spot(kind: 'words' | 'note' | 'submit'): Attachment {
  return (element) => {
    spots.set(element, kind);
  };
}

function spotOf(target: Element): Spot {
  const declared = spots.get(target);
  if (declared) return declared;
  if (target instanceof HTMLInputElement && target.type === 'radio') return 'radio';
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return 'checkbox';
  if (target.matches('input, textarea, select, [contenteditable]')) return 'field';
  // A card can be focused too, but has no keys of its own.
  return target.matches('button, a, summary, [role="separator"], [tabindex="0"]') ? 'control' : 'card';
}

function register<K, V>(map: Map<K, V>, key: K, value: V): () => void {
  map.set(key, value);
  return () => {
    // A replacement card registers before the old one unregisters.
    if (map.get(key) === value) map.delete(key);
  };
}
