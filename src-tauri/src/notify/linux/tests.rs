//! Tests against a simulated daemon on a private bus.

#[path = "../../../tests/private_bus.rs"]
mod private_bus;

use std::time::Duration;

use tempfile::TempDir;
use tokio::time::timeout;
use zbus::connection;
use zbus::zvariant::OwnedValue;

use super::super::notifier::Button;
use super::super::notifier::fixtures::{notification, option, request};
use super::*;
use private_bus::Bus;

/// How long a step may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing may happen.
const QUIET: Duration = Duration::from_millis(200);

async fn next(activations: &mut mpsc::UnboundedReceiver<Activation>) -> Activation {
    timeout(PATIENCE, activations.recv()).await.expect("a press is reported").unwrap()
}

async fn quiet<T: std::fmt::Debug>(of: &mut mpsc::UnboundedReceiver<T>) {
    let more = timeout(QUIET, of.recv()).await;
    assert!(more.is_err(), "{more:?}");
}

async fn start_daemon(bus: &Bus, capabilities: &[&str]) -> Daemon {
    let (tell, calls) = mpsc::unbounded_channel();
    let capabilities = capabilities.iter().map(ToString::to_string).collect();
    let served = Served { last: 0, capabilities, tell };
    let builder = connection::Builder::address(bus.address.as_str()).unwrap();
    let builder = builder.serve_at(OBJECT, served).unwrap().name(DAEMON).unwrap();
    Daemon { bus: builder.build().await.unwrap(), calls }
}

#[derive(Debug, PartialEq)]
enum SoundHint {
    None,
    Suppressed,
    File(PathBuf),
}

#[derive(Debug, PartialEq)]
enum DaemonCall {
    Shown { number: u32, replaces: u32, title: String, body: String, actions: Vec<String>, sound: SoundHint },
    Closed { number: u32 },
}

struct Served {
    last: u32,
    capabilities: Vec<String>,
    tell: mpsc::UnboundedSender<DaemonCall>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Served {
    fn get_capabilities(&self) -> Vec<String> {
        self.capabilities.clone()
    }

    #[expect(
        clippy::too_many_arguments,
        clippy::needless_pass_by_value,
        reason = "the signature is the specification's"
    )]
    fn notify(
        &mut self,
        app: &str,
        replaces: u32,
        _icon: String,
        title: String,
        body: String,
        actions: Vec<String>,
        hints: HashMap<&str, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        assert_eq!(app, "Askdesk");
        assert_eq!(u8::try_from(&hints["urgency"]).unwrap(), 1);
        assert_eq!(<&str>::try_from(&hints["desktop-entry"]).unwrap(), "Askdesk");
        let sound = match (hints.get("sound-file"), hints.get("suppress-sound")) {
            (Some(file), None) => SoundHint::File(<&str>::try_from(file).unwrap().into()),
            (None, Some(suppressed)) if bool::try_from(suppressed).unwrap() => SoundHint::Suppressed,
            (None, None) => SoundHint::None,
            both => panic!("{both:?}"),
        };
        if replaces == 0 {
            self.last += 1;
        }
        let number = if replaces == 0 { self.last } else { replaces };
        self.tell.send(DaemonCall::Shown { number, replaces, title, body, actions, sound }).unwrap();
        number
    }

    fn close_notification(&mut self, number: u32) {
        self.tell.send(DaemonCall::Closed { number }).unwrap();
    }
}

struct Daemon {
    bus: Connection,
    calls: mpsc::UnboundedReceiver<DaemonCall>,
}

impl Daemon {
    async fn call(&mut self) -> DaemonCall {
        timeout(PATIENCE, self.calls.recv()).await.expect("a call to the daemon").unwrap()
    }

    /// Waits for a notification, and until its number is sent.
    async fn shows(&mut self) -> u32 {
        let DaemonCall::Shown { number, .. } = self.call().await else { panic!("nothing was shown") };
        self.settle().await;
        number
    }

    /// Waits for a reply, which is sent after all earlier ones.
    async fn settle(&self) {
        let name = self.bus.unique_name().unwrap().clone();
        self.bus.call_method(Some(name), OBJECT, Some(DAEMON), "GetCapabilities", &()).await.unwrap();
    }

    async fn press(&self, number: u32, key: &str) {
        self.bus.emit_signal(None::<&str>, OBJECT, DAEMON, "ActionInvoked", &(number, key)).await.unwrap();
    }

    async fn token(&self, number: u32, token: &str) {
        self.bus
            .emit_signal(None::<&str>, OBJECT, DAEMON, "ActivationToken", &(number, token))
            .await
            .unwrap();
    }

    async fn closed(&self, number: u32) {
        let by_user = 2;
        self.closed_for(number, by_user).await;
    }

