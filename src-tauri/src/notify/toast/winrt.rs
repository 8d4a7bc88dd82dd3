//! Windows itself: shows what is written, takes it back by its tag, and hears what is pressed. One thread asks it everything, in
//! order.

use std::collections::HashMap;
use std::{io, thread};

use tokio::sync::mpsc;
use windows::Data::Xml::Dom::XmlDocument;
use windows::Foundation::TypedEventHandler;
use windows::UI::Notifications::{
    ToastActivatedEventArgs, ToastFailedEventArgs, ToastNotification, ToastNotificationManager, ToastNotifier,
};
use windows::core::{HSTRING, IInspectable, Interface, Result};

use super::super::contract::{Clicked, Posted};
use super::super::numbered::queue::{Queue, Wish};
use super::super::numbered::{Numbered, Presses};
use super::{Links, heard, xml};

/// Shows notifications of the app that is installed under an id, and hears every press from now on. What an earlier run has left
/// in the group is taken away: nobody hears presses on that.
pub fn start(
    app: &str,
    group: &str,
    links: Links,
    clicks: mpsc::UnboundedSender<Clicked>,
) -> io::Result<Numbered<Queue>> {
    let (queue, mut wishes) = Queue::new();
    let presses = Presses::new(&clicks);
    let (app, group) = (HSTRING::from(app), HSTRING::from(group));
    let mut toasts =
        Toasts { app, group, links, presses: presses.clone(), notifier: None, standing: HashMap::new() };
    thread::Builder::new().name("toasts".to_owned()).spawn(move || {
        if let Err(error) = toasts.clear() {
            tracing::info!(%error, "notifications of an earlier run may still stand");
        }
        while let Some(wish) = wishes.blocking_recv() {
            toasts.fulfil(wish);
        }
        // Who waits for the end of this hears of no click any more.
        drop(clicks);
    })?;
    Ok(Numbered::new(queue, presses))
}

struct Toasts {
    app: HSTRING,
    group: HSTRING,
    links: Links,
    presses: Presses,
    notifier: Option<ToastNotifier>,
    /// Presses are heard as long as these are there.
    standing: HashMap<i32, ToastNotification>,
}

impl Toasts {
    fn clear(&self) -> Result<()> {
        ToastNotificationManager::History()?.RemoveGroupWithId(&self.group, &self.app)
    }

    fn fulfil(&mut self, wish: Wish) {
        match wish {
            Wish::Show(number, posted) => {
                if let Err(error) = self.show(number, &posted) {
                    tracing::warn!(number, %error, "a notification could not be shown");
                }
            }
            Wish::Remove(numbers) => {
                for number in numbers {
                    self.standing.remove(&number);
                    if let Err(error) = self.remove(number) {
                        tracing::warn!(number, %error, "a notification could not be taken back");
                    }
                }
            }
        }
    }

    fn show(&mut self, number: i32, posted: &Posted) -> Result<()> {
        let content = XmlDocument::new()?;
        content.LoadXml(&HSTRING::from(xml(posted, self.links)))?;
        let toast = ToastNotification::CreateToastNotification(&content)?;
        toast.SetTag(&tag(number))?;
        toast.SetGroup(&self.group)?;
        let presses = self.presses.clone();
        toast.Activated(&TypedEventHandler::<ToastNotification, IInspectable>::new(move |_, event| {
            let arguments = event.ok()?.cast::<ToastActivatedEventArgs>()?.Arguments()?.to_string();
            if let Some(key) = heard(&arguments) {
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
        self.standing.insert(number, toast);
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
