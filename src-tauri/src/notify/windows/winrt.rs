//! Windows' notification API, used in order by one thread.

use std::collections::HashMap;
use std::{io, thread};

use tokio::sync::mpsc;
use windows::Data::Xml::Dom::XmlDocument;
use windows::Foundation::TypedEventHandler;
use windows::UI::Notifications::{
    ToastActivatedEventArgs, ToastFailedEventArgs, ToastNotification, ToastNotificationManager, ToastNotifier,
};
use windows::core::{HSTRING, IInspectable, Interface, Result};

use super::super::notifier::{Activation, Notification};
use super::super::numbered::queue::{Command, CommandQueue};
use super::super::numbered::{NumberedNotifier, PressHandler};
use super::{DeepLinks, clicked_key, xml};

/// Starts the backend for the app that is installed under an id. Removes the group's notifications of an earlier run, because
/// nobody receives clicks on them.
pub fn start(
    app: &str,
    group: &str,
    links: DeepLinks,
    activations: mpsc::UnboundedSender<Activation>,
) -> io::Result<NumberedNotifier<CommandQueue>> {
    let (queue, mut commands) = CommandQueue::new();
    let handler = PressHandler::new(&activations);
    let (app, group) = (HSTRING::from(app), HSTRING::from(group));
    let mut toasts =
        Toasts { app, group, links, presses: handler.clone(), notifier: None, shown: HashMap::new() };
    thread::Builder::new().name("toasts".to_owned()).spawn(move || {
        if let Err(error) = toasts.clear() {
            tracing::info!(%error, "notifications of an earlier run may still be shown");
        }
        while let Some(command) = commands.blocking_recv() {
            toasts.run(command);
        }
        // This closes the channel.
        drop(activations);
    })?;
    Ok(NumberedNotifier::new(queue, handler))
}

struct Toasts {
    app: HSTRING,
    group: HSTRING,
    links: DeepLinks,
    presses: PressHandler,
    notifier: Option<ToastNotifier>,
    /// Windows reports clicks as long as these exist.
    shown: HashMap<i32, ToastNotification>,
}

impl Toasts {
    fn clear(&self) -> Result<()> {
        ToastNotificationManager::History()?.RemoveGroupWithId(&self.group, &self.app)
    }

    fn run(&mut self, command: Command) {
        match command {
            Command::Show(number, notification) => {
                if let Err(error) = self.show(number, &notification) {
                    tracing::warn!(number, %error, "a notification could not be shown");
                }
            }
            Command::Remove(numbers) => {
                for number in numbers {
                    self.shown.remove(&number);
                    if let Err(error) = self.remove(number) {
                        tracing::warn!(number, %error, "a notification could not be withdrawn");
                    }
                }
            }
        }
    }

    fn show(&mut self, number: i32, notification: &Notification) -> Result<()> {
        let content = XmlDocument::new()?;
        content.LoadXml(&HSTRING::from(xml(notification, self.links)))?;
        let toast = ToastNotification::CreateToastNotification(&content)?;
        toast.SetTag(&tag(number))?;
        toast.SetGroup(&self.group)?;
        let presses = self.presses.clone();
        toast.Activated(&TypedEventHandler::<ToastNotification, IInspectable>::new(move |_, event| {
            let arguments = event.ok()?.cast::<ToastActivatedEventArgs>()?.Arguments()?.to_string();
            if let Some(key) = clicked_key(&arguments) {
                presses.pressed(Some(number), key);
            }
            Ok(())
        }))?;
        toast.Failed(&TypedEventHandler::<ToastNotification, ToastFailedEventArgs>::new(
            move |_, event| {
                let error = event.ok()?.ErrorCode()?.message();
                tracing::warn!(number, error, "Windows did not show a notification");
                Ok(())
            },
        ))?;
        self.notifier()?.Show(&toast)?;
        self.shown.insert(number, toast);
        Ok(())
    }

    fn notifier(&mut self) -> Result<&ToastNotifier> {
        let notifier = match self.notifier.take() {
            Some(notifier) => notifier,
            None => ToastNotificationManager::CreateToastNotifierWithId(&self.app)?,
        };
        Ok(self.notifier.insert(notifier))
    }

    fn remove(&self, number: i32) -> Result<()> {
        ToastNotificationManager::History()?.RemoveGroupedTagWithId(&tag(number), &self.group, &self.app)
    }
}

fn tag(number: i32) -> HSTRING {
    HSTRING::from(number.to_string())
}
