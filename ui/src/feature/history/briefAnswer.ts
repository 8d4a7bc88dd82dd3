import { linesOfAnswers } from '../../entities/request/answerLines';
import { missedWords, wordsOfEnd } from '../../entities/request/outcomeWords';
import type { Ended, PastQuestion } from '../../generated/wire';
import { t } from '../../shared/messages';
import { cutText } from '../../shared/text';
import { visibly } from '../../shared/visible';

/** The maximum length of an answer on one line, in graphemes. */
const SHOWN = 200;

/** The answer on one line; for another outcome, what was said or why it ended. Empty if the outcome says it all. */
export function briefAnswer(past: PastQuestion, ended: Ended): string {
  return visibly(cutText(whole(past, ended), SHOWN));
}

function whole({ request, origin }: PastQuestion, { outcome, delivery }: Ended): string {
  switch (outcome.outcome) {
    case 'answered':
      return linesOfAnswers(request, outcome.answers)
        .flatMap(({ parts }) => parts)
        .join(' · ');
    case 'declined':
      return outcome.words ?? '';
    case 'replied_in_chat':
      return outcome.text;
    case 'expired':
      return '';
    case 'withdrawn':
      // The agent was told, so it counts as skipped.
      if (outcome.why.why === 'canceled' && delivery !== null) return outcome.why.reason ?? '';
      return wordsOfEnd(outcome, request, origin).words;
    case 'orphaned':
      if (outcome.why !== 'caller_gone') return t(missedWords[outcome.why]);
      return t('connected_app.stopped_waiting', { client: request.askedBy ?? t('connected_app.unnamed') });
  }
}
