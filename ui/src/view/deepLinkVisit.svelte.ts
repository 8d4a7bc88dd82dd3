import type { Request, RequestId } from '../generated/wire';
import { isDialogOpen } from '../shared/dialogs';
import type { Page } from '../store/page';
import { openApprovals, openRequests, requestOf, sessionInView } from '../store/select';

/**
 * Watches a user who followed a deep link to a question. Once they have ended it and everything else waiting in its
 * session, and have done nothing else, the app is notified. If the user came by keyboard, the app then returns the
 * focus to the previous app.
 */
export class DeepLinkVisit {
  readonly #page: Page;
  #end: (() => void) | null = null;

  constructor(page: Page) {
    this.#page = page;
  }

  begin(request: Request): void {
    this.end();
    const elsewhere = (event: Event) => {
      if (!isInPanel(event.target)) this.end();
    };
    const end = () => this.end();
    window.addEventListener('keydown', elsewhere, true);
    window.addEventListener('pointerdown', elsewhere, true);
    window.addEventListener('blur', end);
    const unwatch = $effect.root(() => {
      /** The requests that were open at the previous run. */
      let waited: readonly RequestId[] = [];
      $effect(() => {
        const { state } = this.#page.store;
        if (sessionInView(state)?.id !== request.session) return this.end();
        const waits = openRequests(state, request.session).map(({ id }) => id);
        const permissions = openApprovals(state, request.session);
        const ended = waited;
        waited = waits;
        if (waits.length > 0 || permissions.length > 0) return;
        this.end();
        const byUser = ended.length > 0 && ended.every((id) => isEndedHere(requestOf(state, id)));
        if (byUser && document.hasFocus() && !isDialogOpen()) {
          void this.#page.commands.window.deepLinkAnswered(request.id);
        }
      });
    });
    this.#end = () => {
      window.removeEventListener('keydown', elsewhere, true);
      window.removeEventListener('pointerdown', elsewhere, true);
      window.removeEventListener('blur', end);
      unwatch();
    };
  }

  /** The user did something else, so the focus stays here whatever they answer next. */
  end(): void {
    this.#end?.();
    this.#end = null;
  }
}

/** Without a focused element, keys apply to the question that the user is working on. */
function isInPanel(target: EventTarget | null): boolean {
  const nowhere = target === document.body || target === document.documentElement;
  return nowhere || (target instanceof Element && target.closest('aside') !== null);
}

/** Whether the user ended the request other than by a message: a user who writes is still working in the window. */
function isEndedHere(request: Request | null): boolean {
  if (request?.state.state !== 'ended') return false;
  const { outcome } = request.state;
  const canceled = outcome.outcome === 'withdrawn' && outcome.why.why === 'canceled';
  return outcome.outcome === 'answered' || outcome.outcome === 'declined' || canceled;
}
