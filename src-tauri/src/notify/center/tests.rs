//! Against a macOS that keeps buttons under a name made of theirs, and looks them up when they are pressed.

use std::collections::HashSet;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::contract::kept::{self, PATIENCE, Seen, Stage, kept, posted};
use super::super::contract::{Clicked, Notifier};
use super::super::numbered::queue::Queue;
use super::super::numbered::{Numbered, Presses, TAP};
use super::*;

const GROUP: &str = "desk";

/// A notification as macOS keeps it: its name, and the name under which its buttons are.
struct Kept {
    title: String,
    buttons: String,
}

struct Macos {
    notifier: Numbered<Queue>,
    wishes: mpsc::UnboundedReceiver<Wish>,
    presses: Presses,
    places: Places,
    /// Names and labels of buttons; what comes later under the same name takes the place of what was there.
    sets: HashMap<String, Vec<(String, String)>>,
    shown: HashMap<String, Kept>,
    removed: HashSet<i32>,
    _tell: mpsc::UnboundedSender<Clicked>,
    clicks: mpsc::UnboundedReceiver<Clicked>,
}

impl Macos {
    async fn serve(&mut self) -> Option<i32> {
        match timeout(PATIENCE, self.wishes.recv()).await.expect("something is asked of macOS").unwrap() {
            Wish::Show(number, posted) => {
                let place = self.places.take(number);
                let set: Vec<_> =
                    posted.buttons.into_iter().map(|it| (button(place, it.what), it.label)).collect();
                let mut names: Vec<&str> = set.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                let buttons = names.join(",");
                self.sets.insert(buttons.clone(), set);
                self.shown.insert(name(GROUP, number), Kept { title: posted.title, buttons });
                Some(number)
            }
            Wish::Remove(numbers) => {
                for number in numbers {
                    self.places.free(number);
                    self.removed.insert(number);
                }
                None
            }
        }
    }

    fn buttons(&self, number: i32) -> &[(String, String)] {
        &self.sets[&self.shown[&name(GROUP, number)].buttons]
    }
}

impl Stage for Macos {
    type Number = i32;

    async fn empty() -> Self {
        let (queue, wishes) = Queue::new();
        let (tell, clicks) = mpsc::unbounded_channel();
        let presses = Presses::new(&tell);
        let notifier = Numbered::new(queue, presses.clone());
        let (places, sets, shown, removed) = Default::default();
        Self { notifier, wishes, presses, places, sets, shown, removed, _tell: tell, clicks }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.notifier
    }

    async fn shown(&mut self) -> Seen<i32> {
        loop {
            let Some(number) = self.serve().await else { continue };
            let keys = self.buttons(number).iter().map(|(name, _)| key(name).to_owned()).collect();
            return Seen { number, title: self.shown[&name(GROUP, number)].title.clone(), keys };
        }
    }

    async fn press(&mut self, number: i32, pressed: Option<&str>) {
        let of_key = |pressed: &str| {
            let named = self.buttons(number).iter().find(|(name, _)| key(name) == pressed);
            named.map_or_else(|| pressed.to_owned(), |(name, _)| name.clone())
        };
        match pressed {
            None => self.presses.pressed(Some(number), TAP),
            Some(pressed) => self.presses.pressed(Some(number), key(&of_key(pressed))),
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

kept!(Macos);

#[tokio::test]
async fn the_options_of_one_question_never_stand_on_another() {
    let mut macos = Macos::empty().await;
    let labelled = |number, first: &str| {
        let mut posted = posted(number);
        posted.buttons[0].label = first.to_owned();
        posted
    };
    let labels = |macos: &Macos, number| {
        macos.buttons(number).iter().map(|(_, label)| label.clone()).collect::<Vec<_>>()
    };
    macos.notifier.post(labelled(1, "Keep it"));
    macos.notifier.post(labelled(2, "Delete it"));
    let [first, second] = [macos.shown().await.number, macos.shown().await.number];
    assert_eq!(labels(&macos, first), ["Open", "Keep it", "Session"]);
    assert_eq!(labels(&macos, second), ["Open", "Delete it", "Session"]);
}

#[tokio::test]
async fn names_of_buttons_are_used_again_once_nothing_stands_under_them() {
    let mut macos = Macos::empty().await;
    for number in 1..=100 {
        macos.notifier.post(posted(number));
        let seen = macos.shown().await;
        macos.notifier.withdraw(kept::request(number));
        macos.gone(seen.number).await;
    }
    assert_eq!(macos.sets.len(), 1);
}

#[test]
fn a_place_is_taken_by_one_at_a_time() {
    let mut places = Places::default();
    assert_eq!([places.take(1), places.take(2), places.take(3)], [0, 1, 2]);
    places.free(2);
    places.free(9);
    assert_eq!([places.take(4), places.take(5)], [1, 3]);
}

#[test]
fn what_an_earlier_run_left_is_told_from_what_is_another_desks() {
    assert!(is_of("desk", &name("desk", 7)));
    for other in ["", "desk", "desk-12/7", "des/7", "another/7"] {
        assert!(!is_of("desk", other), "{other}");
    }
    assert_eq!(key("3/q1o1"), "q1o1");
    assert_eq!(key("com.apple.something"), "com.apple.something");
}

#[test]
fn what_is_over_before_the_person_allows_it_is_not_shown_then() {
    let mut held = BTreeMap::new();
    for wish in [
        Wish::Show(1, posted(1)),
        Wish::Show(2, posted(2)),
        Wish::Remove(vec![1, 9]),
        Wish::Show(3, posted(3)),
    ] {
        hold(&mut held, wish);
    }
    assert_eq!(held.into_keys().collect::<Vec<_>>(), [2, 3]);
}
