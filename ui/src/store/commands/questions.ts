import { toInputs } from '../../entities/request/answerDraft';
import type { Request, RequestId } from '../../generated/wire';
import { draftOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import { submitKey, type Submitter } from '../submit';
import { outdatedAnswers } from '../undoWindow';

export class QuestionCommands {
  /** The pending hold and undo commands of each request; they run one at a time. */
  readonly #turns = new Map<RequestId, Promise<void>>();

  constructor(private readonly store: Store, private readonly submitter: Submitter) {}

  get isBusy(): boolean {
    return this.#turns.size > 0;
  }

  answer(request: Request): Promise<boolean> {
    const { id } = request;
    const body = { id, answers: toInputs(request, draftOf(this.store.state, id)) };
    return this.#end(this.submitter.submit(submitKey.request(id), 'answer_question', body));
  }

  /** Answers a lone question after a delay in which the user can undo it. */
  holdAnswer(request: Request): void {
    const { id } = request;
    const answers = toInputs(request, draftOf(this.store.state, id));
    const body = { id, end: { end: 'answered' as const, answers } };
    const hold = () => this.submitter.submit(submitKey.undoable(id), 'hold_end', body);
    this.#inTurn(id, hold, () => this.#undoOvertaken());
  }

  /** Takes back an answer before it is sent. */
  undo({ id }: Request): void {
    this.#inTurn(id, () => this.submitter.submitReported(submitKey.undoable(id), 'undo_end', { id }));
  }

  /** Undoes answers that the user has changed since. */
  readonly react = (before: State, after: State): void => {
    if (after.undoable !== before.undoable || after.drafts !== before.drafts) this.#undoOvertaken();
  };

  #undoOvertaken(): void {
    // If a newer answer is already being held, it replaces the previous one.
    for (const request of outdatedAnswers(this.store.state)) if (!this.#turns.has(request.id)) this.undo(request);
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
    const { words } = draftOf(this.store.state, id);
    const body = { id, words: words.trim() === '' ? null : words };
    return this.#end(this.submitter.submit(submitKey.request(id), 'decline_question', body));
  }

  cancel({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit(submitKey.request(id), 'cancel_question', { id, reason: null }));
  }

  /** Dismisses a missed request, or discards an undelivered answer. */
  dismiss({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit(submitKey.request(id), 'dismiss_request', { id }));
  }

  retryDelivery({ id }: Request): Promise<boolean> {
    return this.#end(this.submitter.submit(submitKey.request(id), 'retry_delivery', { id }));
  }

  async #end(sent: Promise<Request | null>): Promise<boolean> {
    const request = await sent;
    if (request?.state.state === 'ended') this.store.dispatch({ type: 'request_ended', request });
    return request !== null;
  }
}
