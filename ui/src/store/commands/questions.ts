import { type Draft, toInputs } from '../../entities/request/answerDraft';
import type { EndInput, Request, RequestId } from '../../generated/wire';
import { draftOf } from '../select';
import type { State } from '../state';
import type { Store } from '../store.svelte';
import { type Body, submitKey, type Submitter } from '../submit';
import { answeredInstead, outdatedEnds } from '../undoWindow';

type EndsRequest = 'answer_question' | 'decline_question' | 'cancel_question' | 'dismiss_request' | 'retry_delivery';

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
    return this.end('answer_question', { id, answers: toInputs(request, draftOf(this.store.state, id)) });
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
    return this.end('decline_question', { id, words: wordsOf(draftOf(this.store.state, id)) });
  }

  /** Sends what ends a request, or ends what is left of it; returns whether the app accepted it. */
  async end<C extends EndsRequest>(command: C, body: Body<C>): Promise<boolean> {
    const request = await this.submitter.submit(command, body);
    if (request?.state.state === 'ended') this.store.dispatch({ type: 'request_ended', request });
    return request !== null;
  }
}

function wordsOf({ words }: Draft): string | null {
  return words.trim() === '' ? null : words;
}
