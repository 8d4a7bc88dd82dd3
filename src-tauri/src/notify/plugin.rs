//! Notifications by the plugin, where the app has no way of its own: it takes none back.

use tauri::AppHandle;
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt};
use tokio::sync::mpsc;

use super::contract::{Clicked, Heard, Posted};
use super::numbered::{Numbered, Presses, Screen};

/// The set of buttons of the notification that is shown next.
const BUTTONS: &str = "buttons";

/// The system's own sound: macOS and Windows play no file that is not installed with the app.
#[cfg(windows)]
const SOUND: &str = "Default";
#[cfg(not(windows))]
const SOUND: &str = "NSUserNotificationDefaultSoundName";

/// Shows notifications by the plugin, and hears every press from now on.
pub fn start(app: &AppHandle, clicks: mpsc::UnboundedSender<Clicked>) -> Numbered<Plugin> {
    let presses = Presses::new(&clicks);
    let known = presses.clone();
    let heard = app.notification().on_action(move |performed: &ActionPerformed| {
        let number = performed.notification().map(|notification| notification.id());
        known.pressed(number, performed.action_id());
    });
    if let Err(error) = heard {
        tracing::warn!(%error, "presses on notifications cannot be heard");
    }
    Numbered::new(Plugin { app: app.clone(), _clicks: clicks }, presses)
}

/// The plugin. The numbers by which it knows what it shows are ours: the system's are not known.
pub struct Plugin {
    app: AppHandle,
    /// There are clicks as long as there is this.
    _clicks: mpsc::UnboundedSender<Clicked>,
}

impl Screen for Plugin {
    fn show(&mut self, number: i32, posted: Posted) {
        let actions =
            posted.buttons.into_iter().map(|it| Action::builder(it.what.to_string(), it.label).build());
        let buttons = ActionType::builder(BUTTONS).actions(actions.collect()).build();
        let notification = self.app.notification();
        let shown = notification.register_action_types(vec![buttons]).and_then(|()| {
            let mut builder = notification.builder().id(number).title(posted.title).body(posted.body);
            if posted.heard == Heard::Sound {
                builder = builder.sound(SOUND);
            }
            builder.action_type_id(BUTTONS).show()
        });
        if let Err(error) = shown {
            tracing::warn!(%error, "a notification could not be shown");
        }
    }

    fn remove(&mut self, numbers: Vec<i32>) {
        if let Err(error) = self.app.notification().remove_active(numbers) {
            tracing::warn!(%error, "a notification could not be taken back");
        }
    }
}
