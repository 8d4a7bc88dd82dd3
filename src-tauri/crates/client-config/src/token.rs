//! The access tokens of an Askdesk installation. Each is one line in a file of the data folder that only its owner can read.
//!
//! The gateway and its clients share this one rule for what a valid token is. Otherwise `askdesk connect` could register
//! a token that the gateway replaces at its next start.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use askdesk_user_environment::persist;
use tempfile::NamedTempFile;

/// The file with the token that lets a client ask.
pub const TOKEN_FILE: &str = "token";
/// The file with the token that lets `askdesk` list and answer questions. It is never written to a client's files.
pub const ANSWER_TOKEN_FILE: &str = "answer-token";

/// How many random bytes a token has. It is written in hexadecimal.
const TOKEN_BYTES: usize = 32;
/// How much of a token file is read, in bytes. A longer file holds no token.
const MAX_FILE_BYTES: u64 = 1024;

/// An access token. `Debug` doesn't print it, so it can't end up in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Parses the text of a token file: 64 hexadecimal digits, with any white space around them.
    pub fn parse(text: &str) -> Option<Self> {
        let token = text.trim();
        let is_valid = token.len() == TOKEN_BYTES * 2 && token.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_valid.then(|| Self(token.to_owned()))
    }

    /// Reads a token file. Returns `None` if it is missing or invalid. A link, or a file that other users can open, is
    /// invalid too, because somebody else may know what it holds. Fails if nobody knows whether there is a token in it.
    pub fn read(file: &Path) -> io::Result<Option<Self>> {
        let metadata = match std::fs::symlink_metadata(file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() || is_open_to_others(&metadata) {
            return Ok(None);
        }
        let mut text = Vec::new();
        File::open(file)?.take(MAX_FILE_BYTES).read_to_end(&mut text)?;
        Ok(std::str::from_utf8(&text).ok().and_then(Self::parse))
    }

    /// Reads a token file, or creates it if it is missing. Fails if the file exists and holds no valid token: replacing it
    /// would lock out the clients of an instance that is running.
    pub fn read_or_create(file: &Path) -> io::Result<Self> {
        if let Some(token) = Self::read(file)? {
            return Ok(token);
        }
        let token = Self::generate()?;
        // The file is written under another name first, so that nobody reads half a token. If two processes do this at once,
        // the second one takes the token of the first.
        match token.temporary_file(file)?.persist_noclobber(file) {
            Ok(_) => Ok(token),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                let invalid = || io::Error::new(io::ErrorKind::InvalidData, "the token file holds no token");
                Self::read(file)?.ok_or_else(invalid)
            }
            Err(error) => Err(error.error),
        }
    }

    pub fn replace(file: &Path) -> io::Result<Self> {
        let token = Self::generate()?;
        persist(token.temporary_file(file)?, file)?;
        Ok(token)
    }

    /// Returns a stand-in where the shape of an entry matters and the token in it doesn't.
    pub fn placeholder() -> Self {
        Self("placeholder".to_owned())
    }

    /// Returns the token as text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the value of the `Authorization` header.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    fn generate() -> io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    fn temporary_file(&self, beside: &Path) -> io::Result<NamedTempFile> {
        private_temporary_file(beside, format!("{}\n", self.0).as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Writes a temporary file with mode 0600 beside another one. The folder is created with mode 0700 if it is missing.
pub(crate) fn private_temporary_file(beside: &Path, contents: &[u8]) -> io::Result<NamedTempFile> {
    let folder = beside.parent().unwrap_or(Path::new("."));
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let mut file = tempfile::Builder::new().prefix(".askdesk-").tempfile_in(folder)?;
    // The umask may have removed some of the owner's permissions.
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(unix)]
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
const fn is_open_to_others(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_created_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data").join(TOKEN_FILE);
        assert_eq!(Token::read(&file).unwrap(), None);
        let token = Token::read_or_create(&file).unwrap();
        assert_eq!(token.reveal().len(), TOKEN_BYTES * 2);
        assert_eq!(Token::read_or_create(&file).unwrap(), token);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{}\n", token.reveal()));
        assert_eq!(format!("{token:?}"), "Token(…)");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file), 0o600);
            assert_eq!(mode(file.parent().unwrap()), 0o700);
        }
    }

    #[test]
    fn processes_that_create_a_token_at_once_all_get_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(TOKEN_FILE);
        let tokens: Vec<Token> = std::thread::scope(|scope| {
            let creating: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Token::read_or_create(&file).unwrap())).collect();
            creating.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(tokens.iter().all(|token| *token == tokens[0]));
        assert_eq!(Token::read(&file).unwrap().as_ref(), tokens.first());
    }

    #[test]
    fn only_64_hexadecimal_digits_are_a_token() {
        let valid = "0123456789abcdefABCDEF".repeat(3)[..64].to_owned();
        assert_eq!(Token::parse(&format!(" {valid}\r\n")).unwrap().reveal(), valid);
        for invalid in ["", "abc", &valid[1..], &format!("{valid}0"), &valid.replace('a', "g")] {
            assert_eq!(Token::parse(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn an_invalid_file_is_not_read_and_only_replaced_on_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(TOKEN_FILE);
        std::fs::write(&file, [0xff; 64]).unwrap();
        assert_eq!(Token::read(&file).unwrap(), None);
        assert_eq!(Token::read_or_create(&file).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let token = Token::replace(&file).unwrap();
        assert_eq!(Token::read(&file).unwrap(), Some(token));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_open_and_a_link_hold_no_token() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join(TOKEN_FILE), folder.path().join("link"));
        drop(Token::replace(&file).unwrap());
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(Token::read(&link).unwrap(), None);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(Token::read(&file).unwrap(), None);
    }
}
