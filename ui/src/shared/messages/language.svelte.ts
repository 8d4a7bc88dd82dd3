import type { Language, LanguageChoice } from '../../generated/wire';
import type { Catalogue, OneFormCatalogue } from '.';
import { en } from './en';

interface Spoken {
  language: Language;
  catalogue: Catalogue | OneFormCatalogue;
}

/** English comes with the page; who speaks another language loads that one alone, before anything is painted. */
const catalogues = {
  en: () => Promise.resolve(en),
  zh: () => import('./zh').then(({ zh }) => zh),
  de: () => import('./de').then(({ de }) => de),
} satisfies Record<Language, () => Promise<Catalogue | OneFormCatalogue>>;

/** As the standards for tags write it; the script chooses the letterforms of Chinese. */
const tags = { en: 'en', zh: 'zh-Hans', de: 'de' } as const satisfies Record<Language, string>;

/** What each language calls itself; never translated, so that everybody finds their own. */
export const languageNames = {
  en: 'English',
  zh: '中文',
  de: 'Deutsch',
} as const satisfies Record<Language, string>;

/** The language the window speaks. Whatever shows a text changes with it. */
class Speaking {
  #now: Spoken = $state.raw({ language: 'en', catalogue: en });
  #wanted: Language = 'en';

  readonly tag = $derived(tags[this.#now.language]);
  /** The language with the country of the person's own system, whose dates and numbers differ from country to country. */
  readonly locale = $derived(localeOf(this.#now.language));
  readonly plurals = $derived(new Intl.PluralRules(this.tag));

  get language(): Language {
    return this.#now.language;
  }

  get catalogue(): Catalogue | OneFormCatalogue {
    return this.#now.catalogue;
  }

  /** Speaks a language from now on. Of two that are asked for at once the later one holds. */
  async speak(language: Language): Promise<void> {
    this.#wanted = language;
    const catalogue = await catalogues[language]();
    if (this.#wanted !== language) return;
    this.#now = { language, catalogue };
    document.documentElement.lang = this.tag;
  }
}

function localeOf(language: Language): string {
  const own = navigator.languages.find((tag) => tag.split('-')[0] === language);
  return own ?? tags[language];
}

export const spoken = new Speaking();

/** The language that a choice comes to where the system has this one. */
export function languageOf(choice: LanguageChoice, system: Language): Language {
  return choice === 'system' ? system : choice;
}
