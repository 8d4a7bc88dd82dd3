import { createContext, flushSync, tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

import type { ApprovalId, RequestId } from '../generated/wire';
import { isDialogOpen } from './dialogs';
import { type Asks, type Focus, goalAfter, type Happening, type Place, placeAfter, type Route, routeOf } from './keyboard';
import type { Press } from './keys';
import { quoteInto } from './quote';
import { replaceText } from './undo';

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

export type KeyAction =
  | { action: 'choose'; place: number }
  | { action: 'move'; step: 1 | -1 }
  | { action: 'turn'; step: 1 | -1 }
  | { action: 'go_on' | 'submit' | 'submit_from_anywhere' | 'chat' | 'note' | 'undo' | 'leave' | 'help' }
  /** A key repeat: the key already acted, and must not trigger anything else. */
  | { action: 'nothing' };

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
  /** Moves the focus to what takes the answer: the chosen or first option, the text field, or the submit button. */
  focus(options?: FocusOptions): void;
  /** What the visible question asks for. */
  asks(): Asks;
  /** The field that a typed character belongs to. */
  field(): HTMLElement | null;
  isArmed(): boolean;
  /** Carries out a key; returns whether the key has a meaning here. */
  carryOut(action: KeyAction, at: { spot: Spot; target: Element }): boolean;
  showsSummary(): boolean;
  keys(): FormKeys;
}

/** A request that the user has just ended, or the saved answers of a session. */
export interface Ended {
  kind: 'question' | 'approval' | 'missed' | 'saved';
  id: string;
}

/** A place in which requests are answered. */
export interface PlaceController {
  element(): HTMLElement | undefined;
  /** Moves the focus to the request that waits next; null if none waits. */
  next(ended: Ended): (() => void) | null;
  /** Moves the focus to what takes the answer of the current request; returns whether anything waits. */
  enter(): boolean;
}

/** Who has the keyboard, and the elements that it can go to. Their components register them. */
export class FocusTargets {
  readonly #cards = new Map<CardId, HTMLElement>();
  readonly #waits = new WeakMap<HTMLElement, () => void>();
  readonly #forms = new Map<CardId, AnswerController>();
  readonly #session = new Map<'composer' | 'transcript', HTMLElement>();
  readonly #places = new Map<Place, PlaceController>();
  #place: Place | null = null;

