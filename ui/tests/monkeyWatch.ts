import { expect } from 'vitest';

import type { AnswerInput, HeldEnd, Question, Request } from '../src/generated/wire';
import type { CommandName, Input } from '../src/platform/bridge';
import { arming } from '../src/shared/arming';
import { plural, t } from '../src/shared/messages';
import { draftFate } from '../src/store/draftStorage';
import type { HeldReply } from '../src/store/parts/unsent';
import type { Store } from '../src/store/store.svelte';
import type { ModelApp } from '../src/testing/modelApp';

const CARD = '[data-card], [data-missed]';
const SUBMIT = '{Control>}{Enter}{/Control}';

/** What an action of the user may send, such as `answer_question r1`, `says s1`, or `decide_approval a1 allow`. */
type Allowed = readonly string[];

/** A typed text, and the draft that it belongs to. */
interface Token {
  token: string;
  on: 'request' | 'approval' | 'message';
  id: string;
}

/** Checks after every step that no text was lost, nothing was sent unasked, no focus was taken, and no error occurred. */
export class Watch {
  store: Store | null = null;
  readonly #model: ModelApp;
  #allowed: Allowed = [];
  /** Quick answers and skips that the user asked for and that weren't sent to the app yet; an earlier command may hold one up. */
  #pending: string[] = [];
  /** The answer that each question showed when it was last visible. */
  readonly #shown = new Map<string, AnswerInput | null>();
  /** Whether the user's last action was in the panel, and whether this one is. */
  #inPanel = false;
  #acted = false;
  #tokens: Token[] = [];
  /** What each card shows, and when that came by itself: with the card, or by a choice. */
  #views = new Map<string, { view: string; since: number }>();
  /** The requests in which this step has chosen something. */
  readonly #chose = new Set<string>();
  /** Requests that the user has answered. */
  readonly #answered = new Set<string>();
  /** The item of an open menu that this step clicks. */
  #item: HTMLElement | null = null;
  #undoableSent = false;
  /** The reply in chat of each session that was held last, as the composer told the user. */
  readonly #replies = new Map<string, HeldReply>();
  readonly #broken: string[] = [];
  readonly close: () => void;

  constructor(model: ModelApp) {
    this.#model = model;
    model.onCommand = (command, input) => this.#hear(command, input);
    model.onUndoableSent = (answer) => this.#checkSent(answer);
    const { error } = console;
    console.error = (...told: unknown[]) => this.#breaks(`console.error: ${told.map(String).join(' ')}`);
    const thrown = (event: ErrorEvent) => this.#breaks(`an exception: ${event.message}`);
    const rejected = (reason: unknown) => this.#breaks(`an unhandled rejection: ${String(reason)}`);
    // A choice may advance to the next question and disappear immediately.
    const changed = ({ target }: Event) => {
      const fields = target instanceof Element ? target.closest('fieldset') : null;
      if (!fields) return;
      this.#noteFields(fields);
      const id = fields.closest<HTMLElement>('[data-card]')?.dataset['card'];
      if (id === undefined || target instanceof HTMLTextAreaElement) return;
      this.#refuseEarly(id, 'a choice');
      this.#chose.add(id);
    };
    const views = new MutationObserver(() => this.#noteViews());
    views.observe(document, { childList: true, subtree: true });
    document.addEventListener('change', changed, true);
    window.addEventListener('error', thrown);
    process.on('unhandledRejection', rejected);
    this.close = () => {
      console.error = error;
      views.disconnect();
      document.removeEventListener('change', changed, true);
      window.removeEventListener('error', thrown);
      process.off('unhandledRejection', rejected);
    };
  }

  #breaks(what: string, unless = false): void {
    if (!unless) this.#broken.push(what);
  }

