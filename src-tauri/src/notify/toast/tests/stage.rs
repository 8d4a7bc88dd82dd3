//! The contract, kept to through what Windows is given and hands back.

use std::collections::{HashMap, HashSet};

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::super::contract::kept::{PATIENCE, Seen, Stage, kept, request};
use super::super::super::contract::{Clicked, Notifier};
use super::super::super::numbered::queue::{Queue, Wish};
use super::super::super::numbered::{Numbered, Presses};
use super::*;

/// Windows, for a desk that addresses lead to or another.
struct Windows<const HERE: bool> {
    notifier: Numbered<Queue>,
    wishes: mpsc::UnboundedReceiver<Wish>,
    presses: Presses,
    shown: HashMap<i32, Vec<Element>>,
    removed: HashSet<i32>,
    /// Windows takes away what is pressed.
    pressed: HashSet<i32>,
    tell: mpsc::UnboundedSender<Clicked>,
    clicks: mpsc::UnboundedReceiver<Clicked>,
}

impl<const HERE: bool> Windows<HERE> {
    /// Serves the next wish; a number is one that is shown.
    async fn serve(&mut self) -> Option<i32> {
        match timeout(PATIENCE, self.wishes.recv()).await.expect("something is asked of Windows").unwrap() {
            Wish::Show(number, posted) => {
                let links = if HERE { Links::Here } else { Links::Elsewhere };
                self.shown.insert(number, read(&xml(&posted, links)));
                Some(number)
            }
            Wish::Remove(numbers) => {
                self.removed.extend(numbers);
                None
            }
        }
    }
}

/// The key of the button that is pressed that way.
fn key_of(button: &Element) -> String {
    match button.press() {
        ["protocol", _] => What::Open.to_string(),
        [_, arguments] => arguments.to_owned(),
    }
}

impl<const HERE: bool> Stage for Windows<HERE> {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, wishes) = Queue::new();
        let (tell, clicks) = mpsc::unbounded_channel();
        let presses = Presses::new(&tell);
        let notifier = Numbered::new(queue, presses.clone());
        let (shown, removed, pressed) = Default::default();
        Self { notifier, wishes, presses, shown, removed, pressed, tell, clicks }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        loop {
            let Some(number) = self.serve().await else { continue };
            let read = &self.shown[&number];
            let keys = buttons(read).into_iter().map(key_of).collect();
            return Seen { number, title: texts(read)[0].to_owned(), keys };
        }
    }

    async fn press(&mut self, number: i32, key: Option<&str>) {
        if self.pressed.contains(&number) {
            return;
        }
        let read = &self.shown[&number];
        let pressed = match key {
            None => Some(read[0].clone()),
            Some(key) => buttons(read).into_iter().find(|it| key_of(it) == key).cloned(),
        };
        let [kind, arguments] =
            pressed.as_ref().map_or(["foreground", key.unwrap_or_default()], Element::press);
        match kind {
            "protocol" => {
                let id = addresses::request_of(arguments).expect("the app follows it");
                let _ = self.tell.send(Clicked { about: request(id.as_u128()), what: What::Open });
            }
            _ => self.presses.pressed(Some(number), heard(arguments).expect("it is no link")),
        }
        if pressed.is_some() {
            self.pressed.insert(number);
        }
    }

    async fn gone(&mut self, number: i32) {
        while !self.removed.contains(&number) {
            assert_eq!(self.serve().await, None, "nothing more is shown");
        }
    }

    fn clicks(&mut self) -> &mut mpsc::UnboundedReceiver<Clicked> {
        &mut self.clicks
    }
}

mod with_links {
    use super::{Windows, kept};

    kept!(Windows<true>);
}

mod without_links {
    use super::{Windows, kept};

    kept!(Windows<false>);
}
