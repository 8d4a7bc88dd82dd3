//! Notifications by the plugin, where the app has no way of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tauri::AppHandle;
use tauri_plugin_notification::{Action, ActionPerformed, ActionType, NotificationExt};
use tokio::sync::mpsc;

use super::contract::{About, Clicked, Heard, Notifier, Posted, What};

/// The set of buttons of the notification that is shown next.
const BUTTONS: &str = "buttons";

/// The key of a press on the notification itself.
const TAP: &str = "tap";

/// The system's own sound: macOS and Windows play no file that is not installed with the app.
#[cfg(windows)]
const SOUND: &str = "Default";
#[cfg(not(windows))]
const SOUND: &str = "NSUserNotificationDefaultSoundName";

/// The plugin, and the numbers by which it knows what it shows: they are ours, the system's are not known.
pub struct Plugin {
    app: AppHandle,
    last: i32,
    shown: Arc<Mutex<HashMap<i32, Posted>>>,
}

impl Plugin {
    /// Hears every press from now on.
    pub fn start(app: &AppHandle, clicks: mpsc::UnboundedSender<Clicked>) -> Self {
        let shown: Arc<Mutex<HashMap<i32, Posted>>> = Arc::default();
        let known = Arc::clone(&shown);
        let heard = app.notification().on_action(move |performed: &ActionPerformed| {
            let key = performed.action_id();
            let number = performed.notification().map(|notification| notification.id());
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let what = number.and_then(|number| known.get(&number)).and_then(|posted| {
                let offered = |what: &What| posted.buttons.iter().any(|button| button.what == *what);
                if key == TAP { Some(What::Open) } else { What::of_key(key).filter(offered) }
            });
            let pressed = number.filter(|_| what.is_some()).and_then(|number| known.remove(&number));
            drop(known);
            match (pressed, what) {
                // Nobody listens any more when the app ends.
                (Some(posted), Some(what)) => drop(clicks.send(Clicked { about: posted.about, what })),
                _ => tracing::warn!(?number, key, "a press that means nothing any more: nothing is done"),
            }
        });
        if let Err(error) = heard {
            tracing::warn!(%error, "presses on notifications cannot be heard");
        }
        Self { app: app.clone(), last: 0, shown }
    }
}

impl Notifier for Plugin {
    fn post(&mut self, posted: Posted) {
        let sounds = posted.heard == Heard::Sound;
        self.withdraw(posted.about);
        self.last = self.last.wrapping_add(1);
        let (number, title, body) = (self.last, posted.title.clone(), posted.body.clone());
        // macOS puts several buttons into a menu whose own button means the first of them, so that must answer nothing.
        let mut buttons = posted.buttons.clone();
        buttons.sort_by_key(|button| button.what != What::Open);
        let actions = buttons.into_iter().map(|it| Action::builder(it.what.to_string(), it.label).build());
        let buttons = ActionType::builder(BUTTONS).actions(actions.collect()).build();
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(number, posted);
        let notification = self.app.notification();
        let shown = notification.register_action_types(vec![buttons]).and_then(|()| {
            let mut builder = notification.builder().id(number).title(title).body(body);
            if sounds {
                builder = builder.sound(SOUND);
            }
            builder.action_type_id(BUTTONS).show()
        });
        if let Err(error) = shown {
            tracing::warn!(%error, "a notification could not be shown");
        }
    }

    fn withdraw(&mut self, about: About) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<i32> =
            shown.iter().filter(|(_, posted)| posted.about == about).map(|(number, _)| *number).collect();
        shown.retain(|_, posted| posted.about != about);
        drop(shown);
        if !numbers.is_empty()
            && let Err(error) = self.app.notification().remove_active(numbers)
        {
            tracing::warn!(%error, "a notification could not be taken back");
        }
    }
}