  /** Runs an action of the user; only during one may anything be sent. */
  async during(act: () => Promise<void>): Promise<void> {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
    for (const [session, reply] of Object.entries(this.store?.state.replies ?? {})) {
      if (this.#replies.get(session) === reply) continue;
      this.#breaks(`nobody asked to hold ${JSON.stringify(reply)} in ${session}`, this.#allowed.includes(`says ${session}`));
      this.#replies.set(session, reply);
    }
    this.#chose.clear();
    this.#breaks(`the open menu doesn't take ${this.#item?.textContent}`, this.#item?.isConnected !== true);
    this.#item = null;
    this.#allowed = [];
    const { activeElement } = document;
    this.#inPanel = this.#acted || (activeElement === document.body ? this.#inPanel : activeElement?.closest('aside') != null);
    this.#acted = false;
  }

  #noteViews(): void {
    const seen = cards().filter(isQuestion);
    this.#views = new Map(
      seen.map((card) => {
        const id = idOf(card) ?? '';
        const view = card.querySelector('fieldset')?.dataset['question'] ?? 'summary';
        const before = this.#views.get(id);
        const since = before && !this.#chose.has(id) ? -Infinity : Date.now();
        return [id, before?.view === view ? before : { view, since }];
      }),
    );
  }

  #refuseEarly(id: string, what: string): void {
    const seen = Date.now() - (this.#views.get(id)?.since ?? -Infinity);
    this.#breaks(`${what} in ${id}, ${seen} ms after that came by itself`, seen >= arming.delay);
  }

  /** Runs something that isn't an action of the user, so it must not move the focus. */
  async quietly(happen: () => Promise<void>): Promise<void> {
    const before = document.activeElement;
    const { settled } = this.#model;
    const card = before?.closest<HTMLElement>('[data-card]')?.dataset['card'];
    this.#undoableSent = false;
    await happen();
    const after = document.activeElement;
    const nowhere = before === null || before === document.body || !before.isConnected;
    // An earlier action of the user has finished and restored the focus, or the card of an answer is removed with it.
    const isFreed =
      after === null || after === document.body || this.#model.settled > settled || this.#undoableSent || this.#answered.has(card ?? '');
    this.#breaks(`the focus went by itself from ${named(before)} to ${named(after)}`, after === before || (nowhere && isFreed));
  }

  expectClick(control: HTMLElement): void {
    this.#item = control.closest('[role=menuitem]');
    this.#expect(control, allowedByClick(control));
  }

  expectKey(key: string, target: Element): void {
    const allowed = this.#allowedByKey(key, target);
    this.#expect(target, allowed);
    for (const one of allowed) {
      const [command, request = '', option = ''] = one.split(' ');
      if (command === 'hold_end')
        this.#pending.push(`${request} ${inBrief([{ question: 'q1', chosen: [option], other: null, note: null }])}`);
    }
  }

  #expect(target: Element, allowed: Allowed): void {
    this.#acted = target.closest('aside') !== null;
    this.#allowed = allowed;
    for (const one of allowed) {
      const [command, request = ''] = one.split(' ');
      if (command === 'decline_question') this.#pending.push(skipOf(request, wordsOf(request)));
      if (command === 'cancel_question') this.#pending.push(skipOf(request, undefined));
    }
  }

  /** Takes what the user has asked for, and tells whether they did. */
  #take(asked: string): boolean {
    const at = this.#pending.indexOf(asked);
    this.#pending = this.#pending.filter((_, index) => index !== at);
    return at >= 0;
  }

  #allowedByKey(key: string, target: Element): Allowed {
    const button = target.closest<HTMLElement>('button');
    // Browsers also click a button if Shift is held.
    const onButton = button && ['{Enter}', ' ', '{Shift>}{Enter}{/Shift}'].includes(key) ? allowedByClick(button) : [];
    if (openDialog()) return [];
    if (target.matches('[data-composer]')) return key === '{Enter}' || key === SUBMIT ? inSession(target, 'says') : [];
    // In the form of a skip or a denial with a message, the keys press its own button.
    const sends = key === SUBMIT ? target.closest(CARD)?.querySelector<HTMLElement>('[data-foot] button.danger') : null;
    if (sends && target.matches('textarea')) return allowedByClick(sends);
    const card = this.#cardOf(target);
    const request = card && (isQuestion(card) || 'missed' in card.dataset) ? idOf(card) : undefined;
    if (!card || request === undefined) return onButton;
    const isOwnButton = button !== null && !button.matches('[data-submit]');
    if (key === SUBMIT || (key === '{Enter}' && !isOwnButton)) return [...onButton, `answer_question ${request}`];
    const isField = target.matches('textarea, input:not([type=radio], [type=checkbox])');
    const options =
      /^[1-9]$/.test(key) && !isField && card.matches('[data-card]') ? [...card.querySelectorAll('fieldset [data-option]')] : [];
    const chosen = (options[Number(key) - 1] as HTMLElement | undefined)?.dataset['option'] ?? 'other';
    return chosen === 'other' ? onButton : [`hold_end ${request} ${chosen}`];
  }

  /** The card that receives a key: the focused one, otherwise the one in the panel if the user is in the panel. */
  #cardOf(target: Element): HTMLElement | null {
    const inPanel = target.closest('aside') !== null || (target === document.body && this.#inPanel);
    const shown = inPanel ? cards().find((card) => isQuestion(card) && card.closest('aside')) : undefined;
    return target.closest<HTMLElement>(CARD) ?? (shown ? cardOf(idOf(shown) ?? '') : null);
  }

  typed(token: string, field: HTMLTextAreaElement): void {
    const card = field.closest<HTMLElement>(CARD);
    const approval = card?.dataset['approval'];
    const request = card ? idOf(card) : undefined;
    const session = field.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView'];
    if (approval !== undefined) this.#tokens.push({ token, on: 'approval', id: approval });
    else if (request !== undefined) this.#tokens.push({ token, on: 'request', id: request });
    else if (session !== undefined) this.#tokens.push({ token, on: 'message', id: session });
    this.#acted = field.closest('aside') !== null;
  }

  /** Fails if anything has gone wrong so far. */
  check(): void {
    this.#tokens = this.#tokens.filter((token) => this.#isKept(token));
    for (const fields of document.getElementsByTagName('fieldset')) this.#noteFields(fields);
    if (this.#broken.length > 0) throw new Error(this.#broken.join('\n'));
  }

  /** Checks that the transcript in view shows the drafts of requests that others ended. */
  checkLeftWords(session: string): void {
    const left = [...document.querySelectorAll('[data-session-view] .left .words')].map((one) => one.textContent ?? '');
    for (const { token, on, id } of this.#tokens) {
      const request = this.#model.known(id);
      if (on !== 'request' || request?.session !== session || draftFate(request) !== 'words_stay') continue;
      const shown = left.filter((text) => text.includes(token));
      expect(shown, `${token}, left of ${id}`).toHaveLength(1);
    }
  }

  /** Whether a text is still a draft, which must hold it. */
  #isKept({ token, on, id }: Token): boolean {
    const state = this.store?.state;
    if (!state) return true;
    const request = this.#model.known(id);
    const draft = { message: state.messages[id], approval: state.decisions[id], request: state.drafts[id] }[on];
    const isThere = JSON.stringify(draft ?? '').includes(token);
    // The reply to a message may still be pending, so the composer may keep the text for a moment.
    if (on === 'message' && (this.#model.said[id] ?? []).some((text) => text.includes(token))) return isThere;
    if (on === 'approval' && this.#model.approval(id).state.state === 'decided') return false;
    if (on === 'request' && request && draftFate(request) === 'goes') return false;
    const isKnown = on !== 'request' || request !== null;
    this.#breaks(`${token}, written to ${id}, is lost`, isThere && isKnown);
    return isKnown;
  }

  #noteFields(fields: HTMLElement): void {
    const card = fields.closest<HTMLElement>(CARD);
    const request = this.#model.known((card && idOf(card)) ?? '');
    const question = request?.questions.find(({ id }) => id === fields.dataset['question']);
    if (request && question) this.#shown.set(`${request.id} ${question.id}`, answerIn(fields, question));
  }

  #hear(command: CommandName, input: unknown): void {
    const unasked = `nobody asked for ${command} ${JSON.stringify(input)}`;
    const { id } = input as { id: string };
    const isAllowed = this.#allowed.includes(`${command} ${id}`);
    switch (command) {
      case 'answer_question':
        this.#breaks(unasked, isAllowed);
        this.#refuseEarly(id, 'an answer');
        this.#answered.add(id);
        this.#compare(id, (input as Input<'answer_question'>).answers);
        return;
      case 'hold_end': {
        const { end } = input as Input<'hold_end'>;
        const asked = end.end === 'answered' ? `${id} ${inBrief(end.answers)}` : skipOf(id, end.end === 'declined' ? end.words : undefined);
        this.#breaks(unasked, this.#take(asked));
        return;
      }
      case 'decline_question': {
        const { words } = input as Input<'decline_question'>;
        this.#take(skipOf(id, words));
        this.#breaks(unasked, isAllowed && wordsOf(id) === words);
        return;
      }
      case 'cancel_question':
        this.#take(skipOf(id, undefined));
        this.#breaks(unasked, isAllowed);
        return;
      case 'dismiss_request':
      case 'retry_delivery':
        this.#breaks(unasked, isAllowed);
        return;
      case 'decide_approval': {
        const options = (input as Input<'decide_approval'>).decision.options.join();
        this.#breaks(unasked, this.#allowed.includes(`${command} ${id} ${options}`));
        return;
      }
      case 'send_message':
      case 'queue_message': {
        const { session, text, closes = [] } = input as Input<'send_message'>;
        if (this.#allowed.includes(`again ${session}`) && closes.length === 0) return;
        const shown = document.querySelector<HTMLTextAreaElement>(`[data-session-view="${session}"] [data-composer]`)?.value;
        const reply = this.#replies.get(session);
        const isAsked = this.#allowed.includes(`says ${session}`) || (reply !== undefined && Date.now() >= reply.until);
        this.#breaks(unasked, isAsked && (shown ?? this.store?.state.messages[session]) === text);
        this.#breaks(
          `nobody was told of what is closed: ${unasked}`,
          closes.every((one) => reply?.closes.includes(one)),
        );
      }
    }
  }

  #checkSent({ request, end }: HeldEnd): void {
    this.#undoableSent = true;
    // A pending undo may come too late.
    if (end.end === 'answered' && (this.#model.undoing.get(request) ?? 0) === 0) this.#compare(request, end.answers);
  }

  /** Compares what is sent with the answers that a request's card shows, or showed when each question was last visible. */
  #compare(id: string, sent: readonly AnswerInput[]): void {
    const card = cardOf(id);
    const answers = (this.#model.known(id)?.questions ?? []).map((question) => {
      const fields = card?.querySelector<HTMLElement>(`fieldset[data-question="${question.id}"]`);
      return fields ? answerIn(fields, question) : (this.#shown.get(`${id} ${question.id}`) ?? null);
    });
    [...(card?.querySelectorAll('[data-summary] li') ?? [])].forEach((row, index) => {
      const { chosen = [], other = null } = answers[index] ?? {};
      const parts = [...row.querySelectorAll('.part')].map((part) => part.textContent);
      const isTold = parts.length === chosen.length + (other === null ? 0 : 1) && (other === null || parts.includes(other));
      this.#breaks(`the summary of ${id} says ${JSON.stringify(parts)} for ${JSON.stringify(answers[index])}`, isTold);
    });
    const [shown, told] = [inBrief(answers.flatMap((answer) => answer ?? [])), inBrief(sent)];
    this.#breaks(`${id} showed ${shown} and sent ${told}`, shown === told);
  }
}

