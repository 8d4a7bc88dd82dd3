import { tick } from 'svelte';

import { answerOf, isAnswered, takesOne, takesWords } from '../../entities/request/answerDraft';
import type { Question, Request } from '../../generated/wire';
import type { Commands } from '../../store/page';
import { draftOf } from '../../store/select';
import type { View } from '../../store/store.svelte';
import { focusFields } from './focus';

/** How many options have a digit that chooses them. */
export const DIGITS = 9;

/** The options of the question that is shown, Other included, in the order of their numbers. */
export function choicesOf(form: Element | undefined): HTMLInputElement[] {
  return [...(form?.querySelectorAll<HTMLInputElement>('fieldset [data-option] > input') ?? [])];
}

/** Moves the focus between options, round and round; from outside them it goes to the first, or to what is chosen. */
export function moveTo(form: Element | undefined, from: Element, step: 1 | -1): boolean {
  const choices = choicesOf(form);
  if (choices.length === 0) return false;
  const at = choices.indexOf(from as HTMLInputElement);
  if (at < 0) focusFields(form ?? null);
  else choices[(at + step + choices.length) % choices.length]?.focus();
  return true;
}

export function focusOtherWords(choice: Element): void {
  choice.closest('[data-option]')?.querySelector('textarea')?.focus();
}

/** Opens the note of a question; one that is not answered takes the option in focus, to which the note belongs. */
export function addNote(
  commands: Commands,
  view: View,
  request: Request,
  question: Question,
  target: Element,
): boolean {
  if (takesWords(question)) return false;
  const about = { request: request.id, question: question.id };
  const answered = () => isAnswered(question, answerOf(draftOf(view.state, request.id), question));
  const option = question.options.find(({ id }) => target instanceof HTMLInputElement && id === target.value);
  const chosen = answerOf(draftOf(view.state, request.id), question).chosen;
  if (option && !chosen.includes(option.id) && (takesOne(question) || !answered())) {
    commands.dispatch({ type: 'option_chosen', ...about, option: option.id, on: true, goOn: false });
  }
  if (!answered()) return false;
  commands.dispatch({ type: 'note_opened', ...about });
  return true;
}

/** Puts the focus in the note once it is there. */
export async function focusNote(form: Element | undefined): Promise<void> {
  await tick();
  form?.querySelector<HTMLElement>('[data-note] textarea')?.focus();
}
