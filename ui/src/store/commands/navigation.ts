import { tick } from 'svelte';

import { unanswered } from '../../entities/request/answerDraft';
import { isMissed } from '../../entities/request/requestStatus';
import type { Approval, Request, RequestId, SessionId } from '../../generated/wire';
import { closeDialogs } from '../../shared/dialogs';
import type { FocusTargets } from '../../shared/focusTargets';
import { nextWaiting, waitingCursor } from '../inbox';
import type { Direction } from '../place';
import { draftOf, keyOfRequest, sessionInView } from '../select';
import type { Store } from '../store.svelte';
import type { DeepLinkTarget } from '../sync/deepLinks';
import type { HistoryCommands } from './history';

/** Navigation that the user asked for. */
export class NavigationCommands {
  constructor(
    private readonly store: Store,
    private readonly history: HistoryCommands,
    private readonly focusTargets: FocusTargets,
  ) {}

  /** Goes back or forward, and loads what the new place shows. */
  async step(direction: Direction): Promise<void> {
    this.store.dispatch({ type: 'stepped', direction, at: Date.now() });
    void this.history.resume();
    await tick();
    if (sessionInView(this.store.state)) this.focusTargets.focusSession();
  }

  /** Shows a session and focuses its message field. */
  async showSession(session: SessionId): Promise<void> {
    this.store.dispatch({ type: 'session_selected', session });
    await tick();
    this.focusTargets.focusSession();
  }

  /** Shows a request in the panel of its session. */
  async showRequest(request: Request): Promise<void> {
    const { dispatch } = this.store;
    dispatch({ type: 'session_selected', session: request.session });
    dispatch({ type: 'item_picked', session: request.session, item: keyOfRequest(request) });
    if (isMissed(request)) dispatch({ type: 'missed_folded', request: request.id, open: true });
    await tick();
    this.focusTargets.focusCard(request.id);
  }

  /** Shows an approval in the panel of its session, without deciding anything. */
  async showApproval(approval: Approval): Promise<void> {
    this.#showPanel(approval);
    await tick();
    this.focusTargets.focusCard(approval.id);
  }

  /** Shows the next waiting question of any session, after the focused one or the one shown last. */
  async showNextWaiting(focused: RequestId | null): Promise<void> {
    const { state } = this.store;
    const next = nextWaiting(state, waitingCursor(state, focused));
    if (!next) return;
    const shown = this.#showUnanswered(next);
    this.store.dispatch({ type: 'waiting_shown', request: next });
    await shown;
  }

  /** Shows the target of a deep link. Approvals never get the focus. */
  async follow(target: DeepLinkTarget): Promise<void> {
    closeDialogs();
    if ('request' in target) await this.#showUnanswered(target.request);
    else if ('approval' in target) this.#showPanel(target.approval);
    else if ('view' in target) await this.#showQuestions();
    else this.store.dispatch({ type: 'session_selected', session: target.session.id });
  }

  /** Shows the part of History with the plots. */
  async #showQuestions(): Promise<void> {
    this.store.dispatch({ type: 'history_part_shown', part: 'questions' });
    await this.history.open();
  }

  /** Shows a request at its first unanswered question. */
  async #showUnanswered(request: Request): Promise<void> {
    const [first] = unanswered(request, draftOf(this.store.state, request.id));
    // If all questions are answered, the visible question stays the same.
    if (first && request.state.state === 'open') {
      const index = request.questions.indexOf(first);
      this.store.dispatch({ type: 'question_shown', request: request.id, index });
    }
    await this.showRequest(request);
  }

  #showPanel({ session, id }: Approval): void {
    this.store.dispatch({ type: 'session_selected', session });
    this.store.dispatch({ type: 'item_picked', session, item: `approval ${id}` });
  }
}