/** The answer in the visible fields of a question; null if it is unanswered. */
function answerIn(fields: HTMLElement, question: Question): AnswerInput | null {
  const texts = [...fields.getElementsByTagName('textarea')];
  const textOf = (isNote: boolean) => texts.find((field) => (field.closest('[data-note]') !== null) === isNote)?.value ?? '';
  const orNull = (text: string) => (text.trim() === '' ? null : text);
  const checked = [...fields.getElementsByTagName('input')].filter((input) => input.checked).map(({ value }) => value);
  const chosen = checked.filter((value) => value !== 'other');
  const other = orNull(question.kind === 'text' || checked.includes('other') ? textOf(false) : '');
  return chosen.length === 0 && other === null ? null : { question: question.id, chosen, other, note: orNull(textOf(true)) };
}

const inBrief = (answers: readonly AnswerInput[]) =>
  JSON.stringify(answers.map(({ question, chosen, other, note }) => [question, [...chosen].sort(), other, note]));

/** A skip with the message that its form showed; without a form, the message is undefined. */
const skipOf = (request: string, words: string | null | undefined) => `${request} is skipped with ${JSON.stringify(words)}`;

function wordsOf(id: Request['id']): string | null | undefined {
  const said = cardOf(id)?.querySelector<HTMLTextAreaElement>('.decline textarea')?.value;
  return said?.trim() === '' ? null : said;
}