    async fn closed_for(&self, number: u32, reason: u32) {
        let body = (number, reason);
        self.bus.emit_signal(None::<&str>, OBJECT, DAEMON, "NotificationClosed", &body).await.unwrap();
    }
}

const ALL: &[&str] = &["actions", "body", "body-markup"];

/// The simulated daemon and the notifier on one bus.
struct Desktop {
    app: LinuxNotifier,
    activations: mpsc::UnboundedReceiver<Activation>,
    daemon: Daemon,
    closed: Vec<u32>,
    folder: TempDir,
    // Dropped last, because the others use it.
    bus: Bus,
}

/// Starts a notifier whose sound file is in a folder.
fn start_notifier(bus: &Bus, folder: &TempDir) -> (LinuxNotifier, mpsc::UnboundedReceiver<Activation>) {
    let (tell, activations) = mpsc::unbounded_channel();
    let connect = connection::Builder::address(bus.address.as_str()).unwrap();
    let folder = folder.path().to_owned();
    (LinuxNotifier::with(async { connect.build().await }, tell, folder), activations)
}

impl Desktop {
    async fn with(capabilities: &[&str]) -> Self {
        let (bus, folder) = (Bus::start(), TempDir::new().unwrap());
        let daemon = start_daemon(&bus, capabilities).await;
        let (app, activations) = start_notifier(&bus, &folder);
        Self { app, activations, daemon, closed: Vec::new(), folder, bus }
    }

    async fn next(&mut self) -> Activation {
        next(&mut self.activations).await
    }
}

/// A notification that the daemon shows.
struct Seen {
    number: u32,
    title: String,
    keys: Vec<String>,
}

impl Desktop {
    async fn empty() -> Self {
        Self::with(ALL).await
    }

    /// Waits until a notification is shown and can be pressed.
    async fn shown(&mut self) -> Seen {
        loop {
            match self.daemon.call().await {
                DaemonCall::Shown { number, replaces, title, actions, .. } => {
                    self.closed.extend(Some(replaces).filter(|replaced| *replaced != 0));
                    self.daemon.settle().await;
                    let keys = actions.into_iter().step_by(2).filter(|key| key != DEFAULT).collect();
                    return Seen { number, title, keys };
                }
                DaemonCall::Closed { number } => self.closed.push(number),
            }
        }
    }

    /// Waits until a notification is removed or replaced.
    async fn gone(&mut self, number: u32) {
        while !self.closed.contains(&number) {
            let DaemonCall::Closed { number } = self.daemon.call().await else { panic!("another is shown") };
            self.closed.push(number);
        }
    }
}

