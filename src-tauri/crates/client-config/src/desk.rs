//! What a desk leaves in its data folder for those who want to reach it: its token, and where it listens.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Names a folder to keep all data in, instead of the system's place for it.
pub const DATA_FOLDER: &str = "ASKDESK_DATA_DIR";
/// The name by which the system knows the app; its data folder is called so.
pub const IDENTIFIER: &str = "io.github.askdesk";
/// The file that says where a desk listens.
pub const DISCOVERY_FILE: &str = "desk.json";
/// The file with the token, by which clients ask.
pub const TOKEN_FILE: &str = "token";
/// The file with the secret by which their questions are answered. It never gets into a client's files.
pub const ANSWER_TOKEN_FILE: &str = "answer-token";
/// Where a desk listens where nothing else does.
pub const USUAL_PORT: u16 = 41414;

pub const PROGRAM: &str = "askdesk-desktop";
/// The argument by which it comes up without a window.
pub const IN_BACKGROUND: &str = "--in-background";

/// How many bytes of chance a new token is made of.
const TOKEN_BYTES: usize = 32;
/// The longest token that is taken, in bytes.
const TOKEN_MOST: usize = 512;
/// The largest discovery file that is read, in bytes.
const DISCOVERY_MOST: u64 = 16 * 1024;

/// Why there is no folder to keep data in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDataFolder {
    /// What the variable names makes no path.
    #[error("{DATA_FOLDER}: {error}")]
    NoPath { error: String },
    /// The system knows no place for the data of programs.
    #[error("the system knows no folder for the data of programs")]
    NoPlace,
}

/// Finds the folder in which the desk keeps its data: the app and all who look for it follow this one rule.
pub fn data_folder() -> Result<PathBuf, NoDataFolder> {
    data_folder_by(std::env::var_os(DATA_FOLDER).as_deref(), dirs::data_dir())
}

fn data_folder_by(own: Option<&OsStr>, system: Option<PathBuf>) -> Result<PathBuf, NoDataFolder> {
    match own {
        Some(own) => {
            std::path::absolute(own).map_err(|error| NoDataFolder::NoPath { error: error.to_string() })
        }
        None => Ok(system.ok_or(NoDataFolder::NoPlace)?.join(IDENTIFIER)),
    }
}

/// The secret that opens the door. It is never shown by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Takes a token as it stands in a file; none where it is none that a header can carry.
    pub fn read(text: &str) -> Option<Self> {
        let token = text.trim();
        let fits =
            !token.is_empty() && token.len() <= TOKEN_MOST && token.bytes().all(|it| it.is_ascii_graphic());
        fits.then(|| Self(token.to_owned()))
    }

    /// Stands for a token that is not made yet, where only the form of what it stands in counts.
    pub fn to_come() -> Self {
        Self("to-come".to_owned())
    }

    /// Returns the secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Where a desk listens, as it says itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    pub version: u32,
    /// The process that listens.
    pub pid: u32,
    pub port: u16,
    /// The address that leads there.
    pub url: String,
    #[serde(default)]
    pub app: String,
}

/// What a data folder says of where a desk listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Announced {
    /// Nothing, or what a desk said whose process is gone: no desk runs.
    Nowhere,
    /// Something that is not understood: a desk may run, perhaps of a later version.
    Unclear,
    At(Discovery),
}

/// A desk's data folder, as it looks to those who want to reach the desk.
#[derive(Clone, Debug)]
pub struct Desk {
    folder: PathBuf,
}

