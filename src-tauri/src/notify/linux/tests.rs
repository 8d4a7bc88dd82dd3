//! Against a daemon of the tests' own, on a bus of the tests' own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::time::timeout;
use zbus::connection;
use zbus::zvariant::OwnedValue;

use super::super::notifier::Button;
use super::super::notifier::contract_tests::{
    PATIENCE, Seen, Stage, next, notification, notifier_tests, option, quiet, request,
};
use super::*;

struct Bus {
    process: Child,
    address: String,
    folder: TempDir,
}

impl Bus {
    /// Starts a bus that starts no service by itself.
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = folder.path().join("bus.conf");
        let listen = folder.path().display();
        let text = format!(
            "<!DOCTYPE busconfig PUBLIC '-//linux//DTD D-Bus Bus Configuration 1.0//EN'
                'http://www.linux.org/standards/dbus/1.0/busconfig.dtd'>
            <busconfig><type>session</type><listen>unix:dir={listen}</listen><policy context='default'>
                <allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/>
            </policy></busconfig>"
        );
        fs::write(&settings, text).unwrap();
        let mut process = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", settings.display()))
            .args(["--nofork", "--nopidfile", "--print-address"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { process, address: address.trim().to_owned(), folder }
    }

    /// Opens the app's side of it.
    fn app(&self) -> (LinuxNotifier, mpsc::UnboundedReceiver<Activation>) {
        let (tell, activations) = mpsc::unbounded_channel();
        let connect = connection::Builder::address(self.address.as_str()).unwrap();
        let folder = self.folder.path().to_owned();
        (LinuxNotifier::with(async { connect.build().await }, tell, folder), activations)
    }

    async fn daemon(&self, capabilities: &[&str]) -> Daemon {
        let (tell, sound) = mpsc::unbounded_channel();
        let capabilities = capabilities.iter().map(ToString::to_string).collect();
        let served = Served { last: 0, capabilities, tell };
        let builder = connection::Builder::address(self.address.as_str()).unwrap();
        let builder = builder.serve_at(OBJECT, served).unwrap().name(DAEMON).unwrap();
        Daemon { bus: builder.build().await.unwrap(), sound }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
    sound: mpsc::UnboundedReceiver<DaemonCall>,
}

impl Daemon {
    async fn hears(&mut self) -> DaemonCall {
        timeout(PATIENCE, self.sound.recv()).await.expect("the daemon hears of it").unwrap()
    }

    /// Waits for a notification, and until its number has been told.
    async fn shows(&mut self) -> u32 {
        let DaemonCall::Shown { number, .. } = self.hears().await else { panic!("nothing was shown") };
        self.settle().await;
        number
    }

    /// Asks something and waits for the reply, before which all earlier ones have left.
    async fn settle(&self) {
        let name = self.bus.unique_name().unwrap().clone();
        self.bus.call_method(Some(name), OBJECT, Some(DAEMON), "GetCapabilities", &()).await.unwrap();
    }

    async fn press(&self, number: u32, key: &str) {
        self.bus.emit_signal(None::<&str>, OBJECT, DAEMON, "ActionInvoked", &(number, key)).await.unwrap();
    }

    async fn closed(&self, number: u32) {
        let by_person = 2_u32;
        let body = (number, by_person);
        self.bus.emit_signal(None::<&str>, OBJECT, DAEMON, "NotificationClosed", &body).await.unwrap();
    }
}

const ALL: &[&str] = &["actions", "body", "body-markup"];

/// The tests' daemon with the app before it.
struct Desktop {
    app: LinuxNotifier,
    activations: mpsc::UnboundedReceiver<Activation>,
    daemon: Daemon,
    closed: Vec<u32>,
    // Dropped last: the others live on it.
    _bus: Bus,
}

impl Stage for Desktop {
    type Number = u32;

    async fn empty() -> Self {
        let bus = Bus::start();
        let daemon = bus.daemon(ALL).await;
        let (app, activations) = bus.app();
        Self { app, activations, daemon, closed: Vec::new(), _bus: bus }
    }

    fn notifier(&mut self) -> &mut dyn Notifier {
        &mut self.app
    }

    async fn shown(&mut self) -> Seen<u32> {
        loop {
            match self.daemon.hears().await {
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

    async fn press(&mut self, number: u32, key: Option<&str>) {
        self.daemon.press(number, key.unwrap_or(DEFAULT)).await;
    }

    async fn gone(&mut self, number: u32) {
        while !self.closed.contains(&number) {
            let DaemonCall::Closed { number } = self.daemon.hears().await else { panic!("another is shown") };
            self.closed.push(number);
        }
    }

    fn activations(&mut self) -> &mut mpsc::UnboundedReceiver<Activation> {
        &mut self.activations
    }
}

notifier_tests!(Desktop);

#[tokio::test]
async fn a_notification_has_its_options_an_open_button_and_a_way_to_press_it_itself() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    let DaemonCall::Shown { number, actions, body, .. } = daemon.hears().await else { panic!() };
    assert_eq!(actions, ["default", "Open", "q1o1", "JWT", "q1o2", "Session", "open", "Open"]);
    assert_eq!(body, "a &lt; b &amp;&amp; c");
    daemon.settle().await;
    daemon.press(number, "default").await;
    assert_eq!(next(&mut activations).await, Activation { subject: request(1), action: ButtonAction::Open });
}

#[tokio::test]
async fn what_the_daemon_cannot_do_is_not_asked_of_it() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(&["body"]).await;
    let (mut app, _clicks) = bus.app();
    app.post(notification(1));
    let DaemonCall::Shown { actions, body, .. } = daemon.hears().await else { panic!() };
    assert_eq!(actions, [] as [&str; 0]);
    assert_eq!(body, "a < b && c");
}

#[tokio::test]
async fn one_that_is_wanted_to_be_heard_is_and_another_is_silent_in_its_place_too() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(&["actions", "sound"]).await;
    let (mut app, mut activations) = bus.app();
    let loud = |number| Notification { sound: Sound::On, ..notification(number) };
    let file = bus.folder.path().join("question.wav");
    for (notification, expected) in [
        (loud(1), SoundHint::File(file.clone())),
        (notification(1), SoundHint::Suppressed),
        (loud(1), SoundHint::File(file.clone())),
        (notification(2), SoundHint::Suppressed),
    ] {
        app.post(notification);
        let DaemonCall::Shown { number, sound, .. } = daemon.hears().await else { panic!() };
        assert_eq!(sound, expected);
        daemon.settle().await;
        // Once its press is sound, its number is known, and the next can take its place.
        daemon.press(number, "open").await;
        next(&mut activations).await;
    }
    assert!(fs::read(file).unwrap().starts_with(b"RIFF"));
}

#[tokio::test]
async fn a_daemon_without_sound_is_told_nothing_of_one() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, _clicks) = bus.app();
    for (number, sound) in [(1, Sound::On), (2, Sound::Off)] {
        app.post(Notification { sound, ..notification(number) });
        let DaemonCall::Shown { sound, .. } = daemon.hears().await else { panic!() };
        assert_eq!(sound, SoundHint::None);
    }
    assert!(!bus.folder.path().join("question.wav").exists());
}

