//! Which editor and which terminal the user prefers.

use serde::{Deserialize, Serialize};

use crate::error::{Settable, SettingError, SettingKind, Written};
use crate::programs::{Program, ProgramKind};

/// The value of a preference that leaves the choice to Askdesk.
const AUTO: &str = "auto";

/// Declares a setting that is a program of one kind, or none for the first one that is installed.
macro_rules! preference {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "\"auto\" | Program"))]
        pub struct $name(Option<Program>);

        impl $name {
            /// Returns the preferred program, unless the first one that is installed is preferred.
            pub const fn program(self) -> Option<Program> {
                self.0
            }

            fn choices() -> Vec<String> {
                let programs = Program::ALL.iter().filter(|program| program.kind() == $kind);
                std::iter::once(AUTO).chain(programs.map(|program| program.id())).map(str::to_owned).collect()
            }
        }

        impl TryFrom<String> for $name {
            type Error = SettingError;

            fn try_from(text: String) -> Result<Self, SettingError> {
                if text == AUTO {
                    return Ok(Self(None));
                }
                let mut programs = Program::ALL.iter().copied().filter(|program| program.kind() == $kind);
                let found = programs.find(|program| program.id() == text);
                found.map(|program| Self(Some(program))).ok_or_else(|| SettingError::NoneOf { choices: Self::choices() })
            }
        }

        impl From<$name> for String {
            fn from(setting: $name) -> Self {
                setting.0.map_or(AUTO, Program::id).to_owned()
            }
        }

        impl Settable for $name {
            fn read(written: Written) -> Result<Self, SettingError> {
                match written {
                    Written::Text(text) => text.try_into(),
                    _ => Err(SettingError::NoneOf { choices: Self::choices() }),
                }
            }

            fn kind() -> SettingKind {
                SettingKind::Choice { choices: Self::choices() }
            }
        }
    };
}

preference! {
    /// The editor for files and folders, one of the known ones.
    PreferredEditor, ProgramKind::Editor
}
preference! {
    /// The terminal for programs that need one.
    PreferredTerminal, ProgramKind::Terminal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_auto_or_a_program_of_its_kind() {
        let editor = |text: &str| PreferredEditor::try_from(text.to_owned());
        assert_eq!(editor("auto"), Ok(PreferredEditor(None)));
        assert_eq!(editor("zed").map(PreferredEditor::program), Ok(Some(Program::Zed)));
        assert_eq!(editor("zed").map(String::from).as_deref(), Ok("zed"));
        for text in ["", "Zed", "kitty", "file_manager", "code"] {
            assert!(matches!(editor(text), Err(SettingError::NoneOf { .. })), "{text}");
        }
        let terminal = PreferredTerminal::try_from("kitty".to_owned());
        assert_eq!(terminal.map(PreferredTerminal::program), Ok(Some(Program::Kitty)));
        assert!(PreferredTerminal::try_from("vim".to_owned()).is_err());
    }
}
