//! The one file with everything a person has set: `settings.toml` in the data folder, made to be read and edited.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use askdesk_domain::{Setting, Settings, Timestamp};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use toml_edit::{DocumentMut, Item, Table, Value, de::ValueDeserializer, ser::ValueSerializer};

use crate::keep_aside;

/// The name of the file.
pub const FILE: &str = "settings.toml";

/// The largest file that is read.
const FILE_BYTES: u64 = 256 * 1024;

const THEME: Key = Key("appearance", "theme");
const TEXT_SIZE: Key = Key("appearance", "text_size");
const DENSITY: Key = Key("appearance", "density");
const NOTIFY_QUESTIONS: Key = Key("notifications", "questions");
const ON_CLOSE: Key = Key("window", "on_close");
const KEYS: &[Key] = &[THEME, TEXT_SIZE, DENSITY, NOTIFY_QUESTIONS, ON_CLOSE];

/// Where a setting stands in the file: a table, and a name in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key(&'static str, &'static str);

/// Something in the file that is left as it stands and has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct IgnoredSetting {
    /// Where it stands: `table.name`, or the file's name where the file as a whole cannot be read.
    pub key: String,
    /// Why it has no effect.
    pub why: String,
}

/// What the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSettings {
    /// What holds: what is set, and what holds by itself.
    pub settings: Settings,
    /// What has no effect.
    pub ignored: Vec<IgnoredSetting>,
}

/// The settings could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the settings could not be written to {}: {source}", path.display())]
pub struct SettingsError {
    path: PathBuf,
    source: std::io::Error,
}

/// The file, and what it said when it was last read.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    now: watch::Sender<Settings>,
    changing: Mutex<()>,
}

impl SettingsFile {
    /// Reads the file of a data folder; where there is none, everything holds by itself.
    pub fn open(folder: &Path) -> Self {
        let path = folder.join(FILE);
        let (now, _) = watch::channel(read(&path).settings);
        Self { path, now, changing: Mutex::new(()) }
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the settings, and tells of each change.
    pub fn watch(&self) -> watch::Receiver<Settings> {
        self.now.subscribe()
    }

    /// Reads the file anew: it may have been edited.
    pub fn read(&self) -> ReadSettings {
        let read = read(&self.path);
        self.publish(read.settings);
        read
    }

    /// Changes one setting and leaves all else in the file as it stands, the comments too. A file that cannot be read is
    /// kept under another name.
    pub fn change(&self, setting: Setting, now: Timestamp) -> Result<ReadSettings, SettingsError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(setting, now).map_err(|source| SettingsError { path: self.path.clone(), source })?;
        Ok(self.read())
    }

    fn write(&self, setting: Setting, now: Timestamp) -> std::io::Result<()> {
        let mut document = match load(&self.path) {
            Ok(document) => document,
            Err(_) => {
                keep_aside::keep(&self.path, now)?;
                DocumentMut::new()
            }
        };
        put(&mut document, setting);
        // A person may have put a link to a file of theirs in its place.
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(document.to_string().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&path)?;
        Ok(())
    }

    fn publish(&self, settings: Settings) {
        self.now.send_if_modified(|now| std::mem::replace(now, settings) != settings);
    }
}

fn read(path: &Path) -> ReadSettings {
    match load(path) {
        Ok(document) => interpret(&document),
        Err(why) => {
            let ignored = vec![IgnoredSetting { key: FILE.to_owned(), why }];
            ReadSettings { ignored, ..ReadSettings::default() }
        }
    }
}

fn load(path: &Path) -> Result<DocumentMut, String> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(DocumentMut::new()),
        Err(error) => return Err(error.to_string()),
    };
    if size > FILE_BYTES {
        return Err(format!("it has {size} bytes; at most {FILE_BYTES} are read"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    text.parse().map_err(|error: toml_edit::TomlError| error.to_string().trim().to_owned())
}

fn interpret(document: &DocumentMut) -> ReadSettings {
    let mut read = ReadSettings { ignored: unknown(document.as_table()), ..ReadSettings::default() };
    one(document, THEME, Setting::Theme, &mut read);
    one(document, TEXT_SIZE, Setting::TextSize, &mut read);
    one(document, DENSITY, Setting::Density, &mut read);
    one(document, NOTIFY_QUESTIONS, Setting::NotifyQuestions, &mut read);
    one(document, ON_CLOSE, Setting::OnClose, &mut read);
    read
}

fn one<T: DeserializeOwned>(
    document: &DocumentMut,
    Key(table, name): Key,
    setting: fn(T) -> Setting,
    read: &mut ReadSettings,
) {
    let Some(item) = document.get(table).and_then(|table| table.get(name)) else { return };
    let value = item.as_value().cloned().ok_or_else(|| "it must be a value".to_owned());
    let value = value.and_then(|value| {
        let shown = value.to_string().trim().to_owned();
        let reading: ValueDeserializer = value.into_deserializer();
        let value = T::deserialize(reading);
        value.map_err(|error| format!("{shown}: {}", error.message()))
    });
    match value {
        Ok(value) => read.settings = read.settings.with(setting(value)),
        Err(why) => read.ignored.push(IgnoredSetting { key: format!("{table}.{name}"), why }),
    }
}

fn unknown(root: &Table) -> Vec<IgnoredSetting> {
    let mut unknown = Vec::new();
    let mut note =
        |key: String| unknown.push(IgnoredSetting { key, why: "there is no such setting".to_owned() });
    for (table, item) in root {
        match item.as_table_like() {
            Some(entries) if KEYS.iter().any(|key| key.0 == table) => entries
                .iter()
                .filter(|(name, _)| !KEYS.iter().any(|key| key.0 == table && key.1 == *name))
                .for_each(|(name, _)| note(format!("{table}.{name}"))),
            _ => note(table.to_owned()),
        }
    }
    unknown
}

fn put(document: &mut DocumentMut, setting: Setting) {
    let (Key(table, name), value) = match setting {
        Setting::Theme(theme) => (THEME, value(theme)),
        Setting::TextSize(size) => (TEXT_SIZE, value(size)),
        Setting::Density(density) => (DENSITY, value(density)),
        Setting::NotifyQuestions(notify) => (NOTIFY_QUESTIONS, value(notify)),
        Setting::OnClose(on_close) => (ON_CLOSE, value(on_close)),
    };
    let Some(mut value) = value else { return };
    let entries = document.entry(table).or_insert_with(toml_edit::table);
    if !entries.is_table_like() {
        *entries = toml_edit::table();
    }
    if let Some(entries) = entries.as_table_like_mut() {
        // What stands beside the old value, such as a comment, stays.
        if let Some(before) = entries.get(name).and_then(Item::as_value) {
            *value.decor_mut() = before.decor().clone();
        }
        entries.insert(name, Item::Value(value));
    }
}

fn value(setting: impl Serialize) -> Option<Value> {
    setting.serialize(ValueSerializer::new()).ok()
}

#[cfg(test)]
mod tests;
