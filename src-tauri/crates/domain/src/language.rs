//! The languages of the user interface.

use serde::{Deserialize, Serialize};

/// A language that the user interface supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Language {
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
    De,
}

impl Language {
    /// Returns the language of the first of the system's locales that is supported; English if there is none.
    ///
    /// A locale looks like `de_DE.UTF-8`, `de-AT` or `zh-Hans-CN`. The locale `C` means no particular language; it counts
    /// as English and ends the search.
    pub fn of_system<'a>(locales: impl IntoIterator<Item = &'a str>) -> Self {
        locales.into_iter().find_map(Self::of_locale).unwrap_or_default()
    }

    fn of_locale(locale: &str) -> Option<Self> {
        let language = locale.split(['-', '_', '.', '@']).next().unwrap_or_default();
        match language.to_ascii_lowercase().as_str() {
            "en" | "c" | "posix" => Some(Self::En),
            "zh" => Some(Self::Zh),
            "de" => Some(Self::De),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LanguageChoice {
    #[default]
    System,
    En,
    /// Simplified Chinese.
    Zh,
    De,
}

impl LanguageChoice {
    /// Resolves the setting with the system's language.
    pub fn with_system(self, system: Language) -> Language {
        match self {
            Self::System => system,
            Self::En => Language::En,
            Self::Zh => Language::Zh,
            Self::De => Language::De,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_with_a_supported_language_applies() {
        let table: &[(&[&str], Language)] = &[
            (&["de_DE.UTF-8"], Language::De),
            (&["de-AT"], Language::De),
            (&["zh_CN.UTF-8"], Language::Zh),
            (&["zh-Hans-CN"], Language::Zh),
            (&["ZH"], Language::Zh),
            (&["en_GB.UTF-8", "de_DE.UTF-8"], Language::En),
            (&["gsw-CH", "de-CH", "en"], Language::De),
            (&["C.UTF-8", "de_DE.UTF-8"], Language::En),
            (&["POSIX"], Language::En),
            (&["fr_FR.UTF-8"], Language::En),
            (&["dede"], Language::En),
            (&[""], Language::En),
            (&[], Language::En),
        ];
        for (locales, expected) in table {
            assert_eq!(Language::of_system(locales.iter().copied()), *expected, "{locales:?}");
        }
    }

    #[test]
    fn the_setting_overrides_the_system() {
        assert_eq!(LanguageChoice::System.with_system(Language::De), Language::De);
        assert_eq!(LanguageChoice::En.with_system(Language::De), Language::En);
        assert_eq!(LanguageChoice::Zh.with_system(Language::De), Language::Zh);
    }
}
