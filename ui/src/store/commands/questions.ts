import { type Draft, toInputs } from '../../entities/request/answerDraft';
import type { EndInput, Request, RequestId } from '../../generated/wire';
import { draftOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';
import { answeredInstead, outdatedEnds } from '../undoWindow';

export class QuestionCommands {
  /** The pending hold and undo commands of each request; they run one at a time. */
  readonly #turns = new Map<RequestId, Promise<void>>();

  constructor(
    private readonly store: Store,
    private readonly submitter: Submitter,
  ) {}

  get isBusy(): boolean {
    return this.#turns.size > 0;
  }

  answer(request: Request): Promise<boolean> {
    const { id } = request;
    const body = { id, answers: toInputs(request, draftOf(this.store.state, id)) };
    return this.#end(this.submitter.submit('answer_question', body));
  }

  /** Answers a lone question after a delay in which the user can undo it. */
  holdAnswer(request: Request): void {
    const answers = toInputs(request, draftOf(this.store.state, request.id));
    this.#hold(request, { end: 'answered', answers });
  }

  /** Skips a request after a delay in which the user can undo it. */
  holdSkip(request: Request): void {
    this.#hold(request, { end: 'canceled' });
  }

  /** Skips a request with the user's message, after a delay in which the user can undo it. */
  holdDecline(request: Request): void {
    this.#hold(request, { end: 'declined', words: wordsOf(draftOf(this.store.state, request.id)) });
  }

  #hold({ id }: Request, end: EndInput): void {
    const hold = () => this.submitter.submit('hold_end', { id, end }, submitKey.undoable(id));
    this.#inTurn(id, hold, () => this.#undoOvertaken());
  }

  /** Takes back an end before it is carried out. */
  undo({ id }: Request): void {
    this.#inTurn(id, () => this.submitter.send('undo_end', { id }, submitKey.undoable(id)));
  }

  /** Undoes ends that no longer fit what the user has chosen or written since. */
  readonly react = (before: State, after: State): void => {
    for (const request of answeredInstead(before, after)) this.undo(request);
    if (after.undoable !== before.undoable || after.drafts !== before.drafts) this.#undoOvertaken();
  };

  #undoOvertaken(): void {
    // If a newer answer is already being held, it replaces the previous one.
    for (const request of outdatedEnds(this.store.state)) if (!this.#turns.has(request.id)) this.undo(request);
  }

  #inTurn(id: RequestId, act: () => Promise<unknown>, afterwards?: () => void): void {
    const mine = (this.#turns.get(id) ?? Promise.resolve()).then(async () => {
      await act();
      if (this.#turns.get(id) !== mine) return;
      this.#turns.delete(id);
      afterwards?.();
    });
    this.#turns.set(id, mine);
  }

  decline({ id }: Request): Promise<boolean> {
    const body = { id, words: wordsOf(draftOf(this.store.state, id)) };
    return this.#end(this.submitter.submit('decline_question', body));
  }

  cancel({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit('cancel_question', { id, reason: null }));
  }

  /** Dismisses a missed request, or discards an undelivered answer. */
  dismiss({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit('dismiss_request', { id }));
  }

  retryDelivery({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit('retry_delivery', { id }));
  }

  async #end(sent: Promise<Request | null>): Promise<boolean> {
    const request = await sent;
    if (request?.state.state === 'ended') this.store.dispatch({ type: 'request_ended', request });
    return request !== null;
  }
}

function wordsOf({ words }: Draft): string | null {
  return words.trim() === '' ? null : words;
}
