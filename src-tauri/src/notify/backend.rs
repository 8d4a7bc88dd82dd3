//! Chooses the notification backend of the system.

use askdesk_api::Api;
use tauri::AppHandle;
use tokio::sync::mpsc;

use super::notifier::{Activation, Notifier};

/// Starts the backend. The channel closes once the notifier is dropped and has withdrawn what it should.
#[cfg(target_os = "linux")]
pub fn start(
    _app: &AppHandle,
    api: &Api,
    activations: mpsc::UnboundedSender<Activation>,
) -> Box<dyn Notifier> {
    let folder = api.settings().path().parent().map(std::path::Path::to_owned);
    Box::new(super::linux::LinuxNotifier::start(activations, folder.unwrap_or_default()))
}

/// Starts the backend. The channel closes once the notifier is dropped and has withdrawn what it should.
#[cfg(windows)]
pub fn start(
    app: &AppHandle,
    _api: &Api,
    activations: mpsc::UnboundedSender<Activation>,
) -> Box<dyn Notifier> {
    use super::windows::{DeepLinks, winrt};
    use tauri::utils::config::BundleType;
    use tauri::utils::platform::bundle_type;

    // The installers put the app's identifier on its shortcut. Without one, Windows silently drops the notifications.
    if !matches!(bundle_type(), Some(BundleType::Msi | BundleType::Nsis)) {
        tracing::warn!(
            "this program was not installed: its notifications may appear under another name and cannot be withdrawn"
        );
        return Box::new(super::plugin::start(app, activations));
    }
    let links = if has_own_folder() { DeepLinks::OtherRun } else { DeepLinks::ThisRun };
    match winrt::start(&app.config().identifier, &group(), links, activations.clone()) {
        Ok(notifier) => Box::new(notifier),
        Err(error) => {
            tracing::warn!(%error, "notifications cannot be withdrawn");
            Box::new(super::plugin::start(app, activations))
        }
    }
}

/// Starts the backend. The channel closes once the notifier is dropped and has withdrawn what it should.
#[cfg(not(any(target_os = "linux", windows)))]
pub fn start(
    app: &AppHandle,
    _api: &Api,
    activations: mpsc::UnboundedSender<Activation>,
) -> Box<dyn Notifier> {
    match mac_usernotifications::check_bundle() {
        Ok(()) => Box::new(super::macos::center::start(group(), activations)),
        Err(_) => {
            tracing::warn!(
                "this program is not in an app bundle: its notifications may appear under another name and cannot be withdrawn"
            );
            Box::new(super::plugin::start(app, activations))
        }
    }
}

/// Names this run's notifications, because several runs may show some.
#[cfg(not(target_os = "linux"))]
fn group() -> String {
    if has_own_folder() { format!("desk-{}", std::process::id()) } else { "desk".to_owned() }
}

#[cfg(not(target_os = "linux"))]
fn has_own_folder() -> bool {
    std::env::var_os(crate::DATA_FOLDER).is_some()
}