#[tokio::test]
async fn a_dead_number_an_unknown_button_and_a_second_press_do_nothing() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    let first = daemon.shows().await;
    app.post(notification(2));
    let second = daemon.shows().await;
    daemon.press(99, "q1o1").await;
    for key in ["q1o3", "undo", "JWT", "", "q9o9"] {
        daemon.press(first, key).await;
    }
    daemon.closed(second).await;
    daemon.press(second, "q1o1").await;
    daemon.press(first, "q1o1").await;
    daemon.press(first, "q1o1").await;
    daemon.press(first, "q1o2").await;
    assert_eq!(next(&mut activations).await, Activation { subject: request(1), action: option(0) });
    quiet(&mut activations).await;
}

#[tokio::test]
async fn only_the_daemon_is_believed() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    let number = daemon.shows().await;
    let other = connection::Builder::address(bus.address.as_str()).unwrap().build().await.unwrap();
    let app_name =
        daemon.bus.call_method(Some(BUS), "/org/freedesktop/DBus", Some(BUS), "ListNames", &()).await;
    let names: Vec<String> = app_name.unwrap().body().deserialize().unwrap();
    for name in names.iter().filter(|name| name.starts_with(':')) {
        let to = Some(name.as_str());
        other.emit_signal(to, OBJECT, DAEMON, "ActionInvoked", &(number, "q1o1")).await.unwrap();
    }
    quiet(&mut activations).await;
}