#[tokio::test]
async fn each_press_has_the_action_of_its_button_and_counts_once() {
    let mut desktop = Desktop::empty().await;
    for (number, key, action) in
        [(1, "q1o1", option(0)), (2, "q1o2", option(1)), (3, "open", ButtonAction::Open)]
    {
        desktop.app.post(notification(number));
        let seen = desktop.shown().await;
        desktop.daemon.press(seen.number, key).await;
        desktop.daemon.press(seen.number, key).await;
        assert_eq!(desktop.next().await, Activation::new(request(number), action));
    }
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn an_unknown_button_cannot_be_pressed() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let seen = desktop.shown().await;
    for key in ["q1o3", "undo", "JWT", "", "q9o9", "q1o1"] {
        desktop.daemon.press(seen.number, key).await;
    }
    assert_eq!(desktop.next().await, Activation::new(request(1), option(0)));
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_notification_replaces_the_earlier_one_of_its_subject() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.shown().await;
    let undo = Button { action: ButtonAction::Undo, label: "Undo".to_owned() };
    let answered = Notification { title: "Answered".to_owned(), buttons: vec![undo], ..notification(1) };
    desktop.app.post(answered);
    let second = desktop.shown().await;
    assert_eq!((second.title.as_str(), second.keys.as_slice()), ("Answered", ["undo".to_owned()].as_slice()));
    desktop.gone(first.number).await;
    desktop.daemon.press(first.number, "q1o1").await;
    desktop.daemon.press(second.number, "undo").await;
    assert_eq!(desktop.next().await, Activation::new(request(1), ButtonAction::Undo));
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_withdrawn_notification_is_removed_and_others_stay() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.shown().await;
    desktop.app.post(notification(2));
    let second = desktop.shown().await;
    desktop.app.withdraw(request(1));
    desktop.app.withdraw(request(3));
    desktop.gone(first.number).await;
    desktop.daemon.press(first.number, "q1o1").await;
    desktop.daemon.press(second.number, "q1o2").await;
    assert_eq!(desktop.next().await, Activation::new(request(2), option(1)));
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_burst_of_sixty_presses_loses_none() {
    let mut desktop = Desktop::empty().await;
    (1..=60).for_each(|number| desktop.app.post(notification(number)));
    // Notifications that are posted at once may be shown in any order.
    let mut shown = Vec::new();
    for _ in 1..=60 {
        shown.push(desktop.shown().await);
    }
    for seen in &shown {
        desktop.daemon.press(seen.number, "q1o2").await;
    }
    for seen in shown {
        let subject = request(seen.title.parse().unwrap());
        assert_eq!(desktop.next().await, Activation::new(subject, option(1)));
    }
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_notification_offers_its_options_an_open_button_and_a_default_action() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let DaemonCall::Shown { number, actions, body, .. } = desktop.daemon.call().await else { panic!() };
    assert_eq!(actions, ["default", "Open", "q1o1", "JWT", "q1o2", "Session", "open", "Open"]);
    assert_eq!(body, "a &lt; b &amp;&amp; c");
    desktop.daemon.settle().await;
    desktop.daemon.press(number, "default").await;
    assert_eq!(desktop.next().await, Activation::new(request(1), ButtonAction::Open));
}

#[tokio::test]
async fn a_daemon_without_actions_and_markup_gets_plain_text() {
    let mut desktop = Desktop::with(&["body"]).await;
    desktop.app.post(notification(1));
    let DaemonCall::Shown { actions, body, .. } = desktop.daemon.call().await else { panic!() };
    assert_eq!(actions, [] as [&str; 0]);
    assert_eq!(body, "a < b && c");
}

#[tokio::test]
async fn a_sound_is_sent_as_a_file_and_suppressed_otherwise() {
    let mut desktop = Desktop::with(&["actions", "sound"]).await;
    let loud = |number| Notification { sound: Sound::On, ..notification(number) };
    let file = desktop.folder.path().join("question.wav");
    for (notification, expected) in [
        (loud(1), SoundHint::File(file.clone())),
        (notification(1), SoundHint::Suppressed),
        (loud(1), SoundHint::File(file.clone())),
        (notification(2), SoundHint::Suppressed),
    ] {
        desktop.app.post(notification);
        let DaemonCall::Shown { number, sound, .. } = desktop.daemon.call().await else { panic!() };
        assert_eq!(sound, expected);
        desktop.daemon.settle().await;
        // Once the click has arrived, the number is known, and the next one can replace it.
        desktop.daemon.press(number, "open").await;
        desktop.next().await;
    }
    assert!(std::fs::read(file).unwrap().starts_with(b"RIFF"));
}

#[tokio::test]
async fn a_daemon_without_sound_gets_no_sound_hint() {
    let mut desktop = Desktop::empty().await;
    for (number, sound) in [(1, Sound::On), (2, Sound::Off)] {
        desktop.app.post(Notification { sound, ..notification(number) });
        let DaemonCall::Shown { sound, .. } = desktop.daemon.call().await else { panic!() };
        assert_eq!(sound, SoundHint::None);
    }
    assert!(!desktop.folder.path().join("question.wav").exists());
}

#[tokio::test]
async fn a_click_on_an_unknown_or_closed_notification_does_nothing() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.daemon.shows().await;
    desktop.app.post(notification(2));
    let second = desktop.daemon.shows().await;
    desktop.daemon.press(99, "q1o1").await;
    desktop.daemon.closed(second).await;
    desktop.daemon.press(second, "q1o1").await;
    desktop.daemon.press(first, "q1o1").await;
    assert_eq!(desktop.next().await, Activation::new(request(1), option(0)));
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_notification_that_expired_can_still_be_clicked_and_withdrawn() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.daemon.shows().await;
    desktop.app.post(notification(2));
    let second = desktop.daemon.shows().await;
    for number in [first, second] {
        desktop.daemon.closed_for(number, EXPIRED).await;
    }
    desktop.daemon.press(first, "q1o1").await;
    assert_eq!(desktop.next().await, Activation::new(request(1), option(0)));
    desktop.app.withdraw(request(2));
    desktop.gone(second).await;
}

#[tokio::test]
async fn a_click_brings_the_token_of_its_own_notification() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.daemon.shows().await;
    desktop.app.post(notification(2));
    let second = desktop.daemon.shows().await;
    desktop.daemon.token(first, "token-1").await;
    desktop.daemon.press(second, "q1o1").await;
    assert_eq!(desktop.next().await, Activation::new(request(2), option(0)));
    desktop.daemon.press(first, "q1o1").await;
    let token = Some("token-1".to_owned());
    assert_eq!(desktop.next().await, Activation { token, ..Activation::new(request(1), option(0)) });
}

