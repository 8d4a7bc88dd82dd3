import { labelIn } from '../../entities/request/questionNames';
import type { HeldEnd, Request } from '../../generated/wire';
import { clock } from '../../shared/clock.svelte';
import { wordsOfDeliveryError } from '../../shared/errors/validationErrorWords';
import { plural, t } from '../../shared/messages';
import type { HeldReply } from '../../store/parts/unsent';
import type { FootStatus } from './footStatus';

function chosenIn(request: Request, held: HeldEnd): string {
  const question = request.questions[0];
  const chosen = held.end.end === 'answered' ? held.end.answers[0]?.chosen : [];
  const option = question?.options.find(({ id }) => chosen?.includes(id));
  return question && option ? labelIn(question, option) : '';
}

/** The line of an end that is about to be carried out. Screen readers are told once, by `UndoSaid`, instead of every second. */
export function undoStatus(request: Request, held: HeldEnd, undo: () => void): FootStatus {
  const data = { 'data-held': request.id } as const;
  const action = { words: t('undo.button'), key: 'u', atOnce: true, run: undo };
  if (held.error) return { words: t('undo.failed', { error: wordsOfDeliveryError(held.error) }), look: 'error', alert: true, data, action };
  const seconds = secondsLeft(held);
  if (seconds <= 0) return { words: t('question.sending'), spoken: '', data, action };
  if (held.end.end !== 'answered') return { words: t('undo.skips', { seconds }), spoken: '', data, action };
  return { words: chosenIn(request, held), look: 'done', after: t('undo.left', { seconds }), spoken: '', data, action };
}

/** The line of a request that a held message is about to close. */
export function closingStatus(request: Request, reply: HeldReply, undo: () => void): FootStatus {
  const seconds = secondsLeft(reply);
  return {
    words: seconds > 0 ? t('undo.closed_by_message', { seconds }) : t('question.sending'),
    spoken: '',
    data: { 'data-closing': request.id },
    action: { words: t('undo.button'), key: 'u', atOnce: true, run: undo },
  };
}

function secondsLeft({ since, until }: { since: number; until: number }): number {
  return Math.max(0, Math.min(Math.round((until - since) / 1000), Math.ceil((until - clock.now) / 1000)));
}

/** What a screen reader is told when an end begins to wait; null if that has been said. */
export function heldSaid(request: Request, held: HeldEnd): string {
  const time = plural('settings.undo_seconds', Math.round((held.until - held.since) / 1000));
  return held.end.end === 'answered' ? t('undo.announce', { label: chosenIn(request, held), time }) : t('undo.announce_skip', { time });
}
