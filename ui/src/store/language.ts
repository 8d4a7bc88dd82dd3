import type { Language, LanguageChoice } from '../generated/wire';
import type { LanguageAtStart } from '../platform/bridge';
import { languageOf } from '../shared/messages/language.svelte';

/** What was chosen since the window was made: a page that is read anew is told what held when it was made. */
const CHOSEN_KEY = 'askdesk.language';

const choices: readonly string[] = ['system', 'en', 'zh', 'de'] satisfies LanguageChoice[];

export function keepLanguage(choice: LanguageChoice): void {
  sessionStorage.setItem(CHOSEN_KEY, choice);
}

export function languageAtStart({ system, chosen }: LanguageAtStart): Language {
  const kept = sessionStorage.getItem(CHOSEN_KEY);
  return languageOf(isChoice(kept) ? kept : chosen, system);
}

function isChoice(kept: string | null): kept is LanguageChoice {
  return kept !== null && choices.includes(kept);
}
