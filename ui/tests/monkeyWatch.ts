import { expect } from 'vitest';

import type { AnswerInput, Question, Request, HeldEnd } from '../src/generated/wire';
import type { CommandName, Input } from '../src/platform/bridge';
import { arming } from '../src/shared/arming';
import { plural, t } from '../src/shared/messages';
import { draftFate } from '../src/store/draftStorage';
import type { HeldReply } from '../src/store/parts/unsent';
import type { Store } from '../src/store/store.svelte';
import type { ModelApp } from '../src/testing/modelApp';

const CARD = '[data-card], [data-missed]';

/** What the user's action in this step may send, given what was visible before it. */
interface Allowed {
  answers: string | null;
  hold: { request: string; option: string } | null;
  declines: string | null;
  /** Skip, dismiss, or retry. */
  ends: { command: CommandName; request: string } | null;
  /** Identical permission requests are decided together, each by a command of its own. */
  decides: { approvals: readonly string[]; option: string } | null;
  says: string | null;
  /** Sends the message of a failed turn of this session again. */
  again: string | null;
}

const NOTHING: Allowed = { answers: null, hold: null, declines: null, ends: null, decides: null, says: null, again: null };

/** A skip with the message that its form showed; without a form, the message is undefined. */
interface Skip {
  request: string;
  words: string | null | undefined;
}

/** A typed text, and the draft that it belongs to. */
interface Token {
  token: string;
  on: { kind: 'request' | 'approval' | 'message'; id: string };
}

/** Checks after every step that no text was lost, nothing was sent unasked, no focus was taken, and no error occurred. */
export class Watch {
  store: Store | null = null;
  readonly #model: ModelApp;
  #allowed: Allowed | null = null;
  /** Requested quick answers that weren't sent to the app yet. */
  #holds: { request: string; option: string }[] = [];
  /** The skips that the user asked for and that no command has carried out yet; an earlier command about the request may hold one up. */
  #skips: Skip[] = [];
  /** The answer that each question showed when it was last visible. */
  readonly #shown = new Map<string, AnswerInput | null>();
  /** Whether the user's last action was in the panel. */
  #inPanel = false;
  #tokens: Token[] = [];
  /** Texts whose request or approval was ended by others. */
  #left: Token[] = [];
  readonly #broken: string[] = [];
  readonly #stop: () => void;

