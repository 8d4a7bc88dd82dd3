import type { Request, RequestId } from '../generated/wire';
import { isDialogOpen } from '../shared/dialogs';
import type { Page } from '../store/page';
import { openApprovals, openRequests, requestOf, sessionInView } from '../store/select';

/**
 * Watches a person whom a deep link led to a question. Once they have ended it, with whatever else waits in its session,
 * and done nothing else, the app hears of it: it gives the focus back where the person came by keys.
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
      /** What waited when it was last looked. */
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
        const byPerson = ended.length > 0 && ended.every((id) => isEndedHere(requestOf(state, id)));
        if (byPerson && document.hasFocus() && !isDialogOpen()) {
          void this.#page.commands.window.answeredThere(request.id);
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

  /** The person did something else: whatever they end now, they stay. */
  end(): void {
    this.#end?.();
    this.#end = null;
  }
}

/** Where nothing has the focus, keys are for the question the person is at. */
function isInPanel(target: EventTarget | null): boolean {
  const nowhere = target === document.body || target === document.documentElement;
  return nowhere || (target instanceof Element && target.closest('aside') !== null);
}

/** Whether the person ended it, and not by a message: who writes is at work in the window. */
function isEndedHere(request: Request | null): boolean {
  if (request?.state.state !== 'ended') return false;
  const { outcome } = request.state;
  const cancelled = outcome.outcome === 'withdrawn' && outcome.why.why === 'cancelled';
  return outcome.outcome === 'answered' || outcome.outcome === 'declined' || cancelled;
}
