//! Against a screen that keeps to what macOS and Windows do with the plugin: it shows what it is given under our numbers, and a
//! press names number and key.

use tokio::time::timeout;

use super::super::contract::kept::{self, PATIENCE, Seen, Stage, kept, posted};
use super::queue::{Queue, Wish};
use super::*;

struct Desktop {
    notifier: Numbered<Queue>,
    presses: Presses,
    wishes: mpsc::UnboundedReceiver<Wish>,
    removed: Vec<i32>,
    _tell: mpsc::UnboundedSender<Clicked>,
    clicks: mpsc::UnboundedReceiver<Clicked>,
}

impl Desktop {
    async fn next_shown(&mut self) -> (i32, Posted) {
        loop {
            match timeout(PATIENCE, self.wishes.recv()).await.expect("something is shown").unwrap() {
                Wish::Show(number, posted) => return (number, posted),
                Wish::Remove(numbers) => self.removed.extend(numbers),
            }
        }
    }
}

impl Stage for Desktop {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, wishes) = Queue::new();
        let (tell, clicks) = mpsc::unbounded_channel();
        let presses = Presses::new(&tell);
        let notifier = Numbered::new(queue, presses.clone());
        Self { notifier, presses, wishes, removed: Vec::new(), _tell: tell, clicks }
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
        self.presses.pressed(Some(number), key.unwrap_or(TAP));
    }

    async fn gone(&mut self, number: i32) {
        while !self.removed.contains(&number) {
            match timeout(PATIENCE, self.wishes.recv()).await.expect("it is taken away").unwrap() {
                Wish::Remove(numbers) => self.removed.extend(numbers),
                Wish::Show(other, _) => panic!("{other} is shown"),
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
    desktop.presses.pressed(None, TAP);
    kept::quiet(&mut desktop.clicks).await;
}

#[tokio::test]
async fn what_was_pressed_is_taken_away_with_what_it_is_about() {
    let mut desktop = Desktop::empty().await;
    desktop.notifier.post(posted(1));
    let (number, _) = desktop.next_shown().await;
    desktop.presses.pressed(Some(number), "q1o1");
    desktop.notifier.withdraw(kept::request(1));
    desktop.gone(number).await;
}

#[tokio::test]
async fn nobody_waits_for_clicks_once_who_shows_is_gone() {
    let Desktop { presses, _tell, mut clicks, .. } = Desktop::empty().await;
    drop(_tell);
    assert_eq!(timeout(PATIENCE, clicks.recv()).await.expect("it ends"), None);
    presses.pressed(Some(1), TAP);
}
