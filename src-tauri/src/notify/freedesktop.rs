//! Notifications of a Linux desktop: one connection that hears before it speaks. Everything that comes in is taken in the
//! order in which it came, the daemon's replies too, so a press is never looked for under a number that is not known yet.

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

use super::contract::{About, Clicked, Heard, Notifier, Posted, What};
use super::sound;
use crate::words;

const DAEMON: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";
const BUS: &str = "org.freedesktop.DBus";

/// The key of a press on the notification itself.
const DEFAULT: &str = "default";

/// The name of the app's desktop entry and of its icon, as they are installed.
const DESKTOP_ENTRY: &str = "Askdesk";
const ICON: &str = "askdesk-desktop";

/// Not urgent enough to break through, not idle enough to be held back.
const NORMAL_URGENCY: u8 = 1;

/// Leaves to the daemon how long a notification is on the screen.
const AS_THE_DAEMON_LIKES: i32 = -1;

/// A desktop's daemon. At most one notification stands for each thing that waits, so what waits here needs no other bound.
pub struct Freedesktop(mpsc::UnboundedSender<Wish>);

enum Wish {
    Post(Posted),
    Withdraw(About),
}

impl Freedesktop {
    /// Connects to the session's bus; the sound is put into a folder from which the daemon can read it.
    pub fn start(clicks: mpsc::UnboundedSender<Clicked>, folder: PathBuf) -> Self {
        Self::with(Connection::session(), clicks, folder)
    }

    fn with(
        connect: impl Future<Output = zbus::Result<Connection>> + Send + 'static,
        clicks: mpsc::UnboundedSender<Clicked>,
        folder: PathBuf,
    ) -> Self {
        let (wish, wishes) = mpsc::unbounded_channel();
        tauri::async_runtime::spawn(async move {
            let served = async { serve(connect.await?, wishes, clicks, folder).await };
            if let Err(error) = served.await {
                tracing::warn!(%error, "there is no session bus: questions are told of in the window alone");
            }
        });
        Self(wish)
    }
}

impl Notifier for Freedesktop {
    fn post(&mut self, posted: Posted) {
        // Without a bus nobody listens, which is in the log already.
        let _ = self.0.send(Wish::Post(posted));
    }

    fn withdraw(&mut self, about: About) {
        let _ = self.0.send(Wish::Withdraw(about));
    }
}

async fn serve(
    bus: Connection,
    mut wishes: mpsc::UnboundedReceiver<Wish>,
    clicks: mpsc::UnboundedSender<Clicked>,
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
    let mut desktop = Desktop {
        bus,
        clicks,
        folder,
        owner,
        abilities: Abilities::Unknown,
        notices: HashMap::new(),
        underway: HashMap::new(),
        drawn: 0,
        said: false,
    };
    loop {
        tokio::select! {
            message = messages.next() => match message {
                Some(message) => desktop.hear(&message?).await?,
                None => return Ok(()),
            },
            wish = wishes.recv() => match wish {
                Some(Wish::Post(posted)) => desktop.post(posted).await?,
                Some(Wish::Withdraw(about)) => desktop.withdraw(about).await?,
                None => return Ok(()),
            },
        }
    }
}

enum Abilities {
    Unknown,
    Asked(NonZeroU32),
    Known(Able),
}

/// What a daemon that was asked has said of itself.
#[derive(Clone, Copy)]
struct Able {
    actions: bool,
    markup: bool,
    sound: bool,
}

/// What is to stand for something that waits.
struct Notice {
    /// Tells it from an earlier one about the same.
    draw: u64,
    posted: Posted,
    stage: Stage,
    /// The number it takes the place of; 0 is none.
    replaces: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The daemon's abilities are not known yet.
    Waits,
    /// The daemon has not named its number yet.
    Sent,
    Stands(u32),
    /// It was pressed; whatever comes now was meant for what is over.
    Pressed(u32),
}

impl Stage {
    fn number(self) -> Option<u32> {
        match self {
            Self::Waits | Self::Sent => None,
            Self::Stands(number) | Self::Pressed(number) => Some(number),
        }
    }
}

struct Desktop {
    bus: Connection,
    clicks: mpsc::UnboundedSender<Clicked>,
    folder: PathBuf,
    owner: Option<OwnedUniqueName>,
    abilities: Abilities,
    notices: HashMap<About, Notice>,
    /// The notifications whose number the daemon is yet to name, by the serial of the call.
    underway: HashMap<NonZeroU32, (About, u64)>,
    drawn: u64,
    /// Whether the log says already that nobody shows notifications.
    said: bool,
}

