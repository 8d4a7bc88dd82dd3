//! The two access tokens, and what each of them permits.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};

use askdesk_client_config::{DataFolder, Token};
use subtle::ConstantTimeEq;

/// What a token permits. One that permits answering isn't in any client's files, so no client can answer in the user's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Ask, and receive the answer.
    Ask,
    /// List and answer open questions, and rotate the tokens.
    Answer,
}

/// A token file that can't be read or created.
#[derive(Debug, thiserror::Error)]
#[error("can't use the token file {}: {error}", file.display())]
pub struct TokenFileError {
    file: PathBuf,
    error: io::Error,
}

#[derive(Debug)]
pub struct AccessTokens {
    ask: AccessToken,
    answer: AccessToken,
    rotating: Mutex<()>,
}

impl AccessTokens {
    /// Reads the tokens of a data folder. A token that is missing, or was read and is invalid, is replaced. One that can't be
    /// read is kept, because connected apps have it.
    pub fn load(folder: &DataFolder) -> Result<Self, TokenFileError> {
        Ok(Self {
            ask: AccessToken::load(folder.token_file())?,
            answer: AccessToken::load(folder.answer_token_file())?,
            rotating: Mutex::default(),
        })
    }

    /// Returns what a token permits. How long this takes doesn't depend on how much of the token is right.
    pub fn permission_of(&self, token: &[u8]) -> Option<Permission> {
        match (self.ask.matches(token), self.answer.matches(token)) {
            (true, _) => Some(Permission::Ask),
            (false, true) => Some(Permission::Answer),
            (false, false) => None,
        }
    }

    /// Returns the `Authorization` header that permits asking.
    pub fn ask_header(&self) -> String {
        self.ask.current.read().unwrap_or_else(PoisonError::into_inner).bearer()
    }

    /// Replaces both tokens. The old ones are rejected from then on.
    pub fn rotate(&self) -> io::Result<()> {
        // Requests don't wait for the disk, and two rotations at once leave the same tokens in memory and on disk.
        let _guard = self.rotating.lock().unwrap_or_else(PoisonError::into_inner);
        self.ask.rotate()?;
        self.answer.rotate()
    }
}

#[derive(Debug)]
struct AccessToken {
    file: PathBuf,
    current: RwLock<Token>,
}

impl AccessToken {
    fn load(file: PathBuf) -> Result<Self, TokenFileError> {
        let token = match Token::read(&file) {
            Ok(Some(token)) => Ok(token),
            Ok(None) => {
                if std::fs::symlink_metadata(&file).is_ok() {
                    tracing::warn!(file = %file.display(), "the file holds no valid token, so it is replaced");
                }
                Token::replace(&file)
            }
            Err(error) => Err(error),
        };
        match token {
            Ok(token) => Ok(Self { file, current: RwLock::new(token) }),
            Err(error) => Err(TokenFileError { file, error }),
        }
    }

    fn matches(&self, token: &[u8]) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.reveal().as_bytes().ct_eq(token).into()
    }

    fn rotate(&self) -> io::Result<()> {
        let token = Token::replace(&self.file)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = token;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn requests_are_let_in_while_a_new_token_is_written() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let token = AccessToken::load(folder.token_file()).unwrap();
        let text = || std::fs::read_to_string(folder.token_file()).unwrap().trim_end().to_owned();
        let before = text();
        std::thread::scope(|scope| {
            let request = token.current.read().unwrap();
            let rotating = scope.spawn(|| token.rotate());
            let began = Instant::now();
            let is_written = || text() != before;
            while !is_written() && began.elapsed() < Duration::from_secs(30) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let is_written = is_written();
            drop(request);
            rotating.join().unwrap().unwrap();
            assert!(is_written);
        });
        assert!(token.matches(text().as_bytes()));
    }

    fn on_disk(folder: &DataFolder) -> [String; 2] {
        [folder.token_file(), folder.answer_token_file()]
            .map(|file| std::fs::read_to_string(file).unwrap().trim_end().to_owned())
    }

    fn permissions(tokens: &AccessTokens, texts: &[String; 2]) -> [Option<Permission>; 2] {
        texts.each_ref().map(|text| tokens.permission_of(text.as_bytes()))
    }

    const BOTH: [Option<Permission>; 2] = [Some(Permission::Ask), Some(Permission::Answer)];

    #[test]
    fn each_token_permits_one_thing_and_both_are_rotated_together() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let tokens = AccessTokens::load(&folder).unwrap();
        let before = on_disk(&folder);
        assert_ne!(before[0], before[1]);
        assert_eq!(permissions(&tokens, &before), BOTH);
        assert_eq!(permissions(&AccessTokens::load(&folder).unwrap(), &before), BOTH);
        for wrong in ["", "x", &before[0][1..], &format!("{} ", before[0])] {
            assert_eq!(tokens.permission_of(wrong.as_bytes()), None, "{wrong}");
        }
        tokens.rotate().unwrap();
        assert_eq!(permissions(&tokens, &before), [None, None]);
        assert_eq!(permissions(&tokens, &on_disk(&folder)), BOTH);
    }

    #[cfg(unix)]
    #[test]
    fn case_131_a_token_that_cannot_be_read_is_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        drop(AccessTokens::load(&folder).unwrap());
        let before = on_disk(&folder);
        for file in [folder.token_file(), folder.answer_token_file()] {
            let loaded =
                askdesk_testkit::read_errors::while_unreadable(&file, || AccessTokens::load(&folder));
            let error = loaded.unwrap().unwrap_err().to_string();
            assert!(error.contains(&*file.to_string_lossy()) && error.contains("denied"), "{error}");
            assert_eq!(on_disk(&folder), before);
        }
        assert_eq!(permissions(&AccessTokens::load(&folder).unwrap(), &before), BOTH);
    }

    #[test]
    fn a_folder_in_the_place_of_a_token_is_left_there() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        std::fs::create_dir(folder.token_file()).unwrap();
        let error = AccessTokens::load(&folder).unwrap_err().to_string();
        assert!(error.ends_with("is a directory"), "{error}");
        assert!(folder.token().is_err() && folder.token_or_new().is_err());
    }

    /// `askdesk connect` must never register a token that the gateway rejects after its next start.
    #[test]
    fn clients_and_the_gateway_agree_on_what_a_valid_token_is() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temporary.path());
        let check = |prepare: &dyn Fn()| {
            drop(AccessTokens::load(&folder).unwrap());
            prepare();
            let registered = folder.token().unwrap();
            let tokens = AccessTokens::load(&folder).unwrap();
            if let Some(token) = registered {
                assert_eq!(tokens.permission_of(token.reveal().as_bytes()), Some(Permission::Ask));
            }
        };
        let write = |text: &str| std::fs::write(folder.token_file(), text).unwrap();
        check(&|| {});
        check(&|| write("abc"));
        check(&|| write(&"g".repeat(64)));
        check(&|| write(&"A".repeat(64)));
        #[cfg(unix)]
        check(&|| {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(folder.token_file(), std::fs::Permissions::from_mode(0o644)).unwrap();
        });
    }
}
