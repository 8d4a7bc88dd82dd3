//! Linux notifications over D-Bus, on one connection that subscribes to signals before it sends. Signals and replies are handled in
//! the order in which they arrive, so a click never refers to an id that is not known yet.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use tokio::sync::mpsc;
use zbus::export::ordered_stream::OrderedStreamExt;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::{BusName, OwnedUniqueName, UniqueName};
use zbus::zvariant::{Optional, Value};
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::notifier::{Activation, ButtonAction, Notification, Notifier, Sound, Subject};
use super::sound;
use crate::messages;

const DAEMON: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";
const BUS: &str = "org.freedesktop.DBus";

/// The key of a click on the notification itself.
const DEFAULT: &str = "default";

/// The names of the installed desktop entry and icon.
const DESKTOP_ENTRY: &str = "Askdesk";
const ICON: &str = "askdesk-desktop";

const NORMAL_URGENCY: u8 = 1;

/// The reason of a notification that was closed because its time was over (Desktop Notifications Specification 1.3).
const EXPIRED: u32 = 1;

/// Leaves to the daemon how long a notification is on the backend.
const DEFAULT_TIMEOUT: i32 = -1;

/// Sends commands to the D-Bus task. Unbounded, because there is at most one notification per subject.
pub struct LinuxNotifier(mpsc::UnboundedSender<Command>);

enum Command {
    Post(Notification),
    Withdraw(Subject),
}

impl LinuxNotifier {
    /// Connects to the session bus. The sound file is written to a folder that the daemon can read.
    pub fn start(activations: mpsc::UnboundedSender<Activation>, folder: PathBuf) -> Self {
        Self::with(Connection::session(), activations, folder)
    }

    fn with(
        connect: impl Future<Output = zbus::Result<Connection>> + Send + 'static,
        activations: mpsc::UnboundedSender<Activation>,
        folder: PathBuf,
    ) -> Self {
        let (command, commands) = mpsc::unbounded_channel();
        tauri::async_runtime::spawn(async move {
            let served = async { serve(connect.await?, commands, activations, folder).await };
            if let Err(error) = served.await {
                tracing::warn!(%error, "there is no session bus: questions are only shown in the window");
            }
        });
        Self(command)
    }
}

impl Notifier for LinuxNotifier {
    fn post(&mut self, notification: Notification) {
        // Without a bus there is no receiver, which was logged.
        let _ = self.0.send(Command::Post(notification));
    }

    fn withdraw(&mut self, subject: Subject) {
        let _ = self.0.send(Command::Withdraw(subject));
    }
}

async fn serve(
    bus: Connection,
    mut commands: mpsc::UnboundedReceiver<Command>,
    activations: mpsc::UnboundedSender<Activation>,
    folder: PathBuf,
) -> zbus::Result<()> {
    let mut messages = MessageStream::from(&bus);
    let dbus = DBusProxy::new(&bus).await?;
    let presses = MatchRule::builder().msg_type(Type::Signal).sender(DAEMON)?.interface(DAEMON)?.build();
    dbus.add_match_rule(presses).await?;
    let owners = MatchRule::builder().msg_type(Type::Signal).sender(BUS)?.member("NameOwnerChanged")?;
    dbus.add_match_rule(owners.add_arg(DAEMON)?.build()).await?;
    let owner = dbus.get_name_owner(BusName::try_from(DAEMON)?).await.ok();
    drop(dbus);
    let mut daemon = Daemon {
        bus,
        activations,
        folder,
        owner,
        capabilities: CapabilityState::Unknown,
        tracked: HashMap::new(),
        awaiting_id: HashMap::new(),
        last_generation: 0,
        token: None,
        logged: false,
    };
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => daemon.handle(&message?).await?,
                None => return Ok(()),
            },
            command = commands.recv() => match command {
                Some(Command::Post(notification)) => daemon.post(notification).await?,
                Some(Command::Withdraw(subject)) => daemon.withdraw(subject).await?,
                None => return Ok(()),
            },
        }
    }
}

enum CapabilityState {
    Unknown,
    /// Holds the serial of the call.
    Asked(NonZeroU32),
    Known(Capabilities),
}

#[derive(Clone, Copy)]
struct Capabilities {
    actions: bool,
    markup: bool,
    sound: bool,
}

/// The newest notification of a subject.
struct Tracked {
    /// Differs from that of an earlier notification of the subject.
    generation: u64,
    notification: Notification,
    stage: Stage,
    /// The id that it replaces; 0 is none.
    replaces: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The daemon's capabilities are not known yet.
    Queued,
    /// The daemon has not returned the id yet.
    Sent,
    Shown(u32),
    /// It was clicked; later clicks don't count.
    Clicked(u32),
}

impl Stage {
    fn number(self) -> Option<u32> {
        match self {
            Self::Queued | Self::Sent => None,
            Self::Shown(number) | Self::Clicked(number) => Some(number),
        }
    }
}

