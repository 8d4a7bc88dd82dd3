//! The settings file: `settings.toml` in the data folder, which users can read and edit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use askdesk_agents::Catalog;
use askdesk_contract::{IgnoredSetting, IgnoredWhy};
use askdesk_domain::{
    AgentId, Arguments, Environment, PermissionRules, ReservedFlags, SETTINGS, Settable, Setting,
    SettingError, Settings, SetupCommand, Timestamp, Written, setup_command,
};
use serde::Deserialize;
use serde::de::{IgnoredAny, IntoDeserializer};
use tokio::sync::watch;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value, de::ValueDeserializer, ser::ValueSerializer};

use crate::private;
use crate::quarantine::quarantine;

pub const FILE: &str = "settings.toml";

/// The largest file that is read, in bytes.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// How often the file is looked at for edits.
const LOOKED_AT: Duration = Duration::from_millis(500);

/// The table with a subtable for each agent.
const AGENTS: &str = "agents";
const ARGUMENTS: &str = "arguments";
const ENVIRONMENT: &str = "environment";
/// The table with the setup command of each repository.
const SETUP_COMMANDS: &str = "setup_commands";

/// The position of a setting in the file: a path of tables, and a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key<'a>(&'a [&'a str], &'a str);

impl Key<'_> {
    fn find(self, document: &DocumentMut) -> Option<&Item> {
        let table = self.0.iter().try_fold(document.as_item(), |item, table| item.get(table));
        table.and_then(|table| table.get(self.1))
    }

    fn path(self) -> String {
        [self.0.join("."), self.1.to_owned()].join(".")
    }
}

fn unreadable(error: &std::io::Error) -> IgnoredWhy {
    match error.kind() {
        std::io::ErrorKind::InvalidData => IgnoredWhy::NoText,
        _ => IgnoredWhy::Unreadable { error: error.to_string() },
    }
}

/// Tells whether the file was read, and holds no settings.
const fn is_invalid(why: &IgnoredWhy) -> bool {
    matches!(why, IgnoredWhy::TooLarge { .. } | IgnoredWhy::NoText | IgnoredWhy::Unparsed { .. })
}

fn unparsed(text: &str, error: &toml_edit::TomlError) -> IgnoredWhy {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let before = String::from_utf8_lossy(&text.as_bytes()[..at]);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    IgnoredWhy::Unparsed { line, column, error: error.message().trim().to_owned() }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSettings {
    /// The effective settings: those of the file, and the defaults of all others.
    pub settings: Settings,
    pub ignored: Vec<IgnoredSetting>,
}

/// The settings could not be written.
#[derive(Debug, thiserror::Error)]
#[error("couldn't write the settings to {}: {source}", path.display())]
pub struct SettingsError {
    pub path: PathBuf,
    pub source: NotWritten,
}

/// Why the settings could not be written.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Writing the rules would delete those that the user has to correct.
    #[error("the permission rules in the file have a mistake ({0}); correct it first")]
    RulesWithMistake(IgnoredWhy),
    /// Replacing a file that can't be read would lose what it holds.
    #[error("the file can't be read: {error}. Nothing was changed; make it readable and try again")]
    Unreadable { error: String },
}

/// What changes with each edit of a file: its time, its length, and which file it is. None without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edition(Option<(SystemTime, u64, u64)>);

impl Edition {
    fn of(path: &Path) -> Self {
        let Ok(found) = std::fs::metadata(path) else { return Self(None) };
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let number = 0;
        Self(found.modified().ok().map(|modified| (modified, found.len(), number)))
    }
}

/// The settings file, and its content when it was last read.
#[derive(Debug)]
pub struct SettingsFile {
    path: PathBuf,
    agents: Catalog,
    now: watch::Sender<Settings>,
    changing: Mutex<()>,
    /// What was read or written last.
    edition: Mutex<Edition>,
}

