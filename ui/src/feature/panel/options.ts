import { answerOf, isAnswered, takesOne, takesWords } from '../../entities/request/answerDraft';
import type { Question, Request } from '../../generated/wire';
import type { Commands } from '../../store/page';
import { draftOf } from '../../store/select';
import type { View } from '../../store/store.svelte';

/** The number of options that a digit can select. */
export const DIGITS = 9;

/** Opens a question's note. If the question is unanswered, selects the focused option, which the note belongs to. */
export function addNote(commands: Commands, view: View, request: Request, question: Question, target: Element): boolean {
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
