import type { Language, LanguageChoice } from '../../generated/wire';
import type { Bridge, LanguageAtStart } from '../../platform/bridge';
import { languageOf, spoken } from '../../shared/messages/language.svelte';
import type { Effect, Store } from '../store.svelte';

/** The language chosen since the window was created; a reloaded page still gets the injected value from that time. */
const CHOSEN_KEY = 'askdesk.language';

const choices: readonly string[] = ['system', 'en', 'zh', 'de'] satisfies LanguageChoice[];

/** Switches the page's language when the setting changes. */
export function followLanguage(bridge: Bridge, store: Store): Effect {
  return (before, after) => {
    const language = after.settings?.settings.language;
    if (!language || language === before.settings?.settings.language) return;
    sessionStorage.setItem(CHOSEN_KEY, language);
    spoken.speak(languageOf(language, bridge.language.system)).catch(store.report);
  };
}

export function languageAtStart({ system, chosen }: LanguageAtStart): Language {
  const stored = sessionStorage.getItem(CHOSEN_KEY);
  return languageOf(isChoice(stored) ? stored : chosen, system);
}

function isChoice(stored: string | null): stored is LanguageChoice {
  return stored !== null && choices.includes(stored);
}
