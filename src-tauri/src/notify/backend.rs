//! Which way of showing notifications the app takes: the one place that decides it.

use askdesk_api::Api;
use tauri::AppHandle;
use tokio::sync::mpsc;

use super::contract::{Clicked, Notifier};

/// Begins to show notifications. There are no more clicks once the notifier is dropped and has taken back what it was told to.
#[cfg(target_os = "linux")]
pub fn start(_app: &AppHandle, desk: &Api, clicks: mpsc::UnboundedSender<Clicked>) -> Box<dyn Notifier> {
    let folder = desk.settings().path().parent().map(std::path::Path::to_owned);
    Box::new(super::freedesktop::Freedesktop::start(clicks, folder.unwrap_or_default()))
}

/// Begins to show notifications. There are no more clicks once the notifier is dropped and has taken back what it was told to.
#[cfg(windows)]
pub fn start(app: &AppHandle, _desk: &Api, clicks: mpsc::UnboundedSender<Clicked>) -> Box<dyn Notifier> {
    use super::toast::{Links, winrt};
    use tauri::utils::config::BundleType;
    use tauri::utils::platform::bundle_type;

    // The installers put the app's identifier on its shortcut. Where there is none, Windows drops what is shown under it
    // without a word.
    if !matches!(bundle_type(), Some(BundleType::Msi | BundleType::Nsis)) {
        tracing::warn!(
            "this program was not installed: its notifications may come under another name and cannot be taken back"
        );
        return Box::new(super::plugin::start(app, clicks));
    }
    let links = if has_own_folder() { Links::Elsewhere } else { Links::Here };
    match winrt::start(&app.config().identifier, &group(), links, clicks.clone()) {
        Ok(notifier) => Box::new(notifier),
        Err(error) => {
            tracing::warn!(%error, "notifications cannot be taken back");
            Box::new(super::plugin::start(app, clicks))
        }
    }
}

/// Begins to show notifications. There are no more clicks once the notifier is dropped and has taken back what it was told to.
#[cfg(not(any(target_os = "linux", windows)))]
pub fn start(app: &AppHandle, _desk: &Api, clicks: mpsc::UnboundedSender<Clicked>) -> Box<dyn Notifier> {
    match mac_usernotifications::check_bundle() {
        Ok(()) => Box::new(super::center::serve::start(group(), clicks)),
        Err(_) => {
            tracing::warn!(
                "this program is not in an app bundle: its notifications may come under another name and cannot be taken back"
            );
            Box::new(super::plugin::start(app, clicks))
        }
    }
}

/// Names the notifications of this desk: others may be told by the same app.
#[cfg(not(target_os = "linux"))]
fn group() -> String {
    if has_own_folder() { format!("desk-{}", std::process::id()) } else { "desk".to_owned() }
}

#[cfg(not(target_os = "linux"))]
fn has_own_folder() -> bool {
    std::env::var_os(crate::DATA_FOLDER).is_some()
}
