//! A command of the user's own that opens a file or a terminal: `subl {file}:{line}`.
//!
//! It is split into words once, as a shell would. Placeholders are replaced inside the words afterwards, so that nothing that is
//! filled in is ever split, and no shell is involved.

use serde::{Deserialize, Serialize};

use crate::error::{CommandError, Settable, SettingError, SettingKind, Written};

/// The longest command, in bytes.
pub const COMMAND_BYTES: usize = 4_096;

/// The placeholder of a program and its arguments; it stands for several words.
pub const COMMAND: &str = "command";

/// Splits a command and checks it against the placeholders there are.
fn split(text: &str, known: &[&str]) -> Result<Vec<String>, CommandError> {
    if text.len() > COMMAND_BYTES {
        return Err(CommandError::TooLong { most: COMMAND_BYTES, bytes: text.len() });
    }
    if text.contains('\0') {
        return Err(CommandError::Zero);
    }
    let words = shlex::split(text).ok_or(CommandError::Unclosed)?;
    let program =
        words.first().filter(|program| !program.is_empty() && placeholders(program).next().is_none());
    if program.is_none() {
        return Err(CommandError::NoProgram);
    }
    for word in &words {
        for name in placeholders(word) {
            if !known.contains(&name) {
                let known = known.iter().copied().map(str::to_owned).collect();
                return Err(CommandError::UnknownPlaceholder { name: name.to_owned(), known });
            }
            if name == COMMAND && word.len() != name.len() + 2 {
                return Err(CommandError::NotAlone { name: name.to_owned() });
            }
        }
    }
    Ok(words)
}

/// Lists the names in braces. Other text in braces, such as JSON, stands for itself.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    word.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(name)
    })
}

/// Declares a command setting with its placeholders. The empty text is no command.
macro_rules! command_setting {
    ($(#[$doc:meta])* $name:ident, $placeholders:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name {
            text: String,
            words: Vec<String>,
        }

        impl $name {
            pub const PLACEHOLDERS: &[&str] = &$placeholders;

            /// Returns the program and the words after it, with their placeholders; none if no command is set.
            pub fn words(&self) -> Option<(&str, &[String])> {
                self.words.split_first().map(|(program, rest)| (program.as_str(), rest))
            }
        }

        impl TryFrom<String> for $name {
            type Error = SettingError;

            fn try_from(text: String) -> Result<Self, SettingError> {
                let text = text.trim().to_owned();
                if text.is_empty() {
                    return Ok(Self::default());
                }
                let words = split(&text, Self::PLACEHOLDERS).map_err(|flaw| SettingError::Command { flaw })?;
                Ok(Self { text, words })
            }
        }

        impl From<$name> for String {
            fn from(setting: $name) -> Self {
                setting.text
            }
        }

        impl Settable for $name {
            fn read(written: Written) -> Result<Self, SettingError> {
                match written {
                    Written::Text(text) => text.try_into(),
                    _ => Err(SettingError::Text { text: "must be a string".to_owned() }),
                }
            }

            fn kind() -> SettingKind {
                let placeholders = Self::PLACEHOLDERS.iter().copied().map(str::to_owned).collect();
                SettingKind::Command { placeholders }
            }
        }
    };
}

command_setting! {
    /// Opens a file or a folder: `{file}` is its path. Without `{file}`, the path is the last argument.
    EditorCommand, ["file", "line", "column"]
}
command_setting! {
    /// Opens a terminal in `{folder}` that runs `{command}`. Without `{command}`, the command follows as the last arguments.
    TerminalCommand, ["folder", COMMAND]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn editor(text: &str) -> Result<Vec<String>, SettingError> {
        EditorCommand::try_from(text.to_owned()).map(|command| command.words)
    }

    #[rstest]
    #[case("", &[])]
    #[case("  ", &[])]
    #[case("subl {file}:{line}", &["subl", "{file}:{line}"])]
    #[case("'/opt/my editor' --at \"{line} {column}\" {file}", &["/opt/my editor", "--at", "{line} {column}", "{file}"])]
    #[case(r#"ed '{"a": {}}' {file}"#, &["ed", r#"{"a": {}}"#, "{file}"])]
    #[case("ed $(ls) `ls` $HOME ; ls | > x", &["ed", "$(ls)", "`ls`", "$HOME", ";", "ls", "|", ">", "x"])]
    fn a_command_is_split_once_and_nothing_else_in_it_means_anything(
        #[case] text: &str,
        #[case] words: &[&str],
    ) {
        assert_eq!(editor(text), Ok(words.iter().map(ToString::to_string).collect()));
    }

    #[rstest]
    #[case("ed 'x", CommandError::Unclosed)]
    #[case("ed x\\", CommandError::Unclosed)]
    #[case("{file}", CommandError::NoProgram)]
    #[case("'' {file}", CommandError::NoProgram)]
    #[case("ed\0 {file}", CommandError::Zero)]
    #[case("ed {path}", CommandError::UnknownPlaceholder {
        name: "path".to_owned(), known: ["file", "line", "column"].map(str::to_owned).to_vec() })]
    fn a_command_that_cannot_run_is_refused_with_what_is_wrong(
        #[case] text: &str,
        #[case] flaw: CommandError,
    ) {
        assert_eq!(editor(text), Err(SettingError::Command { flaw }));
    }

    #[test]
    fn a_command_of_a_terminal_holds_its_program_as_words_of_its_own() {
        let terminal = |text: &str| TerminalCommand::try_from(text.to_owned());
        assert!(terminal("foot -D {folder} {command}").is_ok());
        let error = terminal("foot -e '{command}; x'").unwrap_err().to_string();
        assert_eq!(error, "{command} must stand alone, with spaces around it");
        let error = terminal("foot {file}").unwrap_err().to_string();
        assert_eq!(error, "{file} isn't a placeholder; use {folder}, {command}");
    }

    #[test]
    fn a_long_command_is_refused() {
        let long = format!("ed {}", "x".repeat(COMMAND_BYTES));
        let flaw = CommandError::TooLong { most: COMMAND_BYTES, bytes: long.len() };
        assert_eq!(editor(&long), Err(SettingError::Command { flaw }));
    }

    #[test]
    fn the_text_stays_as_written() {
        let command = EditorCommand::try_from(" subl  '{file}' ".to_owned());
        assert_eq!(command.map(String::from).as_deref(), Ok("subl  '{file}'"));
    }
}
