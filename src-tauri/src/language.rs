//! Which language is spoken: what the person chose, and what the system has. The page learns it before its first line runs,
//! so that nothing of another language is ever painted.

use std::sync::OnceLock;

use askdesk_domain::{Language, LanguageChoice, Settings};
use serde_json::json;

use crate::words::{self, Words};

/// Returns the words in the language that is set.
pub fn words(settings: &Settings) -> &'static Words {
    words::of(of(settings))
}

/// Returns the language that is set.
pub fn of(settings: &Settings) -> Language {
    settings.language.with_system(of_system())
}

/// Returns the system's language, as it was when the app was started.
pub fn of_system() -> Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    *LANGUAGE.get_or_init(|| {
        let locales: Vec<String> = sys_locale::get_locales().collect();
        Language::of_system(locales.iter().map(String::as_str))
    })
}

/// Writes the script that tells the page of it.
pub fn script(chosen: LanguageChoice) -> String {
    let known = json!({ "system": of_system(), "chosen": chosen });
    format!("Object.defineProperty(window, '__ASKDESK_LANGUAGE__', {{ value: Object.freeze({known}) }});")
}
