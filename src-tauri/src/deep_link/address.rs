//! The addresses of deep links: `askdesk://request/<id>`. Any program can open one, so they only show what they name.

#[cfg(target_os = "linux")]
use askdesk_engine::private;
#[cfg(target_os = "linux")]
use tauri::Manager;
use tauri::{AppHandle, Url};
use tauri_plugin_deep_link::DeepLinkExt;
use uuid::Uuid;

use crate::sanitize::sanitize;

/// The scheme. `tauri.conf.json` repeats it for packages.
#[cfg(target_os = "linux")]
const SCHEME: &str = "askdesk";

const PREFIX: &str = "askdesk://request/";

/// The length of an id with hyphens; other spellings of a UUID are refused.
const ID_BYTES: usize = 36;

/// The most characters of a refused address in the log.
const LOGGED: usize = 80;

/// Opens the addresses that later instances hand over.
pub fn follow(app: &AppHandle) {
    let followed = app.clone();
    app.deep_link().on_open_url(move |event| open_all(&followed, event.urls()));
}

/// Opens the address that the app was started with.
pub fn open_first(app: &AppHandle) {
    match app.deep_link().get_current() {
        Ok(urls) => open_all(app, urls.unwrap_or_default()),
        Err(error) => tracing::warn!(%error, "the deep link that the app was started with cannot be read"),
    }
}

fn open_all(app: &AppHandle, urls: Vec<Url>) {
    for url in urls {
        match target_of(url.as_str()) {
            Some(id) => super::open(app, id),
            None => tracing::warn!(address = shortened(url.as_str()), "an invalid deep link was ignored"),
        }
    }
}

#[cfg(any(test, windows))]
pub fn address_of(id: Uuid) -> String {
    format!("{PREFIX}{id}")
}

/// Returns whether a text is a deep link, valid or not.
#[cfg(any(test, windows))]
pub fn is_deep_link(text: &str) -> bool {
    text.starts_with(PREFIX)
}

/// Returns the id of the request, permission request or session that an address names; none if it is invalid.
pub fn target_of(address: &str) -> Option<Uuid> {
    let id = address.strip_prefix(PREFIX)?;
    if id.len() == ID_BYTES { Uuid::try_parse(id).ok() } else { None }
}

fn shortened(address: &str) -> String {
    sanitize(&address.chars().take(LOGGED).collect::<String>())
}

/// Registers this program for deep links if no package did and no other program opens them. A program that was moved is
/// registered again.
#[cfg(target_os = "linux")]
pub fn register(app: &AppHandle) {
    use tauri::utils::config::BundleType;
    use tauri::utils::platform::bundle_type;

    let links = app.deep_link();
    let unpackaged = matches!(bundle_type(), None | Some(BundleType::AppImage));
    if !unpackaged || !(links.is_registered(SCHEME).unwrap_or_default() || nothing_is_registered()) {
        return;
    }
    let entry = entry(app);
    let folder = entry.as_ref().and_then(|entry| entry.parent()).map_or(Ok(()), private::create_missing);
    let registered = folder.map_err(Into::into).and_then(|()| links.register(SCHEME));
    // The plugin leaves the mode of its file to the umask, which may let anybody write it.
    let closed = entry.map_or(Ok(()), |entry| private::close_to_others(&entry));
    if let Err(error) = registered.and_then(|()| Ok(closed?)) {
        tracing::info!(%error, "this program could not be registered for deep links");
    }
}

/// Returns the desktop entry that the plugin writes.
#[cfg(target_os = "linux")]
fn entry(app: &AppHandle) -> Option<std::path::PathBuf> {
    let program = tauri::utils::platform::current_exe().ok()?;
    let name = format!("{}-handler.desktop", program.file_name()?.to_string_lossy());
    Some(app.path().data_dir().ok()?.join("applications").join(name))
}

#[cfg(target_os = "linux")]
fn nothing_is_registered() -> bool {
    let kind = format!("x-scheme-handler/{SCHEME}");
    let asked = std::process::Command::new("xdg-mime").args(["query", "default", &kind]).output();
    asked.is_ok_and(|opener| opener.stdout.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0196f3a2-7c1e-7b4a-8d3f-5a6b7c8d9e0f";

    #[test]
    fn an_address_names_one_request_by_its_whole_id() {
        let id = Uuid::try_parse(ID).ok();
        assert!(id.is_some());
        assert_eq!(target_of(&format!("askdesk://request/{ID}")), id);
        assert_eq!(target_of(&format!("askdesk://request/{}", ID.to_uppercase())), id);
    }

    #[test]
    fn every_other_address_is_refused() {
        let simple = ID.replace('-', "");
        let others = [
            String::new(),
            "askdesk:".to_owned(),
            "askdesk://".to_owned(),
            "askdesk://request".to_owned(),
            "askdesk://request/".to_owned(),
            format!("askdesk:{ID}"),
            format!("askdesk://{ID}"),
            format!("askdesk:request/{ID}"),
            format!("askdesk:/request/{ID}"),
            format!("askdesk:///request/{ID}"),
            format!("askdesk://answer/{ID}"),
            format!("askdesk://requests/{ID}"),
            format!("askdesk://Request/{ID}"),
            format!("askdesk://ada@request/{ID}"),
            format!("askdesk://request:80/{ID}"),
            format!("askdesk://request//{ID}"),
            format!("askdesk://request/{ID}/"),
            format!("askdesk://request/{ID}/answer"),
            format!("askdesk://request/{ID}?answer=1"),
            format!("askdesk://request/{ID}?"),
            format!("askdesk://request/{ID}#q1o1"),
            format!("askdesk://request/{ID} "),
            format!("askdesk://request/../request/{ID}"),
            format!("askdesk://request/{simple}"),
            format!("askdesk://request/{{{ID}}}"),
            format!("askdesk://request/urn:uuid:{ID}"),
            format!("askdesk://request/{}", ID.replace('0', "g")),
            format!("askdesk://request/{}", &ID[1..]),
            format!("askdesk://request/{}", "é".repeat(ID_BYTES / 2)),
            format!("askdesk://request/{}", "a".repeat(10_000)),
            format!("https://request/{ID}"),
            format!("javascript:askdesk://request/{ID}"),
        ];
        for other in others {
            assert_eq!(target_of(&other), None, "{other}");
        }
    }

    #[test]
    fn a_refused_address_is_one_short_line_of_the_log() {
        let hostile = format!("askdesk://request/\n\u{202e}{}", "a".repeat(10_000));
        let address = Url::parse(&hostile).unwrap();
        assert!(shortened(address.as_str()).len() <= LOGGED * "⟨U+202E⟩".len());
        assert!(!shortened(address.as_str()).contains(['\n', '\u{202e}']));
    }
}
