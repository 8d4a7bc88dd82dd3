//! macOS itself. It takes notifications only from an app in a bundle, which its caller has looked for.

use std::collections::{BTreeMap, HashMap};
use std::pin::pin;

use mac_usernotifications::{
    Action, Error, Notification, close_delivered, get_delivered_notification_ids, request_auth,
};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::super::contract::{Clicked, Heard, Posted};
use super::super::numbered::queue::{Queue, Wish};
use super::super::numbered::{Numbered, Presses, TAP};
use super::{Places, button, hold, is_of, key, name};

/// Shows notifications in macOS's center, and hears every press from now on. What an earlier run has left in the group is taken
/// away: nobody hears presses on that.
pub fn start(group: String, clicks: mpsc::UnboundedSender<Clicked>) -> Numbered<Queue> {
    let (queue, wishes) = Queue::new();
    let presses = Presses::new(&clicks);
    let heard = presses.clone();
    tauri::async_runtime::spawn(async move {
        serve(group, heard, wishes).await;
        // Who waits for the end of this hears of no click any more.
        drop(clicks);
    });
    Numbered::new(queue, presses)
}

async fn serve(group: String, presses: Presses, mut wishes: mpsc::UnboundedReceiver<Wish>) {
    for left in get_delivered_notification_ids().await {
        if is_of(&group, &left) {
            close_delivered(&left).await;
        }
    }
    let Some((held, said)) = allowed(&mut wishes).await else { return };
    let (places, listening, listeners) = Default::default();
    let mut center = Center { group, presses, places, listening, listeners, said };
    for (number, posted) in held {
        center.show(number, posted).await;
    }
    loop {
        tokio::select! {
            wish = wishes.recv() => match wish {
                Some(Wish::Show(number, posted)) => center.show(number, posted).await,
                Some(Wish::Remove(numbers)) => center.remove(numbers).await,
                None => return,
            },
            Some(over) = center.listening.join_next() => {
                // One that was taken away is free already.
                if let Ok(number) = over {
                    center.free(number);
                }
            }
        }
    }
}

/// Asks the person once, when first something is to be shown, and returns what is to be shown by then, and whether the log says
/// already that nothing can be; none where the app ends before.
async fn allowed(wishes: &mut mpsc::UnboundedReceiver<Wish>) -> Option<(BTreeMap<i32, Posted>, bool)> {
    let mut held = BTreeMap::new();
    hold(&mut held, wishes.recv().await?);
    let mut asked = pin!(request_auth());
    let allowed = loop {
        tokio::select! {
            allowed = &mut asked => break allowed,
            wish = wishes.recv() => hold(&mut held, wish?),
        }
    };
    match &allowed {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "macOS shows no notifications of this app: they are turned off in its settings. Questions are told of in the window alone"
        ),
        Err(error) => tracing::warn!(%error, "macOS could not be asked to show notifications"),
    }
    Some((held, allowed != Ok(true)))
}

struct Center {
    group: String,
    presses: Presses,
    places: Places,
    /// Those who wait for a press, one for each notification that stands; none has a thread.
    listening: JoinSet<i32>,
    listeners: HashMap<i32, AbortHandle>,
    /// Whether the log says already that macOS takes none.
    said: bool,
}

impl Center {
    async fn show(&mut self, number: i32, posted: Posted) {
        let place = self.places.take(number);
        let mut notification = Notification::new().id(&name(&self.group, number));
        notification = notification.title(posted.title).message(posted.body);
        for it in posted.buttons {
            notification = notification.action(Action::button(button(place, it.what), it.label));
        }
        if posted.heard == Heard::Sound {
            notification = notification.default_sound();
        }
        match notification.send().await {
            Ok(sent) => {
                let presses = self.presses.clone();
                let listener = self.listening.spawn(async move {
                    // With a button, as all have one, nothing is asked of macOS again and again meanwhile.
                    match sent.response().await {
                        Ok(response) if response.is_dismiss_action() => {}
                        Ok(response) if response.is_default_action() => presses.pressed(Some(number), TAP),
                        Ok(response) => presses.pressed(Some(number), key(&response.action_identifier)),
                        Err(error) => tracing::debug!(number, %error, "nobody hears of this notification"),
                    }
                    number
                });
                self.listeners.insert(number, listener);
            }
            Err(error) => {
                self.places.free(number);
                self.say(&error);
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
        self.places.free(number);
    }

    fn say(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.said, true) {
            tracing::warn!(%error, "macOS did not take a notification: questions are told of in the window alone");
        }
    }
}
