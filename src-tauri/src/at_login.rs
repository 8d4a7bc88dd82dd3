//! Started by the system when the person logs in: what is set is brought in line with the system, and an app that was started
//! so stays in the tray, where there is one.

#[cfg(target_os = "linux")]
mod entry;

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use askdesk_api::{Api, UnappliedReason};
pub use askdesk_client_config::desk::IN_BACKGROUND;
use askdesk_domain::OptIn;
use tauri::{AppHandle, Manager};

use crate::presence::{Focus, Presence};
use crate::{DATA_FOLDER, tray};

/// How long the desktop may take after a login until it shows icons of the tray.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is asked until then.
const LOOK: Duration = Duration::from_millis(500);

/// Says whether the app is started by the system and not by the person.
pub fn in_background(arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> bool {
    arguments.into_iter().any(|argument| argument.as_ref() == IN_BACKGROUND)
}

/// Puts the icon into the tray; where nobody would see it, the window comes up instead.
pub async fn come_up_in_the_tray(app: &AppHandle) {
    let began = Instant::now();
    while !tray::offer(app).await {
        if began.elapsed() >= PATIENCE {
            app.state::<Presence>().want(Focus::Left);
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Brings the system in line with what is set.
pub async fn bring_in_line(desk: Api) {
    let settings = desk.settings().watch().borrow().clone();
    for unmet in desk.apply_system_settings(&settings).await {
        tracing::warn!(?unmet, "what is set is not what the system does");
    }
}

/// Turns start at login on or off. A run with its own data folder leaves the system alone, which would start the app with the
/// usual folder.
pub fn set(app: &AppHandle, start: OptIn) -> Result<(), UnappliedReason> {
    if std::env::var_os(DATA_FOLDER).is_some() {
        return match start {
            OptIn::On => Err(UnappliedReason::OwnFolder),
            OptIn::Off => Ok(()),
        };
    }
    tell(app, start).map_err(|error| UnappliedReason::System { error: format!("{error:#}") })
}

#[cfg(target_os = "linux")]
fn tell(app: &AppHandle, start: OptIn) -> anyhow::Result<()> {
    entry::Entry::of(app)?.put(start)
}

/// Tells what the system has, so that nothing is written where it has what is set.
#[cfg(not(target_os = "linux"))]
fn tell(app: &AppHandle, start: OptIn) -> anyhow::Result<()> {
    use tauri_plugin_autostart::ManagerExt;

    let system = app.autolaunch();
    match (system.is_enabled()?, start) {
        (false, OptIn::On) => system.enable()?,
        (true, OptIn::Off) => system.disable()?,
        (true, OptIn::On) | (false, OptIn::Off) => {}
    }
    Ok(())
}

/// Returns the plugin that knows how other systems are told.
#[cfg(not(target_os = "linux"))]
pub fn plugin() -> tauri::plugin::TauriPlugin<tauri::Wry> {
    tauri_plugin_autostart::Builder::new().app_name(crate::words::APP).arg(IN_BACKGROUND).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_alone_says_that_the_system_started_the_app() {
        assert!(in_background(["askdesk-desktop", "--in-background"]));
        for arguments in [vec!["askdesk-desktop"], vec!["askdesk-desktop", "--in-background=1"], vec![]] {
            assert!(!in_background(&arguments), "{arguments:?}");
        }
    }
}
