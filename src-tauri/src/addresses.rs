//! Addresses that lead into the app: `askdesk://request/<id>`, from a terminal, another program or a notification of the system.
//! They bring up what they name and do nothing else; anybody can write one.

use tauri::{AppHandle, Url};
use tauri_plugin_deep_link::DeepLinkExt;
use uuid::Uuid;

use crate::seen::seen;
use crate::wanted;

/// What the addresses begin with; `tauri.conf.json` names it too, for packages.
#[cfg(target_os = "linux")]
const SCHEME: &str = "askdesk";

/// What stands before the id.
const REQUEST: &str = "askdesk://request/";

/// How long an id is; shorter and longer ways of writing one are not taken.
const ID_BYTES: usize = 36;

/// How many characters of a refused address the log shows.
const LOGGED: usize = 80;

/// Follows the address the app was started with and those that later starts hand over.
pub fn follow(app: &AppHandle) {
    let links = app.deep_link();
    let followed = app.clone();
    links.on_open_url(move |event| open_all(&followed, event.urls()));
    match links.get_current() {
        Ok(urls) => open_all(app, urls.unwrap_or_default()),
        Err(error) => tracing::warn!(%error, "the address that the app was started with cannot be read"),
    }
}

fn open_all(app: &AppHandle, urls: Vec<Url>) {
    for url in urls {
        match request_of(url.as_str()) {
            Some(id) => wanted::bring_up(app, id),
            None => tracing::warn!(
                address = shortened(url.as_str()),
                "an address that leads nowhere is not followed"
            ),
        }
    }
}

/// Writes the address of a request, an approval or a session.
#[cfg(any(test, windows))]
pub fn of(id: Uuid) -> String {
    format!("{REQUEST}{id}")
}

/// Says whether some words are an address that leads into the app, wherever to.
#[cfg(any(test, windows))]
pub fn is_ours(words: &str) -> bool {
    words.starts_with(REQUEST)
}

/// Reads which request, approval or session an address names; every other address is refused whole.
pub fn request_of(address: &str) -> Option<Uuid> {
    let id = address.strip_prefix(REQUEST)?;
    if id.len() == ID_BYTES { Uuid::try_parse(id).ok() } else { None }
}

fn shortened(address: &str) -> String {
    seen(&address.chars().take(LOGGED).collect::<String>())
}

/// Tells the desktop that this program opens such addresses, where it came without a package that says so and nobody else
/// opens them. Where the program has moved since, the desktop is told of its new place.
#[cfg(target_os = "linux")]
pub fn register(app: &AppHandle) {
    use tauri::utils::config::BundleType;
    use tauri::utils::platform::bundle_type;

    let links = app.deep_link();
    let by_itself = matches!(bundle_type(), None | Some(BundleType::AppImage));
    if by_itself
        && (links.is_registered(SCHEME).unwrap_or_default() || nobody_opens_them())
        && let Err(error) = links.register(SCHEME)
    {
        tracing::info!(%error, "the desktop may not know that this program opens its addresses");
    }
}

#[cfg(target_os = "linux")]
fn nobody_opens_them() -> bool {
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
        assert_eq!(request_of(&format!("askdesk://request/{ID}")), id);
        assert_eq!(request_of(&format!("askdesk://request/{}", ID.to_uppercase())), id);
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
            assert_eq!(request_of(&other), None, "{other}");
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