  /** `wait` starts the delay in which the card ignores keys and clicks: it takes them over from another card. */
  registerCard(id: CardId, wait?: () => void): Attachment<HTMLElement> {
    return (element) => {
      if (wait) this.#waits.set(element, wait);
      return register(this.#cards, id, element);
    };
  }

  /** Registers a card's answer form; returns a function that unregisters it. */
  registerForm(id: CardId, form: AnswerController): () => void {
    return register(this.#forms, id, form);
  }

  registerPlace(place: Place, controller: PlaceController): () => void {
    return register(this.#places, place, controller);
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

  /** The place that the user works in, even if nothing in it has the focus. */
  get place(): Place | null {
    return this.#place !== null && this.#places.has(this.#place) ? this.#place : null;
  }

  /** Notes where the user has gone: they pressed the pointer there, or moved the focus there. */
  noteWent(to: EventTarget | null): void {
    // A dialog is closed again, and a removed element is nowhere.
    if (!(to instanceof Element) || to.closest('dialog') || !to.isConnected) return;
    const place = [...this.#places].find(([, { element }]) => element()?.contains(to));
    this.#happened({ what: 'went', to: place?.[0] ?? null });
  }

  /** Moves the keyboard on after the user has ended a request: to the next one of the place, or else to the place itself. */
  async moveOn(ended: Ended): Promise<void> {
    await tick();
    const { place } = this;
    const controller = place === null ? null : this.#places.get(place);
    if (!controller || isDialogOpen()) return;
    const element = controller.element();
    const next = controller.next(ended);
    const { activeElement } = document;
    const at = focusOf(activeElement);
    // Whoever is on another card stays there.
    const focus = activeElement !== null && activeElement === element ? 'frame' : at === 'frame' ? 'control' : at;
    const goal = goalAfter({ what: 'ended' }, { place, focus, waits: next !== null });
    if (goal === 'next_card') next?.();
    else if (goal === 'place') element?.focus();
  }

  /** Moves the keyboard to the message field after the user has sent a message, started a session, or chosen a folder. */
  noteWrote(): void {
    flushSync();
    const goal = goalAfter({ what: 'wrote' }, { place: this.place, focus: focusOf(document.activeElement), waits: false });
    if (goal === 'message' && !isDialogOpen()) this.focusComposer();
  }

  /** Decides what a key does, and moves the focus to the field that its character is typed into. */
  route(event: Press & Pick<KeyboardEvent, 'target'>, id: CardId | null): Route {
    const { target } = event;
    const form = id === null ? null : this.form(id);
    const asks = this.asksOf(id);
    const focus = focusOf(target instanceof Element ? target : null);
    const route = routeOf(event, { place: this.place, focus, asks, armed: form?.isArmed() ?? true });
    if (route === 'question_field') typeInto(form?.field() ?? null);
    return route;
  }

  /** A card without an answer form is decided by its buttons. */
  asksOf(id: CardId | null): Asks {
    if (id === null) return 'nothing';
    return this.form(id)?.asks() ?? 'decision';
  }

  /** Moves the focus into a place; returns whether anything waits there. */
  enter(place: Place): boolean {
    return this.#places.get(place)?.enter() ?? false;
  }

  /** The place that contains an element, or is in it. */
  placeIn(pane: Element): Place | null {
    const found = [...this.#places].find(([, controller]) => {
      const element = controller.element();
      return element !== undefined && (pane.contains(element) || element.contains(pane));
    });
    return found?.[0] ?? null;
  }

  #happened(happening: Happening): void {
    this.#place = placeAfter(this.#place, happening);
  }

  /** Moves the focus to what takes a card's answer, or to the card itself if it has no such control. */
  focusCard(id: CardId, options?: FocusOptions): void {
    this.form(id)?.focus(options);
    const card = this.card(id);
    if (!card?.contains(document.activeElement)) card?.focus(options);
  }

  /** Starts the delay of the cards in an element, or of a card itself. */
  wait(around: Element): void {
    for (const card of this.#cards.values()) if (around.contains(card)) this.#waits.get(card)?.();
  }

  /** Moves the focus to a card that takes the keys over from another one. */
  takeOver(id: CardId): void {
    const card = this.card(id);
    if (card) this.wait(card);
    this.focusCard(id);
  }

  /** Moves the focus to the message field; returns whether there is one. */
  focusComposer(preventScroll = false): boolean {
    const composer = this.#session.get('composer');
    if (!composer?.matches(':enabled')) return false;
    typeInto(composer, preventScroll);
    return true;
  }

  /** Whether a text can be quoted in the message. */
  canQuote(): boolean {
    return this.#session.get('composer')?.matches(':enabled') === true;
  }

  /** Inserts a quote into the message at its caret, and moves the focus there. */
  quote(text: string): void {
    const composer = this.#session.get('composer');
    if (!(composer instanceof HTMLTextAreaElement) || !composer.matches(':enabled')) return;
    const insertion = quoteInto(composer.value, composer.selectionEnd, text);
    replaceText(composer, insertion.text, insertion.at, insertion.at);
    const caret = composer.selectionEnd;
    composer.focus();
    composer.setSelectionRange(caret, caret);
    composer.scrollTop = composer.scrollHeight;
  }

  /** Selects the text of the transcript that is shown, if one is. */
  selectTranscript(): void {
    const transcript = this.#session.get('transcript');
    if (transcript) document.getSelection()?.selectAllChildren(transcript);
  }

  focusSession(): void {
    // The question of the session may be in view, and stays there.
    if (!this.focusComposer(true)) this.#session.get('transcript')?.focus({ preventScroll: true });
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

/** What kind of element has the focus. */
function focusOf(element: Element | null): Focus {
  if (!element || element === document.body || element === document.documentElement) return 'nothing';
  switch (spotOf(element)) {
    case 'radio':
    case 'checkbox': {
      const { value, checked } = element as HTMLInputElement;
      return value === 'other' && checked && element.closest('[data-option]') ? 'other' : 'choice';
    }
    case 'words':
    case 'note':
    case 'field':
      return 'field';
    case 'submit':
    case 'control':
      return 'control';
    case 'card':
      return 'frame';
  }
}

/** Focuses a field. What is typed then continues its text. */
function typeInto(field: HTMLElement | null, preventScroll = false): void {
  field?.focus({ preventScroll });
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  if (field.selectionStart === 0 && field.selectionEnd === 0) field.setSelectionRange(field.value.length, field.value.length);
}

function register<K, V>(map: Map<K, V>, key: K, value: V): () => void {
  map.set(key, value);
  return () => {
    // A replacement card registers before the old one unregisters.
    if (map.get(key) === value) map.delete(key);
  };
}
