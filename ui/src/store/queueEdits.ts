import type { Session } from '../generated/wire';
import { withoutKey } from './records';
import type { State } from './state';

/** If a queued message is sent while the user edits it, the unsent edit moves to the composer. */
export function rescueQueueEdits(state: State, before: Session | undefined, after: Session): State {
  const gone = (before?.queue ?? []).filter(
    (message) => message.id in state.queueEdits && !after.queue.some((other) => other.id === message.id),
  );
  return gone.reduce((next, message) => {
    const words = next.queueEdits[message.id] ?? '';
    const queueEdits = withoutKey(next.queueEdits, message.id);
    if (words === message.text) return { ...next, queueEdits };
    const text = [next.messages[after.id] ?? '', words].filter((part) => part !== '').join('\n');
    return { ...next, queueEdits, messages: { ...next.messages, [after.id]: text } };
  }, state);
}