  constructor(model: ModelApp) {
    this.#model = model;
    model.onCommand = (command, input) => this.#hear(command, input);
    model.onUndoableSent = (answer) => this.#checkSent(answer);
    const { error } = console;
    console.error = (...told: unknown[]) => void this.#broken.push(`console.error: ${told.map(String).join(' ')}`);
    const thrown = (event: ErrorEvent) => void this.#broken.push(`an exception: ${event.message}`);
    const rejected = (reason: unknown) => void this.#broken.push(`an unhandled rejection: ${String(reason)}`);
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
    this.#stop = () => {
      console.error = error;
      views.disconnect();
      document.removeEventListener('change', changed, true);
      window.removeEventListener('error', thrown);
      process.off('unhandledRejection', rejected);
    };
  }

  close(): void {
    this.#stop();
  }

  /** Runs an action of the user; only during one may anything be sent. */
  async during(act: () => Promise<void>): Promise<void> {
    this.#allowed = NOTHING;
    await act();
    await new Promise((resolve) => setImmediate(resolve));
    this.#noteReplies();
    this.#chose.clear();
    if (this.#item?.isConnected) this.#broken.push(`the open menu doesn't take ${this.#item.textContent}`);
    this.#item = null;
    this.#allowed = null;
    const { activeElement } = document;
    this.#inPanel = this.#acted || (activeElement === document.body ? this.#inPanel : activeElement?.closest('aside') != null);
    this.#acted = false;
  }

  /** What each card shows, and when that came by itself: with the card, or by a choice. */
  #views = new Map<string, { view: string; since: number }>();
  /** The requests in which this step has chosen something. */
  readonly #chose = new Set<string>();
  /** The item of an open menu that this step clicks. */
  #item: HTMLElement | null = null;

  #noteViews(): void {
    this.#views = new Map(
      cards()
        .filter(isQuestion)
        .map((card) => {
          const id = card.dataset['card'] ?? '';
          const view = card.querySelector('fieldset')?.dataset['question'] ?? 'summary';
          const before = this.#views.get(id);
          const since = before && !this.#chose.has(id) ? -Infinity : Date.now();
          return [id, before?.view === view ? before : { view, since }];
        }),
    );
  }

  #refuseEarly(id: string, what: string): void {
    const since = this.#views.get(id)?.since ?? -Infinity;
    if (Date.now() - since < arming.delay) this.#broken.push(`${what} in ${id}, ${Date.now() - since} ms after that came by itself`);
  }

  #acted = false;
  /** The reply in chat of each session that was held last, as the composer told the user. */
  readonly #replies = new Map<string, HeldReply>();

  #noteReplies(): void {
    for (const [session, reply] of Object.entries(this.store?.state.replies ?? {})) {
      if (this.#replies.get(session) === reply) continue;
      if (this.#allowed?.says !== session) this.#broken.push(`nobody asked to hold ${JSON.stringify(reply)} in ${session}`);
      this.#replies.set(session, reply);
    }
  }

  /** Runs something that isn't an action of the user, so it must not move the focus. */
  async quietly(happen: () => Promise<void>): Promise<void> {
    const before = document.activeElement;
    const { settled } = this.#model;
    const card = before?.closest<HTMLElement>('[data-card]')?.dataset['card'];
    this.#undoableSent = false;
    await happen();
    const after = document.activeElement;
    if (after === before) return;
    const nowhere = before === null || before === document.body || !before.isConnected;
    if (nowhere && (after === null || after === document.body)) return;
    // An earlier action of the user has finished and restored the focus.
    if (nowhere && (this.#model.settled > settled || this.#undoableSent)) return;
    // The card of an answer that the user has sent is removed with the focus.
    if (nowhere && card !== undefined && this.#answered.has(card)) return;
    this.#broken.push(`the focus went by itself from ${named(before)} to ${named(after)}`);
  }

  #undoableSent = false;
  /** Requests that the user has answered. */
  readonly #answered = new Set<string>();

  expectClick(control: HTMLElement): void {
    this.#acted = control.closest('aside') !== null;
    this.#allowed = allowedByClick(control);
    this.#item = control.closest('[role=menuitem]');
    this.#noteSkip();
  }

  expectKey(key: string, target: Element): void {
    this.#acted = target.closest('aside') !== null;
    this.#allowed = this.#allowedByKey(key, target);
    const { hold } = this.#allowed;
    if (hold) this.#holds.push(hold);
    this.#noteSkip();
  }

  #noteSkip(): void {
    const { declines, ends } = this.#allowed ?? NOTHING;
    if (declines !== null) this.#skips.push({ request: declines, words: wordsOf(declines) });
    else if (ends?.command === 'cancel_question') this.#skips.push({ request: ends.request, words: undefined });
  }

  #takeSkip(request: string, words: Skip['words']): boolean {
    const asked = this.#skips.findIndex((skip) => skip.request === request && skip.words === words);
    this.#skips = this.#skips.filter((_, index) => index !== asked);
    return asked >= 0;
  }

  #allowedByKey(key: string, target: Element): Allowed {
    const button = target.closest<HTMLElement>('button');
    // Browsers also click a button if Shift is held.
    const onButton = button && (key === '{Enter}' || key === ' ' || key === '{Shift>}{Enter}{/Shift}') ? allowedByClick(button) : NOTHING;
    if (openDialog()) return NOTHING;
    if (target.matches('[data-composer]')) {
      const session = target.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView'] ?? null;
      return { ...NOTHING, says: key === '{Enter}' || key === '{Control>}{Enter}{/Control}' ? session : null };
    }
    // In the form of a skip or a denial with a message, the keys press its own button.
    const sends =
      key === '{Control>}{Enter}{/Control}' ? target.closest(CARD)?.querySelector<HTMLElement>('[data-foot] button.danger') : null;
    if (sends && target.matches('textarea')) return allowedByClick(sends);
    const card = this.#cardOf(target);
    const request = card && (isQuestion(card) || isMissed(card)) ? (card.dataset['card'] ?? card.dataset['missed'] ?? null) : null;
    if (!card || request === null) return onButton;
    if (key === '{Control>}{Enter}{/Control}') return { ...onButton, answers: request };
    const ownButton = button !== null && !button.matches('[data-submit]');
    if (key === '{Enter}') return ownButton ? onButton : { ...onButton, answers: request };
    const isField = target.matches('textarea, input:not([type=radio], [type=checkbox])');
    const option =
      /^[1-9]$/.test(key) && !isField && card.matches('[data-card]')
        ? card.querySelectorAll<HTMLElement>('fieldset [data-option]')[Number(key) - 1]
        : null;
    const chosen = option?.dataset['option'];
    return chosen !== undefined && chosen !== 'other' ? { ...NOTHING, hold: { request, option: chosen } } : onButton;
  }

  /** The card that receives a key: the focused one, otherwise the one in the panel if the user is in the panel. */
  #cardOf(target: Element): HTMLElement | null {
    const card = target.closest<HTMLElement>(CARD);
    if (card) return card;
    const shown = this.#panelShown();
    const inPanel = target.closest('aside') !== null || (target === document.body && this.#inPanel);
    return inPanel && shown !== null ? cardOf(shown) : null;
  }

  #panelShown(): string | null {
    return cards().find((card) => isQuestion(card) && card.closest('aside'))?.dataset['card'] ?? null;
  }

  typed(token: string, field: HTMLTextAreaElement): void {
    const card = field.closest<HTMLElement>(CARD);
    const approval = card?.dataset['approval'];
    const request = card?.dataset['card'] ?? card?.dataset['missed'];
    const session = field.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView'];
    if (approval !== undefined) this.#tokens.push({ token, on: { kind: 'approval', id: approval } });
    else if (request !== undefined) this.#tokens.push({ token, on: { kind: 'request', id: request } });
    else if (session !== undefined) this.#tokens.push({ token, on: { kind: 'message', id: session } });
    this.#acted = field.closest('aside') !== null;
  }

  /** Fails if anything has gone wrong so far. */
  check(): void {
    this.#checkTexts();
    this.#noteShown();
    if (this.#broken.length > 0) throw new Error(this.#broken.join('\n'));
  }

  /** Checks that the transcript in view shows the drafts of requests that others ended. */
  checkLeftWords(session: string): void {
    const left = [...document.querySelectorAll('[data-session-view] .left .words')].map((one) => one.textContent ?? '');
    for (const { token, on } of this.#left) {
      const request = this.#model.known(on.id);
      if (on.kind !== 'request' || request?.session !== session || draftFate(request) !== 'words_stay') continue;
      expect(
        left.filter((text) => text.includes(token)),
        `${token}, left of ${on.id}`,
      ).toHaveLength(1);
    }
  }

  #checkTexts(): void {
    const state = this.store?.state;
    if (!state) return;
    this.#tokens = this.#tokens.filter(({ token, on }) => {
      if (on.kind === 'message') {
        const said = (this.#model.said[on.id] ?? []).some((text) => text.includes(token));
        const kept = (state.messages[on.id] ?? '').includes(token);
        // The reply may still be pending, so the composer may keep the text for a moment.
        if (said) return kept;
        if (!kept) this.#broken.push(`${token}, written to ${on.id}, is lost`);
        return true;
      }
      if (on.kind === 'approval') {
        const approval = this.#model.approval(on.id);
        if (approval.state.state === 'decided') return false;
        if (!JSON.stringify(state.decisions[on.id] ?? '').includes(token)) {
          this.#broken.push(`${token}, written to ${on.id}, is lost`);
        }
        return true;
      }
      const request = this.#model.known(on.id);
      if (!request) this.#broken.push(`${on.id} is lost`);
      if (!request || draftFate(request) === 'goes') return false;
      if (!JSON.stringify(state.drafts[on.id] ?? '').includes(token)) {
        this.#broken.push(`${token}, written to ${on.id}, is lost`);
      }
      return true;
    });
    this.#left = this.#tokens;
  }

  #noteShown(): void {
    for (const fields of document.getElementsByTagName('fieldset')) this.#noteFields(fields);
  }

  #noteFields(fields: HTMLElement): void {
    const card = fields.closest<HTMLElement>(CARD);
    const request = this.#model.known(card?.dataset['card'] ?? card?.dataset['missed'] ?? '');
    const question = request?.questions.find(({ id }) => id === fields.dataset['question']);
    if (request && question) this.#shown.set(`${request.id} ${question.id}`, answerIn(fields, question));
  }

  #hear(command: CommandName, input: unknown): void {
    const told = JSON.stringify(input);
    switch (command) {
      case 'answer_question': {
        const { id, answers } = input as Input<'answer_question'>;
        if (this.#allowed?.answers !== id) this.#broken.push(`nobody asked for ${command} ${told}`);
        this.#refuseEarly(id, 'an answer');
        this.#answered.add(id);
        const shown = this.#shownAnswers(id);
        if (!same(shown, answers)) this.#broken.push(`${id} showed ${JSON.stringify(shown)} and sent ${JSON.stringify(answers)}`);
        return;
      }
      case 'hold_end': {
        const { id, end } = input as Input<'hold_end'>;
        if (end.end !== 'answered') {
          if (!this.#takeSkip(id, end.end === 'declined' ? end.words : undefined)) this.#broken.push(`nobody asked for ${command} ${told}`);
          return;
        }
        const { answers } = end;
        const asked = this.#holds.findIndex(
          ({ request, option }) => same([{ question: 'q1', chosen: [option], other: null, note: null }], answers) && request === id,
        );
        if (asked < 0) this.#broken.push(`nobody asked for ${command} ${told}`);
        this.#holds = this.#holds.filter((_, index) => index !== asked);
        return;
      }
      case 'decline_question': {
        const { id, words } = input as Input<'decline_question'>;
        this.#takeSkip(id, words);
        if (this.#allowed?.declines !== id || wordsOf(id) !== words) this.#broken.push(`nobody asked for ${command} ${told}`);
        return;
      }
      case 'cancel_question':
      case 'dismiss_request':
      case 'retry_delivery': {
        const { id } = input as { id: string };
        if (command === 'cancel_question') this.#takeSkip(id, undefined);
        const { ends } = this.#allowed ?? NOTHING;
        if (ends?.command !== command || ends.request !== id) this.#broken.push(`nobody asked for ${command} ${told}`);
        return;
      }
      case 'decide_approval': {
        const { id, decision } = input as Input<'decide_approval'>;
        const { decides } = this.#allowed ?? NOTHING;
        if (!decides?.approvals.includes(id) || decision.options.join() !== decides.option) {
          this.#broken.push(`nobody asked for ${command} ${told}`);
        }
        return;
      }
      case 'send_message':
      case 'queue_message': {
        const { session, text, closes = [] } = input as Input<'send_message'>;
        const shown = document.querySelector<HTMLTextAreaElement>(`[data-session-view="${session}"] [data-composer]`)?.value;
        if (this.#allowed?.again === session && closes.length === 0) return;
        const kept = this.store?.state.messages[session];
        const reply = this.#replies.get(session);
        const asked = this.#allowed?.says === session || (reply !== undefined && Date.now() >= reply.until);
        if (!asked || (shown ?? kept) !== text) this.#broken.push(`nobody asked for ${command} ${told}`);
        if (!closes.every((id) => reply?.closes.includes(id))) this.#broken.push(`nobody was told of what is closed by ${told}`);
      }
    }
  }

  #checkSent(answer: HeldEnd): void {
    this.#undoableSent = true;
    const { request: id, end } = answer;
    if (end.end !== 'answered') return;
    const { answers } = end;
    // A pending undo may come too late.
    if ((this.#model.undoing.get(id) ?? 0) > 0) return;
    const shown = this.#shownAnswers(id);
    if (!same(shown, answers)) this.#broken.push(`${id} showed ${JSON.stringify(shown)} when ${JSON.stringify(answers)} went`);
  }

  /** The answers that a request's card shows, or showed when each question was last visible. */
  #shownAnswers(id: string): AnswerInput[] {
    const card = cardOf(id);
    const answers = (this.#model.known(id)?.questions ?? []).map((question) => {
      const fields = card?.querySelector<HTMLElement>(`fieldset[data-question="${question.id}"]`);
      return fields ? answerIn(fields, question) : (this.#shown.get(`${id} ${question.id}`) ?? null);
    });
    const rows = [...(card?.querySelectorAll('[data-summary] li') ?? [])];
    rows.forEach((row, index) => {
      const answer = answers[index];
      const parts = [...row.querySelectorAll('.part')].map((part) => part.textContent);
      const count = answer ? answer.chosen.length + (answer.other === null ? 0 : 1) : 0;
      const own = answer?.other ?? null;
      if (parts.length !== count || (own !== null && !parts.includes(own))) {
        this.#broken.push(`the summary of ${id} says ${JSON.stringify(parts)} for ${JSON.stringify(answer)}`);
      }
    });
    return answers.flatMap((answer) => answer ?? []);
  }
}

/** The answer in the visible fields of a question; null if it is unanswered. */
function answerIn(fields: HTMLElement, question: Question): AnswerInput | null {
  const texts = [...fields.getElementsByTagName('textarea')];
  const note = texts.find((field) => field.closest('[data-note]'))?.value ?? '';
  const own = texts.find((field) => !field.closest('[data-note]'))?.value ?? '';
  const checked = [...fields.getElementsByTagName('input')].filter((input) => input.checked).map(({ value }) => value);
  const chosen = checked.filter((value) => value !== 'other');
  const words = question.kind === 'text' || checked.includes('other') ? own : '';
  const other = words.trim() === '' ? null : words;
  if (chosen.length === 0 && other === null) return null;
  return { question: question.id, chosen, other, note: note.trim() === '' ? null : note };
}

function same(one: readonly AnswerInput[], other: readonly AnswerInput[]): boolean {
  const told = (answers: readonly AnswerInput[]) =>
    JSON.stringify(answers.map(({ question, chosen, other, note }) => [question, [...chosen].sort(), other, note]));
  return told(one) === told(other);
}

function wordsOf(id: Request['id']): Skip['words'] {
  const said = cardOf(id)?.querySelector<HTMLTextAreaElement>('.decline textarea')?.value;
  return said?.trim() === '' ? null : said;
}

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

function isMissed(card: HTMLElement): boolean {
  return 'missed' in card.dataset;
}

export function openDialog(): HTMLDialogElement | null {
  return [...document.getElementsByTagName('dialog')].find((dialog) => dialog.open) ?? null;
}

/** What a click may send, given the text of the control. */
function allowedByClick(control: HTMLElement): Allowed {
  const button = control.closest<HTMLElement>('button');
  const words = button?.textContent?.trim() ?? '';
  const decided = button?.closest<HTMLElement>('[data-approval]');
  const approval = decided?.dataset['approval'];
  if (decided && approval !== undefined) {
    const same = [...decided.querySelectorAll<HTMLElement>('[data-same][data-state=open]')].flatMap((one) => one.dataset['same'] ?? []);
    const approvals = same.length > 1 ? same : [approval];
    const by = new Map<string, string>([
      [plural('approval.allow_all', approvals.length), 'allow'],
      [plural('approval.deny_all', approvals.length), 'deny'],
      [t('approval.deny_send'), 'deny'],
    ]);
    const option = by.get(words);
    return option ? { ...NOTHING, decides: { approvals, option } } : NOTHING;
  }
  if (button?.matches('[data-send], [data-steer], [data-reply]')) {
    return { ...NOTHING, says: button.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView'] ?? null };
  }
  if (button?.matches('[data-turn-again]')) {
    return { ...NOTHING, again: button.closest<HTMLElement>('[data-session-view]')?.dataset['sessionView'] ?? null };
  }
  const card = button?.closest<HTMLElement>(`${CARD}, [data-kept]`);
  const request = card?.dataset['card'] ?? card?.dataset['missed'] ?? card?.dataset['kept'];
  if (!button || request === undefined) return NOTHING;
  if (button.matches('[data-submit]')) return { ...NOTHING, answers: request };
  const skips = [t('question.decline'), t('question.decline_all'), t('undo.skip_now')].includes(words);
  if (button.matches('.danger')) return skips ? { ...NOTHING, declines: request } : NOTHING;
  if (skips) return { ...NOTHING, ends: { command: 'cancel_question', request } };
  const ends = new Map<string, CommandName>([
    [t('missed.dismiss'), 'dismiss_request'],
    [t('missed.dismiss_yes'), 'dismiss_request'],
    [t('kept.give_up'), 'dismiss_request'],
    [t('delivery.retry'), 'retry_delivery'],
  ]);
  const command = ends.get(words);
  return command ? { ...NOTHING, ends: { command, request } } : NOTHING;
}

function named(element: Element | null): string {
  if (!element) return 'nowhere';
  const about = element.closest<HTMLElement>(CARD);
  const id = about?.dataset['card'] ?? about?.dataset['missed'] ?? '';
  return `${element.tagName.toLowerCase()}${element.id === '' ? '' : `#${element.id}`} ${id}`.trim();
}
