//! The keys by the plugin, on macOS and Windows.

use std::fmt::Display;
use std::sync::mpsc;

use askdesk_api::UnappliedReason;
use askdesk_domain::Combination;
use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Builder, Error, GlobalShortcut, GlobalShortcutExt, ShortcutState};

/// How the plugin begins what it says of keys that somebody else has.
const TAKEN: &str = "HotKey already registered";

/// Keys that are heard until this is dropped.
pub struct Heard {
    app: AppHandle,
    combination: Combination,
}

impl Heard {
    pub fn begin(app: &AppHandle, combination: Combination) -> Result<Self, UnappliedReason> {
        begin(app)?;
        let heard = app.global_shortcut().on_shortcut(combination.to_string().as_str(), |app, _, event| {
            if event.state == ShortcutState::Pressed {
                super::pressed(app);
            }
        });
        heard.map_err(|error| match error {
            Error::GlobalHotkey(said) if said.starts_with(TAKEN) => UnappliedReason::Taken,
            other => system(other),
        })?;
        Ok(Self { app: app.clone(), combination })
    }

    pub const fn combination(&self) -> Combination {
        self.combination
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        let keys = self.combination.to_string();
        if let Err(error) = self.app.global_shortcut().unregister(keys.as_str()) {
            tracing::warn!(%error, "keys that are set no more are heard still");
        }
    }
}

/// Adds the plugin where the app's events are; both systems want it there.
fn begin(app: &AppHandle) -> Result<(), UnappliedReason> {
    use tauri::Manager;

    if app.try_state::<GlobalShortcut<Wry>>().is_some() {
        return Ok(());
    }
    let (tell, told) = mpsc::channel();
    let on_main = app.clone();
    let begun = app.run_on_main_thread(move || drop(tell.send(on_main.plugin(Builder::new().build()))));
    begun.and_then(|()| told.recv().unwrap_or(Err(tauri::Error::FailedToReceiveMessage))).map_err(system)
}

fn system(error: impl Display) -> UnappliedReason {
    UnappliedReason::System { error: error.to_string() }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{GlobalShortcut, PressedKey};
    use tauri_plugin_global_shortcut::Shortcut;

    #[test]
    fn every_combination_that_can_be_set_is_known_to_the_plugin() {
        let mut ids = std::collections::BTreeSet::new();
        for key in PressedKey::all() {
            let text = format!("Ctrl+Alt+Shift+Super+{key}");
            let set = GlobalShortcut::try_from(text.clone()).unwrap().combination().unwrap();
            let known: Shortcut = set.to_string().parse().unwrap();
            assert!(ids.insert(known.id()), "{text} is another one for the system");
        }
    }
}
