//! How a running Askdesk is found: the data folder, and the file in it that says where the gateway listens.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_user_environment::persist;
use serde::{Deserialize, Serialize};

use crate::token::{ANSWER_TOKEN_FILE, TOKEN_FILE, Token, private_temporary_file};

/// The environment variable that replaces the system's data folder.
pub const DATA_FOLDER: &str = "ASKDESK_DATA_DIR";
/// The app's identifier in `tauri.conf.json`, which also names its data folder.
pub const IDENTIFIER: &str = "io.github.askdesk";
/// The file that says where the gateway listens.
pub const DISCOVERY_FILE: &str = "desk.json";
/// The file that a running app holds a lock on. The system releases it however the app ends.
const LOCK_FILE: &str = "gateway.lock";
/// How often a lock that is held is tried again: other programs hold it for a moment to try it, too.
const LOCK_TRIES: u32 = 3;
const LOCK_AGAIN: Duration = Duration::from_millis(1);
/// The port that the gateway uses if it is free.
pub const DEFAULT_PORT: u16 = 41_414;

/// The desktop app's program.
pub const PROGRAM: &str = "askdesk-desktop";
/// The argument that starts it without a window.
pub const IN_BACKGROUND: &str = "--in-background";

/// The version of the form of [`Discovery`].
const FORM: u32 = 1;
/// The largest discovery file that is read, in bytes.
const MAX_DISCOVERY_BYTES: u64 = 16 * 1024;
/// How much of a reason is written to the discovery file, in characters. In JSON, each takes at most 12 bytes.
const MAX_REASON_CHARS: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDataFolder {
    #[error("{DATA_FOLDER}: {error}")]
    NoPath { error: String },
    #[error("can't find the system's folder for app data; set {DATA_FOLDER}")]
    NoPlace,
}

/// Finds the data folder. The app and everything that looks for it use this one rule.
pub fn data_folder() -> Result<PathBuf, NoDataFolder> {
    data_folder_from(std::env::var_os(DATA_FOLDER).as_deref(), system_folder())
}

/// On Windows, a folder that stays on this computer. Earlier versions took one that may follow the user to others.
fn system_folder() -> Option<PathBuf> {
    let earlier = dirs::data_dir()?.join(IDENTIFIER);
    if cfg!(windows) && !earlier.is_dir() {
        return Some(dirs::data_local_dir()?.join(IDENTIFIER));
    }
    Some(earlier)
}

fn data_folder_from(variable: Option<&OsStr>, system: Option<PathBuf>) -> Result<PathBuf, NoDataFolder> {
    match variable {
        Some(path) => {
            std::path::absolute(path).map_err(|error| NoDataFolder::NoPath { error: error.to_string() })
        }
        None => system.ok_or(NoDataFolder::NoPlace),
    }
}

/// What the discovery file holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    pub version: u32,
    pub pid: u32,
    /// The port it listens on, at 127.0.0.1.
    pub port: u16,
    pub url: String,
    pub app: String,
}

impl Discovery {
    /// Describes a gateway of this process.
    pub fn of_this_process(port: u16, app: &str) -> Self {
        Self { version: FORM, pid: std::process::id(), port, url: url_of(port), app: app.to_owned() }
    }
}

/// What the discovery file holds while the gateway can't open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedGateway {
    pub version: u32,
    pub pid: u32,
    /// Why it can't open, in English.
    pub closed: String,
}

impl ClosedGateway {
    /// Cuts a long reason.
    pub fn of_this_process(why: &str) -> Self {
        Self { version: FORM, pid: std::process::id(), closed: why.chars().take(MAX_REASON_CHARS).collect() }
    }
}

/// The two forms of the discovery file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum DiscoveryFile {
    Open(Discovery),
    Closed(ClosedGateway),
}

impl DiscoveryFile {
    const fn pid(&self) -> u32 {
        match self {
            Self::Open(Discovery { pid, .. }) | Self::Closed(ClosedGateway { pid, .. }) => *pid,
        }
    }

    /// Clients only ever connect to this computer, whatever the file says.
    fn is_valid(&self) -> bool {
        match self {
            Self::Open(open) => open.version == FORM && open.url == url_of(open.port),
            Self::Closed(closed) => closed.version == FORM,
        }
    }
}

