//! The bearer token of this installation: one line in a file that its owner alone can read.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use subtle::ConstantTimeEq;

/// The file beside the journal that holds the token.
pub const TOKEN_FILE: &str = "token";

/// How many random bytes a token has; it is written in hexadecimal.
const TOKEN_BYTES: usize = 32;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read or written.
    #[error("the token's file cannot be used: {0}")]
    File(#[from] std::io::Error),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// The token that opens the doors. It shows itself to nobody: not in a log, not in an error.
pub struct Token {
    file: PathBuf,
    now: RwLock<String>,
}

impl Token {
    /// Reads the token of a data folder, or draws one where none can be read.
    pub fn of(folder: &Path) -> Result<Self, TokenError> {
        let file = folder.join(TOKEN_FILE);
        let kept = match read(&file)? {
            Some(kept) => kept,
            None => draw_into(&file)?,
        };
        Ok(Self { file, now: RwLock::new(kept) })
    }

    /// Says whether a text is the token, in a time that does not tell how much of it is right.
    pub fn is(&self, text: &[u8]) -> bool {
        let now = self.now.read().unwrap_or_else(PoisonError::into_inner);
        now.as_bytes().ct_eq(text).into()
    }

    /// Draws another token; the one before opens nothing from then on.
    pub fn rotate(&self) -> Result<(), TokenError> {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = draw_into(&self.file)?;
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
        tracing::warn!("the token's file was open to others, so another token is drawn");
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
    write_private(file, format!("{text}\n").as_bytes())?;
    Ok(text)
}

/// Writes a file that its owner alone can read, whole or not at all.
pub(crate) fn write_private(file: &Path, bytes: &[u8]) -> Result<(), std::io::Error> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // Such a file is 0600 from its first moment.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_disk(folder: &Path) -> String {
        std::fs::read_to_string(folder.join(TOKEN_FILE)).unwrap().trim_end().to_owned()
    }

    #[test]
    fn a_token_is_drawn_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path()).unwrap();
        let text = on_disk(folder.path());
        assert_eq!(text.len(), TOKEN_BYTES * 2);
        assert!(token.is(text.as_bytes()));
        assert!(Token::of(folder.path()).unwrap().is(text.as_bytes()));
        for wrong in ["", "x", &text[1..], &format!("{text} ")] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn a_rotated_token_opens_nothing_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path()).unwrap();
        let before = on_disk(folder.path());
        token.rotate().unwrap();
        let after = on_disk(folder.path());
        assert_ne!(before, after);
        assert!(!token.is(before.as_bytes()));
        assert!(token.is(after.as_bytes()));
    }

    #[test]
    fn a_damaged_token_is_drawn_anew() {
        let folder = tempfile::tempdir().unwrap();
        drop(Token::of(folder.path()).unwrap());
        std::fs::write(folder.path().join(TOKEN_FILE), "abc").unwrap();
        assert!(!Token::of(folder.path()).unwrap().is(b"abc"));
        assert_eq!(on_disk(folder.path()).len(), TOKEN_BYTES * 2);
    }

    #[test]
    fn it_shows_itself_to_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::of(folder.path()).unwrap();
        assert!(!format!("{token:?}").contains(&on_disk(folder.path())));
    }

    #[cfg(unix)]
    #[test]
    fn its_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(TOKEN_FILE);
        let mode = || std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        drop(Token::of(folder.path()).unwrap());
        assert_eq!(mode(), 0o600);
        let before = on_disk(folder.path());
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let token = Token::of(folder.path()).unwrap();
        assert_eq!(mode(), 0o600);
        assert!(!token.is(before.as_bytes()), "others could have read it");
    }
}