#[tokio::test]
async fn signals_of_other_programs_are_ignored() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let number = desktop.daemon.shows().await;
    let other = connection::Builder::address(desktop.bus.address.as_str()).unwrap().build().await.unwrap();
    let app_name =
        desktop.daemon.bus.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), "ListNames", &()).await;
    let names: Vec<String> = app_name.unwrap().body().deserialize().unwrap();
    for name in names.iter().filter(|name| name.starts_with(':')) {
        let to = Some(name.as_str());
        other.emit_signal(to, OBJECT, DAEMON, "ActionInvoked", &(number, "q1o1")).await.unwrap();
    }
    quiet(&mut desktop.activations).await;
}

#[tokio::test]
async fn a_clicked_notification_is_replaced_under_its_own_number() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let first = desktop.daemon.shows().await;
    desktop.daemon.press(first, "q1o1").await;
    desktop.next().await;
    desktop.app.post(notification(1));
    let DaemonCall::Shown { number, replaces, .. } = desktop.daemon.call().await else { panic!() };
    assert_eq!((number, replaces), (first, first));
    desktop.daemon.settle().await;
    desktop.daemon.press(first, "q1o2").await;
    assert_eq!(desktop.next().await, Activation::new(request(1), option(1)));
    desktop.app.withdraw(request(1));
    assert_eq!(desktop.daemon.call().await, DaemonCall::Closed { number: first });
}

#[tokio::test]
async fn a_notification_that_is_withdrawn_or_replaced_before_it_has_a_number_is_closed() {
    let mut desktop = Desktop::empty().await;
    // Once the capabilities are known, notifications are sent at once.
    desktop.app.post(notification(9));
    desktop.daemon.shows().await;
    desktop.app.post(notification(1));
    desktop.app.withdraw(request(1));
    let one = desktop.daemon.shows().await;
    assert_eq!(desktop.daemon.call().await, DaemonCall::Closed { number: one });
    desktop.app.post(Notification { title: "earlier".to_owned(), ..notification(2) });
    desktop.app.post(Notification { title: "later".to_owned(), ..notification(2) });
    let (mut earlier, mut later, mut closed) = (None, None, None);
    // A number that is known in time is reused, and nothing is closed.
    while earlier.is_none() || later.is_none() || (earlier != later && closed.is_none()) {
        let (place, number) = match desktop.daemon.call().await {
            DaemonCall::Shown { number, title, .. } if title == "earlier" => (&mut earlier, number),
            DaemonCall::Shown { number, .. } => (&mut later, number),
            DaemonCall::Closed { number } => (&mut closed, number),
        };
        assert_eq!(place.replace(number), None);
    }
    assert_eq!(closed, earlier.filter(|_| earlier != later));
    quiet(&mut desktop.daemon.calls).await;
}

#[tokio::test]
async fn a_restarted_daemon_gets_new_notifications_only() {
    let mut desktop = Desktop::empty().await;
    desktop.app.post(notification(1));
    let before = desktop.daemon.shows().await;
    drop(desktop.daemon);
    desktop.daemon = start_daemon(&desktop.bus, &["actions"]).await;
    // The new daemon may use the same number for another notification.
    desktop.daemon.press(before, "q1o1").await;
    quiet(&mut desktop.activations).await;
    desktop.app.withdraw(request(1));
    desktop.app.post(notification(2));
    let DaemonCall::Shown { number, replaces, body, .. } = desktop.daemon.call().await else { panic!() };
    assert_eq!((number, replaces, body.as_str()), (before, 0, "a < b && c"));
    desktop.daemon.settle().await;
    desktop.daemon.press(number, "open").await;
    assert_eq!(desktop.next().await, Activation::new(request(2), ButtonAction::Open));
}

#[tokio::test]
async fn without_a_daemon_nothing_is_queued_and_a_daemon_that_starts_later_is_used() {
    let (bus, folder) = (Bus::start(), TempDir::new().unwrap());
    let (mut app, mut activations) = start_notifier(&bus, &folder);
    app.post(notification(1));
    app.post(notification(2));
    quiet(&mut activations).await;
    let mut daemon = start_daemon(&bus, ALL).await;
    quiet(&mut daemon.calls).await;
    app.post(notification(3));
    let number = daemon.shows().await;
    daemon.press(number, "q1o1").await;
    assert_eq!(next(&mut activations).await, Activation::new(request(3), option(0)));
}

#[tokio::test]
async fn the_notifier_ends_when_the_bus_is_gone() {
    let (bus, folder) = (Bus::start(), TempDir::new().unwrap());
    let (mut app, _activations) = start_notifier(&bus, &folder);
    app.post(notification(1));
    drop(bus);
    timeout(PATIENCE, app.0.closed()).await.expect("the task ends");
    app.post(notification(2));
    app.withdraw(request(2));
}