const idOf = (card: HTMLElement) => card.dataset['card'] ?? card.dataset['missed'] ?? card.dataset['kept'];

function cardOf(id: Request['id']): HTMLElement | null {
  return cards().find((card) => (isQuestion(card) && card.dataset['card'] === id) || card.dataset['missed'] === id) ?? null;
}

/** The visible cards with answers. Found by class, which is fast enough for every step. */
function cards(): HTMLElement[] {
  return [...document.getElementsByClassName('card'), ...document.getElementsByClassName('missed')] as HTMLElement[];
}

function isQuestion(card: HTMLElement): boolean {
  return card.classList.contains('card') && 'card' in card.dataset && !('approval' in card.dataset);
}

export function openDialog(): HTMLDialogElement | null {
  return [...document.getElementsByTagName('dialog')].find((dialog) => dialog.open) ?? null;
}

function inSession(target: Element, what: 'says' | 'again'): Allowed {
  return [`${what} ${target.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView']}`];
}

/** What a click may send, given the text of the control. */
function allowedByClick(control: HTMLElement): Allowed {
  const button = control.closest<HTMLElement>('button');
  const words = button?.textContent?.trim() ?? '';
  const decided = button?.closest<HTMLElement>('[data-approval]');
  const approval = decided?.dataset['approval'];
  if (decided && approval !== undefined) {
    // Identical permission requests are decided together, each by a command of its own.
    const same = [...decided.querySelectorAll<HTMLElement>('[data-same][data-state=open]')].flatMap((one) => one.dataset['same'] ?? []);
    const approvals = same.length > 1 ? same : [approval];
    const denies = [plural('approval.deny_all', approvals.length), t('approval.deny_send')].includes(words);
    const option = words === plural('approval.allow_all', approvals.length) ? 'allow' : 'deny';
    return option === 'allow' || denies ? approvals.map((id) => `decide_approval ${id} ${option}`) : [];
  }
  if (button?.matches('[data-send], [data-steer], [data-reply]')) return inSession(button, 'says');
  if (button?.matches('[data-turn-again]')) return inSession(button, 'again');
  const card = button?.closest<HTMLElement>(`${CARD}, [data-kept]`);
  const request = card ? idOf(card) : undefined;
  if (!button || request === undefined) return [];
  if (button.matches('[data-submit]')) return [`answer_question ${request}`];
  const skips = [t('question.decline'), t('question.decline_all'), t('undo.skip_now')].includes(words);
  if (skips) return [`${button.matches('.danger') ? 'decline_question' : 'cancel_question'} ${request}`];
  if (button.matches('.danger')) return [];
  if ([t('missed.dismiss'), t('missed.dismiss_yes'), t('kept.give_up')].includes(words)) return [`dismiss_request ${request}`];
  return words === t('delivery.retry') ? [`retry_delivery ${request}`] : [];
}

function named(element: Element | null): string {
  if (!element) return 'nowhere';
  const about = element.closest<HTMLElement>(CARD);
  return `${element.tagName.toLowerCase()}${element.id === '' ? '' : `#${element.id}`} ${(about && idOf(about)) ?? ''}`.trim();
}
