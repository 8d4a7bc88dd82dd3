//! The hotkey on macOS and Windows, by the plugin.

use std::fmt::Display;
use std::sync::mpsc;

use askdesk_contract::UnappliedReason;
use askdesk_domain::Combination;
use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Builder, Error, GlobalShortcut, GlobalShortcutExt, ShortcutState};

/// The start of the plugin's error message if another program has the hotkey.
const TAKEN: &str = "HotKey already registered";

/// A hotkey that is registered until this is dropped.
pub struct Hotkey {
    app: AppHandle,
    combination: Combination,
}

impl Hotkey {
    pub fn register(app: &AppHandle, combination: Combination) -> Result<Self, UnappliedReason> {
        add_plugin(app)?;
        let registered =
            app.global_shortcut().on_shortcut(combination.to_string().as_str(), |app, _, event| {
                if event.state == ShortcutState::Pressed {
                    super::pressed(app);
                }
            });
        registered.map_err(|error| match error {
            Error::GlobalHotkey(said) if said.starts_with(TAKEN) => UnappliedReason::Taken,
            other => system(other),
        })?;
        Ok(Self { app: app.clone(), combination })
    }

    pub const fn combination(&self) -> Combination {
        self.combination
    }
}

impl Drop for Hotkey {
    fn drop(&mut self) {
        let keys = self.combination.to_string();
        if let Err(error) = self.app.global_shortcut().unregister(keys.as_str()) {
            tracing::warn!(%error, "the hotkey could not be released");
        }
    }
}

/// Adds the plugin on the main thread, as both systems require.
fn add_plugin(app: &AppHandle) -> Result<(), UnappliedReason> {
    use tauri::Manager;

    if app.try_state::<GlobalShortcut<Wry>>().is_some() {
        return Ok(());
    }
    let (sender, receiver) = mpsc::channel();
    let on_main = app.clone();
    let added = app.run_on_main_thread(move || drop(sender.send(on_main.plugin(Builder::new().build()))));
    added.and_then(|()| receiver.recv().unwrap_or(Err(tauri::Error::FailedToReceiveMessage))).map_err(system)
}

fn system(error: impl Display) -> UnappliedReason {
    UnappliedReason::System { error: error.to_string() }
}

#[cfg(test)]
mod tests {
    use askdesk_domain::{GlobalShortcut, PressedKey};
    use tauri_plugin_global_shortcut::Shortcut;

    #[test]
    fn the_plugin_parses_every_combination_that_can_be_set() {
        let mut ids = std::collections::BTreeSet::new();
        for key in PressedKey::all() {
            let text = format!("Ctrl+Alt+Shift+Super+{key}");
            let set = GlobalShortcut::try_from(text.clone()).unwrap().combination().unwrap();
            let known: Shortcut = set.to_string().parse().unwrap();
            assert!(ids.insert(known.id()), "{text} parses to another shortcut");
        }
    }
}
