//! Start at login: the system's setting, and the start in the tray.

#[cfg(target_os = "linux")]
mod desktop_entry;

use std::ffi::OsStr;
use std::time::{Duration, Instant};

pub use askdesk_client_config::discovery::IN_BACKGROUND;
use askdesk_contract::{UnappliedReason, UnappliedSetting};
use askdesk_domain::{OptIn, Settings};
use tauri::{AppHandle, Manager};

use crate::window::Focus;
use crate::window_lifecycle::WindowLifecycle;
use crate::{DATA_FOLDER, shortcut, tray};

/// How long a desktop may take after a login to show tray icons.
const TRAY_TIMEOUT: Duration = Duration::from_secs(10);

const TRAY_POLL: Duration = Duration::from_millis(500);

/// Returns whether the system started the app.
pub fn in_background(arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> bool {
    arguments.into_iter().any(|argument| argument.as_ref() == IN_BACKGROUND)
}

/// Shows the tray icon, or the window if the desktop has no tray.
pub async fn start_in_tray(app: &AppHandle) {
    let began = Instant::now();
    while !tray::show_icon(app).await {
        if began.elapsed() >= TRAY_TIMEOUT {
            app.state::<WindowLifecycle>().show(Focus::Keep);
            return;
        }
        tokio::time::sleep(TRAY_POLL).await;
    }
}

/// Applies the settings that the system carries out.
pub async fn apply_system_settings(app: AppHandle, settings: Settings) {
    for unapplied in system_settings(app, settings).await {
        tracing::warn!(?unapplied, "the system did not apply a setting");
    }
}

/// Applies the settings that the system carries out, and returns those it did not apply.
pub async fn system_settings(app: AppHandle, settings: Settings) -> Vec<UnappliedSetting> {
    let apply = move || {
        let Settings { start_at_login, global_shortcut, .. } = settings;
        (set(&app, start_at_login).err(), shortcut::register(&app, global_shortcut).err())
    };
    let (login, shortcut) = tauri::async_runtime::spawn_blocking(apply).await.unwrap_or_else(|error| {
        let why = UnappliedReason::System { error: error.to_string() };
        (Some(why.clone()), Some(why))
    });
    let login = login.map(|why| UnappliedSetting::StartAtLogin { why });
    login.into_iter().chain(shortcut.map(|why| UnappliedSetting::GlobalShortcut { why })).collect()
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
    set_system(app, start).map_err(|error| UnappliedReason::System { error: format!("{error:#}") })
}

#[cfg(target_os = "linux")]
fn set_system(app: &AppHandle, start: OptIn) -> anyhow::Result<()> {
    desktop_entry::DesktopEntry::new(app)?.set(start)
}

/// Asks first, so that nothing is written if nothing changes.
#[cfg(not(target_os = "linux"))]
fn set_system(_: &AppHandle, start: OptIn) -> anyhow::Result<()> {
    let system = login_item(&dunce::canonicalize(std::env::current_exe()?)?)?;
    match (system.is_enabled()?, start) {
        (false, OptIn::On) => system.enable()?,
        (true, OptIn::Off) => system.disable()?,
        (true, OptIn::On) | (false, OptIn::Off) => {}
    }
    Ok(())
}

/// Describes what the system starts at login.
#[cfg(not(target_os = "linux"))]
fn login_item(program: &std::path::Path) -> anyhow::Result<auto_launch::AutoLaunch> {
    let mut item = auto_launch::AutoLaunchBuilder::new();
    item.set_app_name(crate::messages::APP).set_args(&[IN_BACKGROUND]);
    #[cfg(target_os = "macos")]
    item.set_macos_launch_mode(auto_launch::MacOSLaunchMode::LaunchAgent)
        .set_app_path(&program.display().to_string());
    // Windows reads a command line. The item is the user's, also where the user may write that of all.
    #[cfg(windows)]
    item.set_windows_enable_mode(auto_launch::WindowsEnableMode::CurrentUser)
        .set_app_path(&format!("\"{}\"", program.display()));
    Ok(item.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_argument_says_that_the_system_started_the_app() {
        assert!(in_background(["askdesk-desktop", "--in-background"]));
        for arguments in [vec!["askdesk-desktop"], vec!["askdesk-desktop", "--in-background=1"], vec![]] {
            assert!(!in_background(&arguments), "{arguments:?}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn case_153_a_path_with_spaces_is_quoted_at_login() {
        let item = login_item(std::path::Path::new(r"C:\Program Files\Askdesk\askdesk-desktop.exe")).unwrap();
        assert_eq!(item.get_app_path(), "\"C:\\Program Files\\Askdesk\\askdesk-desktop.exe\"");
        assert_eq!(item.get_args(), [IN_BACKGROUND]);
    }
}