impl Desk {
    /// Takes a data folder, whether it is there or not.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads where the desk says it listens.
    pub fn announced(&self) -> Announced {
        let file = self.folder.join(DISCOVERY_FILE);
        match std::fs::metadata(&file) {
            Ok(about) if about.len() <= DISCOVERY_MOST => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Announced::Nowhere,
            Ok(_) | Err(_) => return Announced::Unclear,
        }
        let said: Option<Discovery> =
            std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok());
        // Only this machine is ever spoken to, whatever the file says.
        let is_here = |it: &Discovery| it.version == 1 && it.url == format!("http://127.0.0.1:{}", it.port);
        match said.filter(is_here) {
            None => Announced::Unclear,
            // Whoever has its port by now must not be sent a secret.
            Some(said) if !is_running(said.pid) => Announced::Nowhere,
            Some(said) => Announced::At(said),
        }
    }

    /// Returns where the desk listens; none where it is gone or says it in a way that is not understood.
    pub fn discovery(&self) -> Option<Discovery> {
        match self.announced() {
            Announced::At(said) => Some(said),
            Announced::Nowhere | Announced::Unclear => None,
        }
    }

    /// Reads the token by which clients ask; none where there is none yet.
    pub fn token(&self) -> io::Result<Option<Token>> {
        self.read(TOKEN_FILE)
    }

    /// Reads the secret by which is answered; none where there is none yet.
    pub fn answer_token(&self) -> io::Result<Option<Token>> {
        self.read(ANSWER_TOKEN_FILE)
    }

    fn read(&self, name: &str) -> io::Result<Option<Token>> {
        match std::fs::read_to_string(self.folder.join(name)) {
            Ok(text) => Ok(Token::read(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the token, and makes one where there is none: the desk takes it over when it starts.
    pub fn token_or_new(&self) -> io::Result<Token> {
        if let Some(token) = self.token()? {
            return Ok(token);
        }
        let (token, file) = self.drawn()?;
        // Made beside and linked into place, so that nobody ever reads half of one. Who comes second takes the first's.
        let path = self.folder.join(TOKEN_FILE);
        match file.persist_noclobber(&path) {
            Ok(_) => Ok(token),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => match self.token()? {
                Some(token) => Ok(token),
                None => Err(io::Error::new(io::ErrorKind::InvalidData, "the token file holds no token")),
            },
            Err(error) => Err(error.error),
        }
    }

    /// Makes other secrets and puts them in the place of those before; returns the token by which clients ask. Only for where
    /// no desk runs: one that does would not hear of it.
    pub fn draw_tokens(&self) -> io::Result<Token> {
        self.draw(ANSWER_TOKEN_FILE)?;
        self.draw(TOKEN_FILE)
    }

    fn draw(&self, name: &str) -> io::Result<Token> {
        let (token, file) = self.drawn()?;
        file.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(token)
    }

    /// Makes a token, on disk under a name of its own and for its owner alone.
    fn drawn(&self) -> io::Result<(Token, tempfile::NamedTempFile)> {
        let mut chance = [0_u8; TOKEN_BYTES];
        getrandom::fill(&mut chance).map_err(io::Error::other)?;
        let token = Token(chance.iter().map(|byte| format!("{byte:02x}")).collect());
        make_private_folder(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(".token-").tempfile_in(&self.folder)?;
        // A umask may have taken some of the owner's rights.
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        writeln!(file, "{}", token.reveal())?;
        file.as_file().sync_all()?;
        Ok((token, file))
    }
}

/// Tells whether a process of this person has that id. Another's is not their desk. That the system gave the id to another
/// of their own meanwhile cannot be seen.
#[cfg(unix)]
fn is_running(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(not(unix))]
const fn is_running(_: u32) -> bool {
    true
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_the_apps_own_unless_another_one_is_named() {
        let system = || Some(PathBuf::from("/home/ada/.local/share"));
        let usual = data_folder_by(None, system()).unwrap();
        assert_eq!(usual, PathBuf::from("/home/ada/.local/share/io.github.askdesk"));
        let own = data_folder_by(Some(OsStr::new("/srv/desk")), system()).unwrap();
        assert_eq!(own, PathBuf::from("/srv/desk"));
        assert_eq!(data_folder_by(None, None), Err(NoDataFolder::NoPlace));
        assert!(data_folder_by(Some(OsStr::new("")), None).is_err());
        assert!(data_folder_by(Some(OsStr::new("desk")), None).unwrap().is_absolute());
    }

    #[test]
    fn the_name_of_the_data_folder_is_the_one_the_system_knows_the_app_by() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tauri.conf.json");
        let app: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        assert_eq!(app["identifier"], IDENTIFIER);
    }

    #[test]
    fn a_token_is_made_once_for_its_owner_alone_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::at(folder.path().join("data"));
        assert_eq!(desk.token().unwrap(), None);
        let token = desk.token_or_new().unwrap();
        assert_eq!(token.reveal().len(), 64);
        assert_eq!(desk.token_or_new().unwrap(), token);
        assert_eq!(format!("{token:?}"), "Token(…)");
        let text = std::fs::read_to_string(desk.folder().join(TOKEN_FILE)).unwrap();
        assert_eq!(text, format!("{}\n", token.reveal()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&desk.folder().join(TOKEN_FILE)), 0o600);
            assert_eq!(mode(desk.folder()), 0o700);
        }
    }

    #[test]
    fn many_who_make_a_token_at_once_all_get_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::at(folder.path());
        let tokens: Vec<Token> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| desk.token_or_new().unwrap())).collect();
            asking.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]));
        assert_eq!(desk.token().unwrap().as_ref(), tokens.first());
    }

    #[test]
    fn a_discovery_file_that_leads_elsewhere_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::at(folder.path());
        assert_eq!(desk.announced(), Announced::Nowhere);
        let own = std::process::id();
        let check = |text: &str, port: Option<u16>| {
            std::fs::write(folder.path().join(DISCOVERY_FILE), text.replace("OWN", &own.to_string()))
                .unwrap();
            assert_eq!(desk.discovery().map(|it| it.port), port, "{text}");
            assert_ne!(desk.announced(), Announced::Nowhere, "{text}");
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
    fn a_desk_whose_process_is_gone_listens_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let desk = Desk::at(folder.path());
        let says = |pid: u32| {
            let url = "http://127.0.0.1:41415".to_owned();
            let said = Discovery { version: 1, pid, port: 41415, url, app: "0.1.0".to_owned() };
            std::fs::write(folder.path().join(DISCOVERY_FILE), serde_json::to_vec(&said).unwrap()).unwrap();
            said
        };
        let said = says(std::process::id());
        assert_eq!(desk.announced(), Announced::At(said));
        let mut gone = std::process::Command::new("/bin/sh").args(["-c", "exit 0"]).spawn().unwrap();
        gone.wait().unwrap();
        for pid in [gone.id(), 0, u32::MAX] {
            says(pid);
            assert_eq!((desk.announced(), desk.discovery()), (Announced::Nowhere, None), "{pid}");
        }
    }

    #[test]
    fn a_token_that_no_header_can_carry_is_none() {
        assert_eq!(Token::read(" abc\n"), Some(Token("abc".into())));
        for text in ["", "\n", "a b", "a\r\nb", "ü"] {
            assert_eq!(Token::read(text), None, "{text:?}");
        }
    }
}
