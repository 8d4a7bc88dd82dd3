import type { Language, LanguageChoice } from '../../generated/wire';
import type { Catalog } from './catalog';

interface Spoken {
  language: Language;
  catalog: Catalog;
}

/** Only the catalog of the language in use is loaded, before the window is mounted. */
const catalogs = {
  en: () => import('./en').then(({ en }) => en),
  zh: () => import('./zh').then(({ zh }) => zh),
  de: () => import('./de').then(({ de }) => de),
} satisfies Record<Language, () => Promise<Catalog>>;

/** BCP 47 tags. The script subtag selects the Chinese letterforms. */
const tags = { en: 'en', zh: 'zh-Hans', de: 'de' } as const satisfies Record<Language, string>;

/** Each language's name in that language, never translated, so that users can find their own. */
export const languageNames = { en: 'English', zh: '中文', de: 'Deutsch' } as const satisfies Record<Language, string>;

/** The window's current language. Every visible text depends on it. */
class Speaking {
  /** Before the first catalog is loaded, nothing is visible yet. */
  #now: Spoken = $state.raw({ language: 'en', catalog: {} as Catalog });
  #wanted: Language = 'en';
  #latest: Promise<void> = Promise.resolve();

  readonly tag = $derived(tags[this.#now.language]);
  /** The language with the system's region, because the formats of dates and numbers differ by region. */
  readonly locale = $derived(localeOf(this.#now.language));
  /** The region of dates and times, if the system names one. */
  timeRegion: string | null = $state(null);
  readonly timeLocale = $derived(
    this.timeRegion === null ? this.locale : String(new Intl.Locale(this.locale, { region: this.timeRegion })),
  );
  readonly plurals = $derived(new Intl.PluralRules(this.tag));

  get language(): Language {
    return this.#now.language;
  }

  get catalog(): Catalog {
    return this.#now.catalog;
  }

  /** Switches the language. If two calls overlap, the later one wins, and both resolve once its catalog is in use. */
  speak(language: Language): Promise<void> {
    this.#wanted = language;
    return (this.#latest = this.#load(language));
  }

  async #load(language: Language): Promise<void> {
    const catalog = await catalogs[language]();
    if (this.#wanted !== language) return this.#latest;
    this.#now = { language, catalog };
    document.documentElement.lang = this.tag;
  }
}

function localeOf(language: Language): string {
  const own = navigator.languages.find((tag) => tag.split('-')[0] === language);
  return own ?? tags[language];
}

export const spoken = new Speaking();

/** Resolves the choice, given the system's language. */
export function languageOf(choice: LanguageChoice, system: Language): Language {
  return choice === 'system' ? system : choice;
}