fn url_of(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Whether an instance is running, according to its discovery file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveryState {
    /// There is no file, or its process has ended.
    NotRunning,
    /// The file can't be understood. A later version may be running.
    Unreadable,
    /// The file names a process that is running.
    Running(Discovery),
    /// The process is running, but its gateway can't open.
    Closed {
        /// The cause, in English.
        why: String,
    },
}

/// The data folder of an Askdesk installation, which may not exist yet.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the discovery file and checks it.
    pub fn discovery_state(&self) -> DiscoveryState {
        let file = self.path.join(DISCOVERY_FILE);
        match std::fs::metadata(&file) {
            Ok(metadata) if metadata.len() <= MAX_DISCOVERY_BYTES => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return DiscoveryState::NotRunning,
            Ok(_) | Err(_) => return DiscoveryState::Unreadable,
        }
        let read: Option<DiscoveryFile> =
            std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        match read.filter(DiscoveryFile::is_valid) {
            None => DiscoveryState::Unreadable,
            // Another program may have the port by now. It must not be sent a token.
            Some(read) if !self.is_running(read.pid()) => DiscoveryState::NotRunning,
            Some(DiscoveryFile::Open(read)) => DiscoveryState::Running(read),
            Some(DiscoveryFile::Closed(ClosedGateway { closed, .. })) => {
                DiscoveryState::Closed { why: closed }
            }
        }
    }

    /// Returns where the gateway listens, if it is running and its discovery file is valid.
    pub fn discovery(&self) -> Option<Discovery> {
        match self.discovery_state() {
            DiscoveryState::Running(discovery) => Some(discovery),
            DiscoveryState::NotRunning | DiscoveryState::Unreadable | DiscoveryState::Closed { .. } => None,
        }
    }

    /// Writes the discovery file, and removes it when the returned guard is dropped.
    pub fn publish(&self, discovery: Discovery) -> io::Result<PublishedDiscovery> {
        self.write_discovery(&DiscoveryFile::Open(discovery))
    }

    /// Says in the discovery file why the gateway can't open, until the returned guard is dropped.
    pub fn publish_closed(&self, closed: ClosedGateway) -> io::Result<PublishedDiscovery> {
        self.write_discovery(&DiscoveryFile::Closed(closed))
    }

    fn write_discovery(&self, written: &DiscoveryFile) -> io::Result<PublishedDiscovery> {
        let mut text = serde_json::to_vec(written)?;
        text.push(b'\n');
        let file = self.path.join(DISCOVERY_FILE);
        let new = private_temporary_file(&file, &text)?;
        let lock = self.lock();
        persist(new, &file)?;
        Ok(PublishedDiscovery { folder: self.clone(), written: text, _lock: lock })
    }

    /// Shows that this process is running. None on a file system without locks.
    fn lock(&self) -> Option<File> {
        let file = File::options().create(true).append(true).open(self.path.join(LOCK_FILE)).ok()?;
        file.lock_shared().ok().map(|()| file)
    }

    /// Tells whether the process that wrote the discovery file still runs. Its id may be that of another process by now, so it
    /// counts only while the lock is held; an app of an earlier version, or a file system without locks, has none.
    fn is_running(&self, pid: u32) -> bool {
        match File::options().append(true).open(self.path.join(LOCK_FILE)) {
            Ok(file) => is_process(pid) && is_held(&file).unwrap_or(true),
            Err(_) => cfg!(unix) && is_process(pid),
        }
    }

    /// Reads the token that lets a client ask.
    pub fn token(&self) -> io::Result<Option<Token>> {
        Token::read(&self.token_file())
    }

    /// Reads the token that lets `askdesk` answer.
    pub fn answer_token(&self) -> io::Result<Option<Token>> {
        Token::read(&self.answer_token_file())
    }

    /// Reads the token that lets a client ask, or creates it. The gateway uses that token from its next start on.
    pub fn token_or_new(&self) -> io::Result<Token> {
        Token::read_or_create(&self.token_file())
    }

    /// Replaces both tokens. A running gateway would not notice, so this is only for when none runs.
    pub fn replace_tokens(&self) -> io::Result<()> {
        Token::replace(&self.answer_token_file())?;
        Token::replace(&self.token_file()).map(drop)
    }

    /// Returns the path of the file with the token that lets a client ask.
    pub fn token_file(&self) -> PathBuf {
        self.path.join(TOKEN_FILE)
    }

    /// Returns the path of the file with the token that lets `askdesk` answer.
    pub fn answer_token_file(&self) -> PathBuf {
        self.path.join(ANSWER_TOKEN_FILE)
    }
}

/// The discovery file of a running app. Dropping this removes the file.
#[derive(Debug)]
pub struct PublishedDiscovery {
    folder: DataFolder,
    written: Vec<u8>,
    _lock: Option<File>,
}

