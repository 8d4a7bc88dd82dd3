//! The secrets of this installation, each one line in a file that its owner alone can read: the token, by which clients ask,
//! and another one, by which their questions are answered from elsewhere. It stands in no client's files, so that none of
//! them can answer in the person's place.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use askdesk_engine::private;
use subtle::ConstantTimeEq;

/// The file beside the journal that holds the token by which clients ask.
pub const TOKEN_FILE: &str = "token";
/// The file beside it that holds the one by which is answered.
pub const ANSWER_TOKEN_FILE: &str = "answer-token";

/// How many random bytes a token has; it is written in hexadecimal.
const TOKEN_BYTES: usize = 32;

#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("the token's file cannot be used: {0}")]
    File(#[from] std::io::Error),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

#[derive(Debug)]
pub struct Secrets {
    asking: Token,
    answering: Token,
}

/// What a caller may do by the secret it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Ask, and hear what became of it.
    Ask,
    /// See what waits, answer it, and draw other secrets.
    Answer,
}

impl Secrets {
    /// Reads the secrets of a data folder, or draws those that cannot be read.
    pub fn of(folder: &Path) -> Result<Self, TokenError> {
        Ok(Self { asking: Token::of(folder, TOKEN_FILE)?, answering: Token::of(folder, ANSWER_TOKEN_FILE)? })
    }

    /// Says what a secret is good for, in a time that does not tell how much of it is right.
    pub fn what_may(&self, secret: &[u8]) -> Option<May> {
        match (self.asking.is(secret), self.answering.is(secret)) {
            (true, _) => Some(May::Ask),
            (false, true) => Some(May::Answer),
            (false, false) => None,
        }
    }

    /// Returns the header by which clients ask.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.asking.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Draws others; those before open nothing from then on.
    pub fn rotate(&self) -> Result<(), TokenError> {
        self.asking.rotate()?;
        self.answering.rotate()
    }
}

/// A secret that opens doors. It shows itself to nobody: not in a log, not in an error.
pub struct Token {
    file: PathBuf,
    now: RwLock<String>,
    rotating: Mutex<()>,
}

impl Token {
    /// Reads a secret of a data folder, or draws one where none can be read.
    fn of(folder: &Path, name: &str) -> Result<Self, TokenError> {
        let file = folder.join(name);
        let kept = match read(&file)? {
            Some(kept) => kept,
            None => draw_into(&file)?,
        };
        Ok(Self { file, now: RwLock::new(kept), rotating: Mutex::default() })
    }

    /// Says whether a text is the token, in a time that does not tell how much of it is right.
    fn is(&self, text: &[u8]) -> bool {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        now.as_bytes().ct_eq(text).into()
    }

    fn rotate(&self) -> Result<(), TokenError> {
        // Who comes meanwhile is not kept waiting for the disk, and two that rotate leave the same in memory and in the file.
        let _alone = self.rotating.lock().unwrap_or_else(PoisonError::into_inner);
        let drawn = draw_into(&self.file)?;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = drawn;
        Ok(())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

fn read(file: &Path) -> Result<Option<String>, TokenError> {
    let about = match std::fs::symlink_metadata(file) {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // What is no file of one's own, or was open to others, may be known to others: another one is drawn.
    if !about.is_file() || is_open_to_others(&about) {
        tracing::warn!("a token's file was open to others, so another token is drawn");
        return Ok(None);
    }
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(None) };
    let text = text.trim();
    let whole = text.len() == TOKEN_BYTES * 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(whole.then(|| text.to_owned()))
}

#[cfg(unix)]
fn is_open_to_others(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

fn draw_into(file: &Path) -> Result<String, TokenError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
    let text = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    private::write(file, format!("{text}\n").as_bytes())?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn on_disk(folder: &Path) -> String {
        std::fs::read_to_string(folder.join(TOKEN_FILE)).unwrap().trim_end().to_owned()
    }

    #[test]
    fn a_token_is_drawn_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path(), TOKEN_FILE).unwrap();
        let text = on_disk(folder.path());
        assert_eq!(text.len(), TOKEN_BYTES * 2);
        assert!(token.is(text.as_bytes()));
        assert!(Token::of(folder.path(), TOKEN_FILE).unwrap().is(text.as_bytes()));
        for wrong in ["", "x", &text[1..], &format!("{text} ")] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn a_rotated_token_opens_nothing_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path(), TOKEN_FILE).unwrap();
        let before = on_disk(folder.path());
        token.rotate().unwrap();
        let after = on_disk(folder.path());
        assert_ne!(before, after);
        assert!(!token.is(before.as_bytes()));
        assert!(token.is(after.as_bytes()));
    }

    #[test]
    fn a_token_is_written_down_while_others_are_let_in_by_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path(), TOKEN_FILE).unwrap();
        let before = on_disk(folder.path());
        std::thread::scope(|scope| {
            let coming = token.now.read().unwrap();
            let rotating = scope.spawn(|| token.rotate());
            let began = Instant::now();
            let written = || on_disk(folder.path()) != before;
            while !written() && began.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let written = written();
            drop(coming);
            rotating.join().unwrap().unwrap();
            assert!(written);
        });
        assert!(token.is(on_disk(folder.path()).as_bytes()));
    }

    #[test]
    fn a_damaged_token_is_drawn_anew() {
        let folder = tempfile::tempdir().unwrap();
        drop(Token::of(folder.path(), TOKEN_FILE).unwrap());
        std::fs::write(folder.path().join(TOKEN_FILE), "abc").unwrap();
        assert!(!Token::of(folder.path(), TOKEN_FILE).unwrap().is(b"abc"));
        assert_eq!(on_disk(folder.path()).len(), TOKEN_BYTES * 2);
    }

    #[test]
    fn each_secret_is_good_for_one_thing_and_both_are_rotated_together() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::of(folder.path()).unwrap();
        let read = || {
            [TOKEN_FILE, ANSWER_TOKEN_FILE]
                .map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap().trim_end().to_owned())
        };
        let what_may = |secrets: [String; 2], of: &Secrets| secrets.map(|it| of.what_may(it.as_bytes()));
        let before = read();
        assert_ne!(before[0], before[1]);
        assert_eq!(what_may(before.clone(), &secrets), [Some(May::Ask), Some(May::Answer)]);
        assert_eq!(
            what_may(read(), &Secrets::of(folder.path()).unwrap()),
            [Some(May::Ask), Some(May::Answer)]
        );
        secrets.rotate().unwrap();
        assert_eq!(what_may(before, &secrets), [None, None]);
        assert_eq!(what_may(read(), &secrets), [Some(May::Ask), Some(May::Answer)]);
    }

    #[test]
    fn it_shows_itself_to_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path(), TOKEN_FILE).unwrap();
        assert!(!format!("{token:?}").contains(&on_disk(folder.path())));
    }

    #[cfg(unix)]
    #[test]
    fn its_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(TOKEN_FILE);
        let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        drop(Token::of(folder.path(), TOKEN_FILE).unwrap());
        assert_eq!(mode(), 0o600);
        let before = on_disk(folder.path());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let token = Token::of(folder.path(), TOKEN_FILE).unwrap();
        assert_eq!(mode(), 0o600);
        assert!(!token.is(before.as_bytes()), "others could have read it");
    }
}
