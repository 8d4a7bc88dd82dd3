//! The language: the user's choice, or else the system's. The page learns it before its first line runs, so that it never
//! paints another language.

use std::sync::OnceLock;

use askdesk_domain::{Language, LanguageChoice, Settings};
use serde_json::json;
use tauri::{AppHandle, Manager, Runtime};

use crate::messages::{self, Messages};
use crate::pending_api::PendingApi;

/// Returns the messages in the language of the settings.
pub fn messages(settings: &Settings) -> &'static Messages {
    messages::of(of(settings))
}

/// Returns the messages of an app that may still be starting.
pub fn of_app<R: Runtime>(app: &AppHandle<R>) -> &'static Messages {
    match app.state::<PendingApi>().now() {
        Some(api) => messages(&api.settings().watch().borrow()),
        None => messages::of(of_system()),
    }
}

pub fn of(settings: &Settings) -> Language {
    settings.language.with_system(of_system())
}

/// Returns the system's language at the start of the app.
pub fn of_system() -> Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    *LANGUAGE.get_or_init(|| {
        let locales: Vec<String> = sys_locale::get_locales().collect();
        Language::of_system(locales.iter().map(String::as_str))
    })
}

/// Returns the script that tells the page.
pub fn script(chosen: LanguageChoice) -> String {
    let known = json!({ "system": of_system(), "chosen": chosen, "timeRegion": time_region() });
    format!("Object.defineProperty(window, '__ASKDESK_LANGUAGE__', {{ value: Object.freeze({known}) }});")
}

/// Returns the region of dates and times, if a variable names one.
fn time_region() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    region_of(&set("LC_ALL").or_else(|| set("LC_TIME"))?).map(str::to_owned)
}

/// Returns the region of a POSIX locale such as `de_DE.UTF-8`.
fn region_of(locale: &str) -> Option<&str> {
    let (_, rest) = locale.split_once('_')?;
    let region = rest.split(['.', '@']).next()?;
    (region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_region() {
        let regions = ["de_DE.UTF-8", "en_GB", "ca_ES@valencia", "C.UTF-8", "POSIX", "zh_Hans", "x_\";alert"];
        assert_eq!(regions.map(region_of), [Some("DE"), Some("GB"), Some("ES"), None, None, None, None]);
    }
}