struct Daemon {
    bus: Connection,
    activations: mpsc::UnboundedSender<Activation>,
    folder: PathBuf,
    owner: Option<OwnedUniqueName>,
    capabilities: CapabilityState,
    tracked: HashMap<Subject, Tracked>,
    /// The notifications whose id the daemon has not returned yet, by the serial of the call.
    awaiting_id: HashMap<NonZeroU32, (Subject, u64)>,
    last_generation: u64,
    /// The token of the click that is reported next, and the notification's id.
    token: Option<(u32, String)>,
    logged: bool,
}

impl Daemon {
    async fn post(&mut self, notification: Notification) -> zbus::Result<()> {
        let subject = notification.subject;
        let before = self.tracked.get(&subject);
        let replaces = before.map_or(0, |before| before.stage.number().unwrap_or(before.replaces));
        self.last_generation += 1;
        self.tracked.insert(
            subject,
            Tracked { generation: self.last_generation, notification, stage: Stage::Queued, replaces },
        );
        match self.capabilities {
            CapabilityState::Known(capabilities) => self.send(subject, capabilities).await,
            CapabilityState::Asked(_) => Ok(()),
            CapabilityState::Unknown => {
                let asked = call("GetCapabilities", &())?;
                self.capabilities = CapabilityState::Asked(asked.primary_header().serial_num());
                self.bus.send(&asked).await
            }
        }
    }