impl Drop for PublishedDiscovery {
    fn drop(&mut self) {
        let file = self.folder.path.join(DISCOVERY_FILE);
        // This instance or another one may have written another file since.
        if std::fs::read(&file).is_ok_and(|text| text == self.written) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Tells whether another process holds a lock; none on a file system without locks.
fn is_held(file: &File) -> Option<bool> {
    for attempt in 0..LOCK_TRIES {
        if attempt > 0 {
            std::thread::sleep(LOCK_AGAIN);
        }
        match file.try_lock() {
            Ok(()) => return Some(false),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return None,
        }
    }
    Some(true)
}

/// Tells whether a process with this id runs for the current user. A process of another user isn't this user's Askdesk.
#[cfg(unix)]
fn is_process(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(not(unix))]
const fn is_process(_: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_the_systems_unless_the_variable_is_set() {
        let system = || Some(PathBuf::from("/home/ada/.local/share/io.github.askdesk"));
        let usual = data_folder_from(None, system()).unwrap();
        assert_eq!(usual, PathBuf::from("/home/ada/.local/share/io.github.askdesk"));
        let named = if cfg!(windows) { r"D:\desk" } else { "/srv/desk" };
        let own = data_folder_from(Some(OsStr::new(named)), system()).unwrap();
        assert_eq!(own, PathBuf::from(named));
        assert_eq!(data_folder_from(None, None), Err(NoDataFolder::NoPlace));
        assert!(data_folder_from(Some(OsStr::new("")), None).is_err());
        assert!(data_folder_from(Some(OsStr::new("desk")), None).unwrap().is_absolute());
    }

    #[test]
    fn the_data_folder_has_the_identifier_of_the_app() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tauri.conf.json");
        let app: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(app["identifier"], IDENTIFIER);
    }

    #[test]
    fn a_published_file_is_found_until_it_is_dropped() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let discovery = Discovery::of_this_process(41_414, "0.1.0");
        let published = folder.publish(discovery.clone()).unwrap();
        assert_eq!(folder.discovery(), Some(discovery));
        drop(published);
        assert_eq!(folder.discovery_state(), DiscoveryState::NotRunning);
    }

    #[test]
    fn a_gateway_that_cannot_open_says_why_until_it_opens() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let why = "\u{1}".repeat(100_000);
        let closed = folder.publish_closed(ClosedGateway::of_this_process(&why)).unwrap();
        assert_eq!(folder.discovery_state(), DiscoveryState::Closed { why: why[..1_000].to_owned() });
        assert_eq!(folder.discovery(), None);
        let open = folder.publish(Discovery::of_this_process(41_414, "0.1.0")).unwrap();
        drop(closed);
        assert!(folder.discovery().is_some());
        drop(open);
        assert_eq!(folder.discovery_state(), DiscoveryState::NotRunning);
    }

    /// After a crash, or a loss of power, another program may have the id and the port of the app.
    #[test]
    fn case_153_a_file_that_was_left_counts_only_while_its_lock_is_held() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let discovery = Discovery::of_this_process(41_414, "0.1.0");
        let published = folder.publish(discovery.clone()).unwrap();
        let left = std::fs::read(temporary.path().join(DISCOVERY_FILE)).unwrap();
        let looks = std::thread::scope(|scope| {
            let looks: Vec<_> = (0..8).map(|_| scope.spawn(|| folder.discovery())).collect();
            looks.into_iter().map(|look| look.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(looks, vec![Some(discovery); 8]);
        drop(published);
        std::fs::write(temporary.path().join(DISCOVERY_FILE), left).unwrap();
        assert_eq!(folder.discovery_state(), DiscoveryState::NotRunning);
    }

    #[test]
    fn dropping_a_published_file_leaves_that_of_another_instance() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let first = folder.publish(Discovery::of_this_process(41_414, "0.1.0")).unwrap();
        let second = folder.publish(Discovery::of_this_process(41_415, "0.1.0")).unwrap();
        drop(first);
        assert_eq!(folder.discovery().map(|it| it.port), Some(41_415));
        drop(second);
    }

    #[test]
    fn a_discovery_file_with_another_address_is_rejected() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        assert_eq!(folder.discovery_state(), DiscoveryState::NotRunning);
        let _running = folder.lock();
        let own = std::process::id();
        let check = |text: &str, port: Option<u16>| {
            std::fs::write(temporary.path().join(DISCOVERY_FILE), text.replace("OWN", &own.to_string()))
                .unwrap();
            assert_eq!(folder.discovery().map(|it| it.port), port, "{text}");
            assert_ne!(folder.discovery_state(), DiscoveryState::NotRunning, "{text}");
        };
        check(
            r#"{"version":1,"pid":OWN,"port":41415,"url":"http://127.0.0.1:41415","app":"0.1.0","more":1}"#,
            Some(41415),
        );
        check(r#"{"version":1,"pid":OWN,"port":41415,"url":"http://10.0.0.1:41415","app":"0.1.0"}"#, None);
        check(r#"{"version":2,"pid":OWN,"port":41415,"url":"http://127.0.0.1:41415","app":"0.1.0"}"#, None);
        check("{", None);
    }

    #[cfg(unix)]
    #[test]
    fn an_instance_whose_process_has_ended_is_not_running() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let says = |pid: u32| {
            let said = Discovery { pid, ..Discovery::of_this_process(41_415, "0.1.0") };
            std::fs::write(temporary.path().join(DISCOVERY_FILE), serde_json::to_vec(&said).unwrap())
                .unwrap();
            said
        };
        let said = says(std::process::id());
        assert_eq!(folder.discovery_state(), DiscoveryState::Running(said));
        let mut gone = std::process::Command::new("/bin/sh").args(["-c", "exit 0"]).spawn().unwrap();
        gone.wait().unwrap();
        for pid in [gone.id(), 0, u32::MAX] {
            says(pid);
            assert_eq!(
                (folder.discovery_state(), folder.discovery()),
                (DiscoveryState::NotRunning, None),
                "{pid}"
            );
        }
    }
}