#[tokio::test]
async fn another_for_the_same_request_takes_the_place_of_the_first_and_can_be_pressed() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    let first = daemon.shows().await;
    daemon.press(first, "q1o1").await;
    next(&mut activations).await;
    let undo = Button { action: ButtonAction::Undo, label: "Undo".to_owned() };
    app.post(Notification { buttons: vec![undo], ..notification(1) });
    let DaemonCall::Shown { number, replaces, .. } = daemon.hears().await else { panic!() };
    assert_eq!((number, replaces), (first, first));
    daemon.settle().await;
    daemon.press(first, "q1o1").await;
    daemon.press(first, "undo").await;
    assert_eq!(next(&mut activations).await, Activation { subject: request(1), action: ButtonAction::Undo });
    app.withdraw(request(1));
    assert_eq!(daemon.hears().await, DaemonCall::Closed { number: first });
    quiet(&mut activations).await;
}

#[tokio::test]
async fn what_is_taken_back_or_replaced_before_it_has_a_number_leaves_nothing_behind() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, _clicks) = bus.app();
    // The first tells the capabilities, so that the others are sent at once.
    app.post(notification(9));
    daemon.shows().await;
    app.post(notification(1));
    app.withdraw(request(1));
    let one = daemon.shows().await;
    assert_eq!(daemon.hears().await, DaemonCall::Closed { number: one });
    app.post(Notification { title: "earlier".to_owned(), ..notification(2) });
    app.post(Notification { title: "later".to_owned(), ..notification(2) });
    let (mut earlier, mut later, mut closed) = (None, None, None);
    // A number that was told in time is taken over, and nothing is closed.
    while earlier.is_none() || later.is_none() || (earlier != later && closed.is_none()) {
        let (place, number) = match daemon.hears().await {
            DaemonCall::Shown { number, title, .. } if title == "earlier" => (&mut earlier, number),
            DaemonCall::Shown { number, .. } => (&mut later, number),
            DaemonCall::Closed { number } => (&mut closed, number),
        };
        assert_eq!(place.replace(number), None);
    }
    assert_eq!(closed, earlier.filter(|_| earlier != later));
    quiet(&mut daemon.sound).await;
}

#[tokio::test]
async fn a_daemon_that_is_started_again_is_told_of_what_comes_and_knows_nothing_of_before() {
    let bus = Bus::start();
    let mut daemon = bus.daemon(ALL).await;
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    let before = daemon.shows().await;
    drop(daemon);
    let mut daemon = bus.daemon(&["actions"]).await;
    // The same number is another's now.
    daemon.press(before, "q1o1").await;
    quiet(&mut activations).await;
    app.withdraw(request(1));
    app.post(notification(2));
    let DaemonCall::Shown { number, replaces, body, .. } = daemon.hears().await else { panic!() };
    assert_eq!((number, replaces, body.as_str()), (before, 0, "a < b && c"));
    daemon.settle().await;
    daemon.press(number, "open").await;
    assert_eq!(next(&mut activations).await, Activation { subject: request(2), action: ButtonAction::Open });
}

#[tokio::test]
async fn without_a_daemon_nothing_is_kept_for_later_and_one_that_comes_is_used() {
    let bus = Bus::start();
    let (mut app, mut activations) = bus.app();
    app.post(notification(1));
    app.post(notification(2));
    quiet(&mut activations).await;
    let mut daemon = bus.daemon(ALL).await;
    quiet(&mut daemon.sound).await;
    app.post(notification(3));
    let number = daemon.shows().await;
    daemon.press(number, "q1o1").await;
    assert_eq!(next(&mut activations).await, Activation { subject: request(3), action: option(0) });
}

#[tokio::test]
async fn a_bus_that_is_not_there_or_goes_away_takes_nothing_with_it() {
    let bus = Bus::start();
    let (mut app, _clicks) = bus.app();
    app.post(notification(1));
    drop(bus);
    timeout(PATIENCE, app.0.closed()).await.expect("nobody waits for a bus that is gone");
    app.post(notification(2));
    app.withdraw(request(2));
}
