//! Against a screen that keeps to what macOS and Windows do with the plugin: it shows what it is given under our numbers, and a
//! press names number and key.

use tokio::time::timeout;

use super::super::contract::kept::{self, PATIENCE, Seen, Stage, kept, posted};
use super::*;

enum Did {
    Showed(i32, Posted),
    Removed(Vec<i32>),
}

struct Told(mpsc::UnboundedSender<Did>);

impl Screen for Told {
    fn show(&mut self, number: i32, posted: Posted) {
        self.0.send(Did::Showed(number, posted)).unwrap();
    }

    fn remove(&mut self, numbers: Vec<i32>) {
        self.0.send(Did::Removed(numbers)).unwrap();
    }
}

struct Desktop {
    notifier: Numbered<Told>,
    pressed: Shown,
    tell: mpsc::UnboundedSender<Clicked>,
    clicks: mpsc::UnboundedReceiver<Clicked>,
    did: mpsc::UnboundedReceiver<Did>,
    removed: Vec<i32>,
}

impl Desktop {
    async fn next_shown(&mut self) -> (i32, Posted) {
        loop {
            match timeout(PATIENCE, self.did.recv()).await.expect("something is shown").unwrap() {
                Did::Showed(number, posted) => return (number, posted),
                Did::Removed(numbers) => self.removed.extend(numbers),
            }
        }
    }
}

impl Stage for Desktop {
    type Number = i32;

    async fn empty() -> Self {
        let (told, did) = mpsc::unbounded_channel();
        let (tell, clicks) = mpsc::unbounded_channel();
        let pressed = Shown::default();
        let notifier = Numbered::new(Told(told), pressed.clone());
        Self { notifier, pressed, tell, clicks, did, removed: Vec::new() }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        let (number, posted) = self.next_shown().await;
        let keys = posted.buttons.iter().map(|button| button.what.to_string()).collect();
        Seen { number, title: posted.title, keys }
    }

    async fn press(&mut self, number: i32, key: Option<&str>) {
        self.pressed.pressed(Some(number), key.unwrap_or(TAP), &self.tell);
    }

    async fn gone(&mut self, number: i32) {
        while !self.removed.contains(&number) {
            match timeout(PATIENCE, self.did.recv()).await.expect("it is taken away").unwrap() {
                Did::Removed(numbers) => self.removed.extend(numbers),
                Did::Showed(other, _) => panic!("{other} is shown"),
            }
        }
    }

    fn clicks(&mut self) -> &mut mpsc::UnboundedReceiver<Clicked> {
        &mut self.clicks
    }
}

kept!(Desktop);

#[tokio::test]
async fn the_first_button_answers_nothing_because_macos_takes_its_menu_for_it() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(posted(1));
    let (_, shown) = desktop.next_shown().await;
    let whats: Vec<What> = shown.buttons.iter().map(|button| button.what).collect();
    assert_eq!(whats, [What::Open, kept::option(0), kept::option(1)]);
}

#[tokio::test]
async fn a_press_without_a_number_means_nothing() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(posted(1));
    desktop.next_shown().await;
    desktop.pressed.pressed(None, TAP, &desktop.tell);
    kept::quiet(&mut desktop.clicks).await;
}
