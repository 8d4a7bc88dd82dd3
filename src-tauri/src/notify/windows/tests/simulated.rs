//! The notifier, kept to through what Windows is given and hands back.

use std::collections::{HashMap, HashSet};

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::super::notifier::contract_tests::{PATIENCE, Seen, Stage, notifier_tests, request};
use super::super::super::notifier::{Activation, Notifier};
use super::super::super::numbered::queue::{Command, CommandQueue};
use super::super::super::numbered::{NumberedNotifier, PressHandler};
use super::*;

/// Windows, for a desk that addresses lead to or another.
struct Windows<const HERE: bool> {
    notifier: NumberedNotifier<CommandQueue>,
    commands: mpsc::UnboundedReceiver<Command>,
    presses: PressHandler,
    shown: HashMap<i32, Vec<Element>>,
    removed: HashSet<i32>,
    /// Windows takes away what is pressed.
    pressed: HashSet<i32>,
    tell: mpsc::UnboundedSender<Activation>,
    activations: mpsc::UnboundedReceiver<Activation>,
}

impl<const HERE: bool> Windows<HERE> {
    /// Serves the next command; a number is one that is shown.
    async fn serve(&mut self) -> Option<i32> {
        match timeout(PATIENCE, self.commands.recv()).await.expect("something is asked of Windows").unwrap() {
            Command::Show(number, notification) => {
                let links = if HERE { DeepLinks::ThisRun } else { DeepLinks::OtherRun };
                self.shown.insert(number, read(&xml(&notification, links)));
                Some(number)
            }
            Command::Remove(numbers) => {
                self.removed.extend(numbers);
                None
            }
        }
    }
}

/// The key of the button that is pressed that way.
fn key_of(button: &Element) -> String {
    match button.press() {
        ["protocol", _] => ButtonAction::Open.to_string(),
        [_, arguments] => arguments.to_owned(),
    }
}

impl<const HERE: bool> Stage for Windows<HERE> {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, commands) = CommandQueue::new();
        let (tell, activations) = mpsc::unbounded_channel();
        let presses = PressHandler::new(&tell);
        let notifier = NumberedNotifier::new(queue, presses.clone());
        let (shown, removed, pressed) = Default::default();
        Self { notifier, commands, presses, shown, removed, pressed, tell, activations }
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
                let id = deep_link::target_of(arguments).expect("the app follows it");
                let _ =
                    self.tell.send(Activation { subject: request(id.as_u128()), action: ButtonAction::Open });
            }
            _ => self.presses.pressed(Some(number), clicked_key(arguments).expect("it is no link")),
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

    fn activations(&mut self) -> &mut mpsc::UnboundedReceiver<Activation> {
        &mut self.activations
    }
}

mod with_links {
    use super::{Windows, notifier_tests};

    notifier_tests!(Windows<true>);
}

mod without_links {
    use super::{Windows, notifier_tests};

    notifier_tests!(Windows<false>);
}
