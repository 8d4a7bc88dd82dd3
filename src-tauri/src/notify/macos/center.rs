//! macOS's notification center. It only accepts notifications from an app in a bundle, which the caller checks.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;

use mac_usernotifications::{
    Action, Error, Notification as MacNotification, close_delivered, get_delivered_notification_ids,
    request_auth,
};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::super::notifier::{Activation, Notification, Sound};
use super::super::numbered::queue::{Command, CommandQueue};
use super::super::numbered::{NumberedNotifier, PressHandler, TAP};
use super::{Slots, button_id, hold, is_of, key, name};

/// Starts the backend. Removes the group's notifications of an earlier run, because nobody receives clicks on them.
pub fn start(
    group: String,
    activations: mpsc::UnboundedSender<Activation>,
) -> NumberedNotifier<CommandQueue> {
    let (queue, commands) = CommandQueue::new();
    let handler = PressHandler::new(&activations);
    let presses = handler.clone();
    tauri::async_runtime::spawn(async move {
        serve(group, presses, commands).await;
        // This closes the channel.
        drop(activations);
    });
    NumberedNotifier::new(queue, handler)
}

async fn serve(group: String, presses: PressHandler, mut commands: mpsc::UnboundedReceiver<Command>) {
    for left in get_delivered_notification_ids().await {
        if is_of(&group, &left) {
            close_delivered(&left).await;
        }
    }
    let Some((held, logged)) = ask_permission(&mut commands).await else { return };
    let (slots, listening, listeners) = Default::default();
    let mut center = Center { group, presses, slots, listening, listeners, logged };
    for (number, notification) in held {
        center.show(number, notification).await;
    }
    loop {
        tokio::select! {
            command = commands.recv() => match command {
                Some(Command::Show(number, notification)) => center.show(number, notification).await,
                Some(Command::Remove(numbers)) => center.remove(numbers).await,
                None => return,
            },
            Some(ended) = center.listening.join_next() => {
                // A removed notification has already freed its slot.
                if let Ok(number) = ended {
                    center.free(number);
                }
            }
        }
    }
}

/// Asks the user for permission when the first notification comes. Returns the notifications of the meantime and whether a
/// refusal was logged; none if the app ends first.
async fn ask_permission(
    commands: &mut mpsc::UnboundedReceiver<Command>,
) -> Option<(BTreeMap<i32, Notification>, bool)> {
    let mut held = BTreeMap::new();
    hold(&mut held, commands.recv().await?);
    let mut asked = pin!(request_auth());
    let allowed = loop {
        tokio::select! {
            allowed = &mut asked => break allowed,
            command = commands.recv() => hold(&mut held, command?),
        }
    };
    match &allowed {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "macOS shows no notifications of this app: they are turned off in the system settings. Questions are only shown in the window"
        ),
        Err(error) => tracing::warn!(%error, "macOS could not be asked to show notifications"),
    }
    Some((held, allowed != Ok(true)))
}

struct Center {
    group: String,
    presses: PressHandler,
    slots: Slots,
    /// One task per shown notification, which waits for a click.
    listening: JoinSet<i32>,
    listeners: HashMap<i32, AbortHandle>,
    logged: bool,
}

impl Center {
    async fn show(&mut self, number: i32, notification: Notification) {
        let slot = self.slots.take(number);
        let mut native = MacNotification::new().id(&name(&self.group, number));
        native = native.title(notification.title).message(notification.body);
        for it in notification.buttons {
            native = native.action(Action::button(button_id(slot, it.action), it.label));
        }
        if notification.sound == Sound::On {
            native = native.default_sound();
        }
        match native.send().await {
            Ok(sent) => {
                let presses = self.presses.clone();
                let listener = self.listening.spawn(async move {
                    // All notifications have a button; without one, this would poll macOS.
                    match sent.response().await {
                        Ok(response) if response.is_dismiss_action() => {}
                        Ok(response) if response.is_default_action() => presses.pressed(Some(number), TAP),
                        Ok(response) => presses.pressed(Some(number), key(&response.action_identifier)),
                        Err(error) => {
                            tracing::debug!(number, %error, "clicks on this notification cannot be received")
                        }
                    }
                    number
                });
                self.listeners.insert(number, listener);
            }
            Err(error) => {
                self.slots.free(number);
                self.log(&error);
            }
        }
    }

    async fn remove(&mut self, numbers: Vec<i32>) {
        for number in numbers {
            close_delivered(&name(&self.group, number)).await;
            if let Some(listener) = self.listeners.get(&number) {
                listener.abort();
            }
            self.free(number);
        }
    }

    fn free(&mut self, number: i32) {
        self.listeners.remove(&number);
        self.slots.free(number);
    }

    fn log(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.logged, true) {
            tracing::warn!(%error, "macOS refused a notification: questions are only shown in the window");
        }
    }
}