impl Desktop {
    async fn post(&mut self, posted: Posted) -> zbus::Result<()> {
        let about = posted.about;
        let before = self.notices.get(&about);
        let replaces = before.map_or(0, |before| before.stage.number().unwrap_or(before.replaces));
        self.drawn += 1;
        self.notices.insert(about, Notice { draw: self.drawn, posted, stage: Stage::Waits, replaces });
        match self.abilities {
            Abilities::Known(able) => self.send(about, able).await,
            Abilities::Asked(_) => Ok(()),
            Abilities::Unknown => {
                let asked = call("GetCapabilities", &())?;
                self.abilities = Abilities::Asked(asked.primary_header().serial_num());
                self.bus.send(&asked).await
            }
        }
    }

    async fn send(&mut self, about: About, able: Able) -> zbus::Result<()> {
        let Some(notice) = self.notices.get_mut(&about) else { return Ok(()) };
        let Posted { title, body, buttons, .. } = &notice.posted;
        let body = if able.markup { escaped(body) } else { body.clone() };
        let mut offered: Vec<String> = Vec::new();
        if able.actions {
            // Daemons that do not hear a press on the notification itself have the button.
            let open = buttons.iter().find(|button| button.what == What::Open);
            offered.extend([DEFAULT.to_owned(), open.map_or_else(String::new, |open| open.label.clone())]);
            offered.extend(buttons.iter().flat_map(|button| [button.what.to_string(), button.label.clone()]));
        }
        let mut hints: HashMap<&str, Value<'_>> = HashMap::from([
            ("urgency", Value::from(NORMAL_URGENCY)),
            ("desktop-entry", Value::from(DESKTOP_ENTRY)),
        ]);
        if able.sound {
            let (name, sound) = heard(notice.posted.heard, &self.folder);
            hints.insert(name, sound);
        }
        let how_long = AS_THE_DAEMON_LIKES;
        let sent = call(
            "Notify",
            &(words::APP, notice.replaces, ICON, title.as_str(), body.as_str(), offered, hints, how_long),
        )?;
        notice.stage = Stage::Sent;
        self.underway.insert(sent.primary_header().serial_num(), (about, notice.draw));
        self.bus.send(&sent).await
    }

    async fn withdraw(&mut self, about: About) -> zbus::Result<()> {
        // One that is still underway is closed when its number is named.
        let Some(notice) = self.notices.remove(&about) else { return Ok(()) };
        match notice.stage.number() {
            Some(number) => self.close(number).await,
            None if notice.replaces != 0 => self.close(notice.replaces).await,
            None => Ok(()),
        }
    }

    async fn close(&self, number: u32) -> zbus::Result<()> {
        self.bus.send(&call("CloseNotification", &number)?).await
    }

    async fn hear(&mut self, message: &Message) -> zbus::Result<()> {
        match message.message_type() {
            Type::MethodReturn | Type::Error => self.hear_reply(message).await,
            Type::Signal => {
                let header = message.header();
                let by = |name: &str| header.interface().is_some_and(|interface| interface.as_str() == name);
                let member = header.member().map_or("", |member| member.as_str());
                if by(BUS) && member == "NameOwnerChanged" {
                    self.owner_changed(message);
                } else if by(DAEMON) && self.owner.as_deref() == header.sender() {
                    self.hear_daemon(member, message);
                }
                Ok(())
            }
            Type::MethodCall => Ok(()),
        }
    }

    async fn hear_reply(&mut self, message: &Message) -> zbus::Result<()> {
        let Some(serial) = message.header().reply_serial() else { return Ok(()) };
        let failed = message.message_type() == Type::Error;
        if matches!(self.abilities, Abilities::Asked(asked) if asked == serial) {
            self.abilities = Abilities::Unknown;
            let known: Vec<String> = match message.body().deserialize() {
                Ok(known) if !failed => known,
                _ => {
                    self.say_nobody_shows(message);
                    self.notices.retain(|_, notice| notice.stage != Stage::Waits);
                    return Ok(());
                }
            };
            let has = |ability: &str| known.iter().any(|known| known == ability);
            let able = Able { actions: has("actions"), markup: has("body-markup"), sound: has("sound") };
            self.abilities = Abilities::Known(able);
            let waiting = self.notices.iter().filter(|(_, notice)| notice.stage == Stage::Waits);
            let mut waiting: Vec<_> = waiting.map(|(about, notice)| (notice.draw, *about)).collect();
            waiting.sort_unstable_by_key(|(draw, _)| *draw);
            for (_, about) in waiting {
                self.send(about, able).await?;
            }
        } else if let Some((about, draw)) = self.underway.remove(&serial) {
            let newest = self.notices.get_mut(&about);
            let number = if failed { None } else { message.body().deserialize::<u32>().ok() };
            match (newest, number) {
                (Some(notice), Some(number)) if notice.draw == draw => notice.stage = Stage::Stands(number),
                // Another is on its way into its place.
                (Some(notice), Some(number)) if notice.replaces == number => {}
                // It was taken back meanwhile.
                (_, Some(number)) => self.close(number).await?,
                (newest, None) => {
                    if newest.is_some_and(|notice| notice.draw == draw) {
                        self.notices.remove(&about);
                    }
                    self.say_nobody_shows(message);
                }
            }
        }
        Ok(())
    }

    fn say_nobody_shows(&mut self, message: &Message) {
        if !std::mem::replace(&mut self.said, true) {
            let why = message.header().error_name().map(ToString::to_string).unwrap_or_default();
            tracing::warn!(why, "nobody shows notifications: questions are told of in the window alone");
        }
    }

    /// What an earlier daemon showed is gone, and its numbers mean nothing to the next. The questions are where they were.
    fn owner_changed(&mut self, message: &Message) {
        type Change<'a> = (&'a str, Optional<UniqueName<'a>>, Optional<UniqueName<'a>>);
        let body = message.body();
        let Ok((name, before, now)) = body.deserialize::<Change<'_>>() else { return };
        if name != DAEMON {
            return;
        }
        if before.is_some() {
            if matches!(self.abilities, Abilities::Known(_)) {
                self.abilities = Abilities::Unknown;
            }
            self.notices.retain(|_, notice| notice.stage.number().is_none());
            self.notices.values_mut().for_each(|notice| notice.replaces = 0);
        }
        self.owner = now.as_ref().map(|now| now.to_owned().into());
        if self.owner.is_some() {
            self.said = false;
        }
    }

    fn hear_daemon(&mut self, member: &str, message: &Message) {
        let body = message.body();
        match member {
            "ActionInvoked" => {
                if let Ok((number, key)) = body.deserialize::<(u32, &str)>() {
                    self.pressed(number, key);
                }
            }
            "NotificationClosed" => {
                if let Ok((number, _)) = body.deserialize::<(u32, u32)>() {
                    self.notices.retain(|_, notice| notice.stage.number() != Some(number));
                }
            }
            _ => {}
        }
    }

    fn pressed(&mut self, number: u32, key: &str) {
        let of_number = |notice: &&mut Notice| notice.stage.number() == Some(number);
        let Some(notice) = self.notices.values_mut().find(of_number) else {
            // The daemon tells everybody of everybody's.
            tracing::debug!(number, key, "a press on a notification that is not ours, or not any more");
            return;
        };
        let about = notice.posted.about;
        if matches!(notice.stage, Stage::Pressed(_)) {
            tracing::warn!(
                ?about,
                key,
                "a notification that was pressed already was pressed again: nothing is done"
            );
            return;
        }
        let offered = |what: &What| notice.posted.buttons.iter().any(|button| button.what == *what);
        let what = if key == DEFAULT { Some(What::Open) } else { What::of_key(key).filter(offered) };
        let Some(what) = what else {
            tracing::warn!(
                ?about,
                key,
                "a button that a notification does not have was pressed: nothing is done"
            );
            return;
        };
        notice.stage = Stage::Pressed(number);
        // Nobody listens any more when the app ends.
        let _ = self.clicks.send(Clicked { about, what });
    }
}

fn call<B>(method: &str, body: &B) -> zbus::Result<Message>
where
    B: zbus::export::serde::ser::Serialize + zbus::zvariant::DynamicType,
{
    Message::method_call(OBJECT, method)?.destination(DAEMON)?.interface(DAEMON)?.build(body)
}

/// Says what is heard; without our own sound the daemon's own must not come in its place.
fn heard(heard: Heard, folder: &Path) -> (&'static str, Value<'static>) {
    let file = match heard {
        Heard::Sound => sound::file_in(folder),
        Heard::Silent => None,
    };
    match file.and_then(|file| file.into_os_string().into_string().ok()) {
        Some(file) => ("sound-file", Value::from(file)),
        None => ("suppress-sound", Value::from(true)),
    }
}

/// Where the daemon reads markup, an agent's words are escaped: they are text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