impl SettingsFile {
    /// Reads the file of a data folder; without one, all defaults apply.
    pub fn open(folder: &Path, agents: Catalog) -> Self {
        let path = folder.join(FILE);
        let edition = Mutex::new(Edition::of(&path));
        let (now, _) = watch::channel(read(&path, &agents).settings);
        Self { path, agents, now, changing: Mutex::new(()), edition }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the settings and notifies of each change.
    pub fn watch(&self) -> watch::Receiver<Settings> {
        self.now.subscribe()
    }

    /// Reads the file again, because it may have been edited.
    pub fn read(&self) -> ReadSettings {
        // Otherwise a read that began before a change could publish after it what the file was before.
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_alone()
    }

    fn read_alone(&self) -> ReadSettings {
        // Before it is read: an edit meanwhile is read again.
        *self.edition.lock().unwrap_or_else(PoisonError::into_inner) = Edition::of(&self.path);
        let mut read = read(&self.path, &self.agents);
        if let Some(file) = read.ignored.iter().find(|it| it.key == FILE) {
            if is_invalid(&file.why) {
                // It may be half a file, because an editor is saving it.
                read.settings.permission_rules = self.now.borrow().permission_rules.clone();
            } else {
                read.settings = self.now.borrow().clone();
            }
        }
        self.publish(read.settings.clone());
        read
    }

    /// Reads the file again within a second of each edit that isn't our own, and then calls `edited`. Goes on until the runtime ends.
    pub async fn follow_edits(self: Arc<Self>, edited: impl Fn()) {
        loop {
            tokio::time::sleep(LOOKED_AT).await;
            let file = Arc::clone(&self);
            let read = move || {
                let _one_at_a_time = file.changing.lock().unwrap_or_else(PoisonError::into_inner);
                let is_edited = file.edition() != Edition::of(&file.path);
                if is_edited {
                    file.read_alone();
                }
                is_edited
            };
            // A file that can't be looked at now is looked at again.
            if tokio::task::spawn_blocking(read).await.unwrap_or_default() {
                edited();
            }
        }
    }

    fn edition(&self) -> Edition {
        self.edition.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes one setting and preserves everything else in the file, including comments. A file that was read and holds no
    /// settings is renamed, and the rules in force are written to the new one. Fails if the file can't be read, or if it
    /// would replace rules that have a mistake.
    pub fn change(&self, setting: &Setting, now: Timestamp) -> Result<ReadSettings, SettingsError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(setting, now).map_err(|source| SettingsError { path: self.path.clone(), source })?;
        Ok(self.read_alone())
    }

    fn write(&self, setting: &Setting, now: Timestamp) -> Result<(), NotWritten> {
        let mut document = match load(&self.path) {
            Ok(document) => document,
            Err(IgnoredWhy::Unreadable { error }) => return Err(NotWritten::Unreadable { error }),
            Err(_) => {
                quarantine(&self.path, now)?;
                self.document_of_rules()
            }
        };
        if matches!(setting, Setting::PermissionRules(_))
            && let Some(key) = setting.descriptor().map(|it| Key(&[it.category], it.key).path())
            && let Some(rules) =
                interpret(&document, &self.agents).ignored.into_iter().find(|it| it.key == key)
        {
            return Err(NotWritten::RulesWithMistake(rules.why));
        }
        put(&mut document, setting);
        // The user may have replaced it with a link to another file.
        let path = dunce::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        Ok(private::write(&path, document.to_string().as_bytes())?)
    }

    /// Makes a document that holds only the rules in force.
    fn document_of_rules(&self) -> DocumentMut {
        let mut document = DocumentMut::new();
        let rules = self.now.borrow().permission_rules.clone();
        if rules != PermissionRules::default() {
            put(&mut document, &Setting::PermissionRules(rules));
        }
        document
    }

    fn publish(&self, settings: Settings) {
        self.now.send_if_modified(|now| {
            let changes = *now != settings;
            *now = settings;
            changes
        });
    }
}

fn read(path: &Path, agents: &Catalog) -> ReadSettings {
    match load(path) {
        Ok(document) => interpret(&document, agents),
        Err(why) => {
            let ignored = vec![IgnoredSetting { key: FILE.to_owned(), why }];
            ReadSettings { ignored, ..ReadSettings::default() }
        }
    }
}

fn load(path: &Path) -> Result<DocumentMut, IgnoredWhy> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        // The file that a link names may come back, such as with its drive.
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound && std::fs::symlink_metadata(path).is_err() =>
        {
            return Ok(DocumentMut::new());
        }
        Err(error) => return Err(unreadable(&error)),
    };
    if size > FILE_BYTES {
        return Err(IgnoredWhy::TooLarge { bytes: size, most: FILE_BYTES });
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    text.parse().map_err(|error| unparsed(&text, &error))
}