    async fn send(&mut self, subject: Subject, capabilities: Capabilities) -> zbus::Result<()> {
        let Some(tracked) = self.tracked.get_mut(&subject) else { return Ok(()) };
        let Notification { title, body, buttons, .. } = &tracked.notification;
        let body = if capabilities.markup { escaped(body) } else { body.clone() };
        let mut offered: Vec<String> = Vec::new();
        if capabilities.actions {
            // Some daemons don't report a click on the notification itself, so there is also a button.
            let open = buttons.iter().find(|button| button.action == ButtonAction::Open);
            offered.extend([DEFAULT.to_owned(), open.map_or_else(String::new, |open| open.label.clone())]);
            offered
                .extend(buttons.iter().flat_map(|button| [button.action.to_string(), button.label.clone()]));
        }
        let mut hints: HashMap<&str, Value<'_>> = HashMap::from([
            ("urgency", Value::from(NORMAL_URGENCY)),
            ("desktop-entry", Value::from(DESKTOP_ENTRY)),
        ]);
        if capabilities.sound {
            let (name, sound) = sound_hint(tracked.notification.sound, &self.folder);
            hints.insert(name, sound);
        }
        let sent = call(
            "Notify",
            &(
                messages::APP,
                tracked.replaces,
                ICON,
                title.as_str(),
                body.as_str(),
                offered,
                hints,
                DEFAULT_TIMEOUT,
            ),
        )?;
        tracked.stage = Stage::Sent;
        self.awaiting_id.insert(sent.primary_header().serial_num(), (subject, tracked.generation));
        self.bus.send(&sent).await
    }

    async fn withdraw(&mut self, subject: Subject) -> zbus::Result<()> {
        // A notification without an id is closed once the daemon returns it.
        let Some(tracked) = self.tracked.remove(&subject) else { return Ok(()) };
        match tracked.stage.number() {
            Some(number) => self.close(number).await,
            None if tracked.replaces != 0 => self.close(tracked.replaces).await,
            None => Ok(()),
        }
    }

    async fn close(&self, number: u32) -> zbus::Result<()> {
        self.bus.send(&call("CloseNotification", &number)?).await
    }

    async fn handle(&mut self, message: &Message) -> zbus::Result<()> {
        match message.message_type() {
            Type::MethodReturn | Type::Error => self.handle_reply(message).await,
            Type::Signal => {
                let header = message.header();
                let by = |name: &str| header.interface().is_some_and(|interface| interface.as_str() == name);
                let member = header.member().map_or("", |member| member.as_str());
                if by(BUS) && member == "NameOwnerChanged" {
                    self.owner_changed(message);
                } else if by(DAEMON) && self.owner.as_deref() == header.sender() {
                    self.handle_signal(member, message);
                }
                Ok(())
            }
            Type::MethodCall => Ok(()),
        }
    }

    async fn handle_reply(&mut self, message: &Message) -> zbus::Result<()> {
        let Some(serial) = message.header().reply_serial() else { return Ok(()) };
        let failed = message.message_type() == Type::Error;
        if matches!(self.capabilities, CapabilityState::Asked(asked) if asked == serial) {
            self.capabilities = CapabilityState::Unknown;
            let known: Vec<String> = match message.body().deserialize() {
                Ok(known) if !failed => known,
                _ => {
                    self.log_unavailable(message);
                    self.tracked.retain(|_, tracked| tracked.stage != Stage::Queued);
                    return Ok(());
                }
            };
            let has = |name: &str| known.iter().any(|known| known == name);
            let capabilities =
                Capabilities { actions: has("actions"), markup: has("body-markup"), sound: has("sound") };
            self.capabilities = CapabilityState::Known(capabilities);
            let queued = self.tracked.iter().filter(|(_, tracked)| tracked.stage == Stage::Queued);
            let mut queued: Vec<_> =
                queued.map(|(subject, tracked)| (tracked.generation, *subject)).collect();
            queued.sort_unstable_by_key(|(generation, _)| *generation);
            for (_, subject) in queued {
                self.send(subject, capabilities).await?;
            }
        } else if let Some((subject, generation)) = self.awaiting_id.remove(&serial) {
            let newest = self.tracked.get_mut(&subject);
            let number = if failed { None } else { message.body().deserialize::<u32>().ok() };
            match (newest, number) {
                (Some(tracked), Some(number)) if tracked.generation == generation => {
                    tracked.stage = Stage::Shown(number)
                }
                // A newer notification replaces it.
                (Some(tracked), Some(number)) if tracked.replaces == number => {}
                // It was withdrawn in the meantime.
                (_, Some(number)) => self.close(number).await?,
                (newest, None) => {
                    if newest.is_some_and(|tracked| tracked.generation == generation) {
                        self.tracked.remove(&subject);
                    }
                    self.log_unavailable(message);
                }
            }
        }
        Ok(())
    }

    fn log_unavailable(&mut self, message: &Message) {
        if !std::mem::replace(&mut self.logged, true) {
            let why = message.header().error_name().map(ToString::to_string).unwrap_or_default();
            tracing::warn!(why, "nobody shows notifications: questions are only shown in the window");
        }
    }

    /// A new daemon knows nothing of the notifications and ids of the earlier one.
    fn owner_changed(&mut self, message: &Message) {
        type Change<'a> = (&'a str, Optional<UniqueName<'a>>, Optional<UniqueName<'a>>);
        let body = message.body();
        let Ok((name, before, now)) = body.deserialize::<Change<'_>>() else { return };
        if name != DAEMON {
            return;
        }
        if before.is_some() {
            if matches!(self.capabilities, CapabilityState::Known(_)) {
                self.capabilities = CapabilityState::Unknown;
            }
            self.tracked.retain(|_, tracked| tracked.stage.number().is_none());
            self.tracked.values_mut().for_each(|tracked| tracked.replaces = 0);
        }
        self.owner = now.as_ref().map(|now| now.to_owned().into());
        if self.owner.is_some() {
            self.logged = false;
        }
    }

    fn handle_signal(&mut self, member: &str, message: &Message) {
        let body = message.body();
        match member {
            "ActionInvoked" => {
                if let Ok((number, key)) = body.deserialize::<(u32, &str)>() {
                    self.clicked(number, key);
                }
            }
            "ActivationToken" => {
                if let Ok((number, token)) = body.deserialize::<(u32, String)>() {
                    self.token = Some((number, token));
                }
            }
            "NotificationClosed" => {
                // Some daemons keep an expired notification in a list, where it can still be clicked and closed.
                if let Ok((number, reason)) = body.deserialize::<(u32, u32)>()
                    && reason != EXPIRED
                {
                    self.tracked.retain(|_, tracked| tracked.stage.number() != Some(number));
                }
            }
            _ => {}
        }
    }

    fn clicked(&mut self, number: u32, key: &str) {
        let of_number = |tracked: &&mut Tracked| tracked.stage.number() == Some(number);
        let Some(tracked) = self.tracked.values_mut().find(of_number) else {
            // The daemon broadcasts the clicks on all programs' notifications.
            tracing::debug!(number, key, "a click on an unknown notification");
            return;
        };
        let subject = tracked.notification.subject;
        if matches!(tracked.stage, Stage::Clicked(_)) {
            tracing::warn!(?subject, key, "a second click on a notification was ignored");
            return;
        }
        let offered = |action: &ButtonAction| {
            tracked.notification.buttons.iter().any(|button| button.action == *action)
        };
        let action = if key == DEFAULT {
            Some(ButtonAction::Open)
        } else {
            ButtonAction::from_key(key).filter(offered)
        };
        let Some(action) = action else {
            tracing::warn!(?subject, key, "a click on an unknown button was ignored");
            return;
        };
        tracked.stage = Stage::Clicked(number);
        // The receiver is gone when the app ends.
        let token = self.token.take_if(|(of, _)| *of == number).map(|(_, token)| token);
        let _ = self.activations.send(Activation { token, ..Activation::new(subject, action) });
    }
}

fn call<B>(method: &str, body: &B) -> zbus::Result<Message>
where
    B: zbus::export::serde::ser::Serialize + zbus::zvariant::DynamicType,
{
    Message::method_call(OBJECT, method)?.destination(DAEMON)?.interface(DAEMON)?.build(body)
}

/// Returns the sound hint. Without our own sound, the daemon's own is suppressed too.
fn sound_hint(sound: Sound, folder: &Path) -> (&'static str, Value<'static>) {
    let file = match sound {
        Sound::On => sound::file_in(folder),
        Sound::Off => None,
    };
    match file.and_then(|file| file.into_os_string().into_string().ok()) {
        Some(file) => ("sound-file", Value::from(file)),
        None => ("suppress-sound", Value::from(true)),
    }
}

/// Escapes an agent's text for a daemon that reads markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
