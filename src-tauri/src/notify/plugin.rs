//! Notifications by the plugin, if the app cannot use the system directly. It cannot withdraw them.

use tauri::AppHandle;
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt};
use tokio::sync::mpsc;

use super::notifier::{Activation, Notification, Sound};
use super::numbered::{Backend, NumberedNotifier, PressHandler};

/// The id of the buttons of the next notification.
const BUTTONS: &str = "buttons";

/// The system's own sound: macOS and Windows only play installed files.
#[cfg(windows)]
const SOUND: &str = "Default";
#[cfg(not(windows))]
const SOUND: &str = "NSUserNotificationDefaultSoundName";

pub fn start(app: &AppHandle, activations: mpsc::UnboundedSender<Activation>) -> NumberedNotifier<Plugin> {
    let handler = PressHandler::new(&activations);
    let on_action = handler.clone();
    let registered = app.notification().on_action(move |performed: &ActionPerformed| {
        let number = performed.notification().map(|notification| notification.id());
        on_action.pressed(number, performed.action_id());
    });
    if let Err(error) = registered {
        tracing::warn!(%error, "clicks on notifications cannot be received");
    }
    NumberedNotifier::new(Plugin { app: app.clone(), _activations: activations }, handler)
}

/// The plugin. It does not report the system's numbers, so it uses ours.
pub struct Plugin {
    app: AppHandle,
    /// Keeps the channel open.
    _activations: mpsc::UnboundedSender<Activation>,
}

impl Backend for Plugin {
    fn show(&mut self, number: i32, notification: Notification) {
        let actions = notification
            .buttons
            .into_iter()
            .map(|it| Action::builder(it.action.to_string(), it.label).build());
        let buttons = ActionType::builder(BUTTONS).actions(actions.collect()).build();
        let plugin = self.app.notification();
        let shown = plugin.register_action_types(vec![buttons]).and_then(|()| {
            let mut builder = plugin.builder().id(number).title(notification.title).body(notification.body);
            if notification.sound == Sound::On {
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
            tracing::warn!(%error, "a notification could not be withdrawn");
        }
    }
}
