//! The command that prepares a new worktree of a repository: a line for the user's shell, of the user's own.

use serde::{Deserialize, Serialize};

use crate::error::{CommandError, SettingError};

/// The longest command, in bytes.
pub const SETUP_COMMAND_BYTES: usize = 4 * 1024;
/// Further entries of the settings file are ignored.
pub const SETUP_COMMANDS: usize = 256;

/// A line for a shell. The empty text is no command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct SetupCommand(String);

impl SetupCommand {
    /// Returns the line, if there is one.
    pub fn line(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|line| !line.is_empty())
    }
}

impl TryFrom<String> for SetupCommand {
    type Error = SettingError;

    fn try_from(text: String) -> Result<Self, SettingError> {
        let text = text.trim();
        let bytes = text.len();
        let flaw = match () {
            () if bytes > SETUP_COMMAND_BYTES => CommandError::TooLong { most: SETUP_COMMAND_BYTES, bytes },
            () if text.contains('\0') => CommandError::Zero,
            () => return Ok(Self(text.to_owned())),
        };
        Err(SettingError::Command { flaw })
    }
}

impl From<SetupCommand> for String {
    fn from(command: SetupCommand) -> Self {
        command.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_any_line_that_a_shell_can_be_given() {
        let command = |text: &str| SetupCommand::try_from(text.to_owned());
        assert_eq!(command(" npm ci && cp ../.env . ").unwrap().line(), Some("npm ci && cp ../.env ."));
        assert_eq!(command("  ").unwrap().line(), None);
        let flaw = CommandError::Zero;
        assert_eq!(command("a\0b"), Err(SettingError::Command { flaw }));
        let flaw = CommandError::TooLong { most: SETUP_COMMAND_BYTES, bytes: SETUP_COMMAND_BYTES + 1 };
        assert_eq!(command(&"x".repeat(SETUP_COMMAND_BYTES + 1)), Err(SettingError::Command { flaw }));
    }
}