fn interpret(document: &DocumentMut, agents: &Catalog) -> ReadSettings {
    let mut read = ReadSettings { ignored: unknown(document, agents), ..ReadSettings::default() };
    for setting in SETTINGS {
        read_entry(document, Key(&[setting.category], setting.key), setting.read, Ok, &mut read);
    }
    for (id, reserved) in configurable(agents) {
        let tables = [AGENTS, id.as_str()];
        let arguments = |arguments: Arguments| {
            reserved.check(&arguments).map_err(|flaw| IgnoredWhy::Unfit { value: None, flaw })?;
            Ok(Setting::AgentArguments { agent: id.clone(), arguments })
        };
        read_entry(document, Key(&tables, ARGUMENTS), Arguments::read, arguments, &mut read);
        let environment =
            |environment: Environment| Ok(Setting::AgentEnvironment { agent: id.clone(), environment });
        read_entry(document, Key(&tables, ENVIRONMENT), Environment::read, environment, &mut read);
    }
    for repository in repositories(document).take(setup_command::SETUP_COMMANDS) {
        let setting =
            |command: SetupCommand| Ok(Setting::SetupCommand { repository: repository.to_owned(), command });
        let parse = |written| match written {
            Written::Text(text) => SetupCommand::try_from(text),
            _ => Err(SettingError::Text { text: "must be a string".to_owned() }),
        };
        read_entry(document, Key(&[SETUP_COMMANDS], repository), parse, setting, &mut read);
    }
    read
}

/// Lists the repositories that have a setup command.
fn repositories(document: &DocumentMut) -> impl Iterator<Item = &str> {
    let table = document.get(SETUP_COMMANDS).and_then(Item::as_table_like);
    table.into_iter().flat_map(TableLike::iter).map(|(repository, _)| repository)
}

/// Lists the agents that have settings.
fn configurable(agents: &Catalog) -> impl Iterator<Item = (&AgentId, ReservedFlags)> {
    agents.iter().filter_map(|agent| Some((&agent.descriptor().id, agent.reserved_flags()?)))
}

/// Reads an entry of the file, if it exists, into the settings or the list of ignored entries.
fn read_entry<T>(
    document: &DocumentMut,
    key: Key<'_>,
    parse: impl FnOnce(Written) -> Result<T, SettingError>,
    setting: impl FnOnce(T) -> Result<Setting, IgnoredWhy>,
    read: &mut ReadSettings,
) {
    let Some(item) = key.find(document) else { return };
    // The variables of an agent are a table, and each rule is one; both may have their own headings.
    let value = match item.clone().into_value() {
        Ok(value) if item.is_value() || item.is_array_of_tables() || key.1 == ENVIRONMENT => {
            parse_value(value, parse)
        }
        _ => Err(IgnoredWhy::NoValue),
    };
    match value.and_then(setting) {
        Ok(setting) => read.settings = std::mem::take(&mut read.settings).with(setting),
        Err(why) => read.ignored.push(IgnoredSetting { key: key.path(), why }),
    }
}

fn parse_value<T>(
    value: Value,
    parse: impl FnOnce(Written) -> Result<T, SettingError>,
) -> Result<T, IgnoredWhy> {
    // A list or a table may contain secrets, so the error doesn't repeat it.
    let shown = (!value.is_array() && !value.is_inline_table()).then(|| value.to_string().trim().to_owned());
    let reading: ValueDeserializer = value.into_deserializer();
    let written = Written::deserialize(reading).unwrap_or(Written::Other(IgnoredAny));
    parse(written).map_err(|flaw| IgnoredWhy::Unfit { value: shown, flaw })
}

fn unknown(document: &DocumentMut, agents: &Catalog) -> Vec<IgnoredSetting> {
    let tables: Vec<[&str; 1]> = SETTINGS.iter().map(|setting| [setting.category]).collect();
    let agents: Vec<[&str; 2]> = configurable(agents).map(|(id, _)| [AGENTS, id.as_str()]).collect();
    let of_agents = agents.iter().flat_map(|tables| [Key(tables, ARGUMENTS), Key(tables, ENVIRONMENT)]);
    let settings = SETTINGS.iter().zip(&tables).map(|(setting, tables)| Key(tables, setting.key));
    let of_repositories = repositories(document).map(|repository| Key(&[SETUP_COMMANDS], repository));
    let keys: Vec<Key<'_>> = settings.chain(of_agents).chain(of_repositories).collect();
    let mut unknown = Vec::new();
    note_unknown(&keys, document.as_table(), &[], &mut unknown);
    unknown
}

fn note_unknown(
    keys: &[Key<'_>],
    entries: &dyn TableLike,
    within: &[&str],
    unknown: &mut Vec<IgnoredSetting>,
) {
    for (name, item) in entries.iter() {
        if keys.iter().any(|key| key.0 == within && key.1 == name) {
            continue;
        }
        let path = [within, &[name]].concat();
        match item.as_table_like() {
            Some(entries) if keys.iter().any(|key| key.0.starts_with(&path)) => {
                note_unknown(keys, entries, &path, unknown);
            }
            _ => {
                unknown.push(IgnoredSetting { key: path.join("."), why: IgnoredWhy::Unknown });
            }
        }
    }
}

fn put(document: &mut DocumentMut, setting: &Setting) {
    let (tables, name) = match (setting, setting.descriptor()) {
        (_, Some(setting)) => (vec![setting.category], setting.key),
        (Setting::AgentArguments { agent, .. }, None) => (vec![AGENTS, agent.as_str()], ARGUMENTS),
        (Setting::AgentEnvironment { agent, .. }, None) => (vec![AGENTS, agent.as_str()], ENVIRONMENT),
        (Setting::SetupCommand { repository, .. }, None) => (vec![SETUP_COMMANDS], repository.as_str()),
        (_, None) => return,
    };
    let value = setting.serialize_value(ValueSerializer::new()).ok();
    let Some(value) = value else { return };
    let mut entries: &mut dyn TableLike = document.as_table_mut();
    for (n, table) in (1..).zip(tables.iter().copied()) {
        let item = entries.entry(table).or_insert(Item::None);
        if !item.is_table_like() {
            let mut made = Table::new();
            // A table that only contains another table gets no heading.
            made.set_implicit(n < tables.len());
            *item = Item::Table(made);
        }
        let Some(table) = item.as_table_like_mut() else { return };
        entries = table;
    }
    if let Setting::SetupCommand { command, .. } = setting
        && command.line().is_none()
    {
        entries.remove(name);
        return;
    }
    put_value(entries, name, value);
}

/// Sets a value and preserves its surroundings, such as comments.
fn put_value(entries: &mut dyn TableLike, name: &str, mut value: Value) {
    let Some(before) = entries.get_mut(name) else {
        entries.insert(name, Item::Value(value));
        return;
    };
    if let Some(values) = value.as_inline_table()
        && let Some(before) = before.as_table_like_mut()
    {
        let names = before.iter().map(|(name, _)| name.to_owned());
        for gone in names.filter(|name| !values.contains_key(name)).collect::<Vec<_>>() {
            before.remove(&gone);
        }
        for (name, value) in values {
            put_value(before, name, value.clone());
        }
        return;
    }
    if let Some(before) = before.as_value() {
        *value.decor_mut() = before.decor().clone();
    }
    *before = Item::Value(value);
}

#[cfg(test)]
mod tests;
