//! Why a value of a setting is invalid: error codes with their data. The page chooses the words; the texts here are for
//! logs and exports.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::de::value::StringDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, IntoDeserializer};
use serde::{Deserialize, Serialize};

/// Why a value of a setting is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "unfit", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SettingError {
    #[error("must be one of these: {}", .choices.join(", "))]
    NoneOf {
        /// The valid choices, as they are written.
        choices: Vec<String>,
    },
    #[error("must be a number from {least} to {most}")]
    NotBetween { least: u16, most: u16 },
    #[error("must be a list of strings")]
    NoList,
    #[error("must be a table of strings")]
    NoTable,
    #[error("too many entries ({count}; the limit is {most})")]
    TooMany { most: usize, count: usize },
    /// An argument can't be passed to a program.
    #[error("argument {n}: {flaw}")]
    Argument {
        /// Its position, from 1.
        n: usize,
        flaw: LaunchOverrideError,
    },
    /// The value of a variable can't be passed to a program.
    #[error("{name}: {flaw}")]
    Variable { name: String, flaw: LaunchOverrideError },
    #[error("must be \"off\" or two different times such as \"22:00-07:00\"")]
    NoHours,
    #[error("must be \"off\" or a shortcut such as \"Ctrl+Alt+J\": Ctrl, Alt, or Super plus one key")]
    NoShortcut,
    #[error("{name:?} isn't a valid variable name: use letters, digits, and _, and don't start with a digit")]
    NoName {
        /// The beginning of the rejected name.
        name: String,
    },
    /// A command of the user's own can't be run as written.
    #[error("{flaw}")]
    Command { flaw: CommandError },
    #[error(
        "must be a list of rules such as {{ action = \"deny\", tool = \"Bash\", argument = \"git push *\" }}"
    )]
    NoRules,
    /// A permission rule can't be used as written.
    #[error("rule {n}: {flaw}")]
    Rule {
        /// Its position, from 1.
        n: usize,
        flaw: PermissionRuleError,
    },
    /// A parser error without a code.
    #[error("{text}")]
    Text { text: String },
}

/// Why an argument or variable that a user adds to an agent's start is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "extra", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LaunchOverrideError {
    #[error("too long ({bytes} bytes; the limit is {most})")]
    TooLong {
        /// The upper bound, in bytes.
        most: usize,
        bytes: usize,
    },
    /// It holds a NUL character, which no system can pass.
    #[error("it contains a NUL character")]
    Zero,
    /// Askdesk sets this flag itself.
    #[error("{flag} is set by Askdesk")]
    OwnFlag { flag: String },
    /// This flag is chosen at each start.
    #[error("{flag} is set by Permission mode when you start a session")]
    ChosenFlag { flag: String },
}

/// Why a command can't be run as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "command", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CommandError {
    #[error("too long ({bytes} bytes; the limit is {most})")]
    TooLong {
        /// The upper bound, in bytes.
        most: usize,
        bytes: usize,
    },
    /// It holds a NUL character, which no system can pass.
    #[error("it contains a NUL character")]
    Zero,
    #[error("a quote isn't closed; write the command as in a shell, with spaces and backslashes in quotes")]
    Unclosed,
    /// It doesn't begin with a program.
    #[error("it must begin with a program")]
    NoProgram,
    #[error("{{{name}}} isn't a placeholder; use {}", braced(.known))]
    UnknownPlaceholder {
        name: String,
        /// The names of the placeholders there are.
        known: Vec<String>,
    },
    /// A placeholder that stands for several words is a part of one.
    #[error("{{{name}}} must stand alone, with spaces around it")]
    NotAlone { name: String },
}

/// Why a permission rule can't be used as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum PermissionRuleError {
    #[error("the action must be \"deny\" or \"ask\"")]
    NoAction,
    #[error("it needs the name of a tool, such as \"Bash\"; what is called with it belongs in the argument")]
    NoTool,
    #[error("it contains an empty text")]
    Empty,
    #[error("too long ({bytes} bytes; the limit is {most})")]
    TooLong {
        /// The upper bound, in bytes.
        most: usize,
        bytes: usize,
    },
    #[error("it contains a line break or another control character")]
    ControlCharacter,
    #[error("its folder must be an absolute path")]
    RelativeFolder,
    #[error("{key:?} isn't a part of a rule; use action, tool, argument, and folder")]
    UnknownKey { key: String },
}

fn braced(names: &[String]) -> String {
    names.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ")
}

impl serde::de::Error for SettingError {
    fn custom<T: Display>(said: T) -> Self {
        Self::Text { text: said.to_string() }
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::NoneOf { choices: expected.iter().map(ToString::to_string).collect() }
    }
}

/// An unparsed value of a setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Written {
    Number(i64),
    Text(String),
    Texts(Vec<String>),
    Named(BTreeMap<String, String>),
    Tables(Vec<BTreeMap<String, String>>),
    /// A type that no setting accepts.
    Other(IgnoredAny),
}

impl Written {
    /// Returns it if it is a number in the range of the type.
    pub(crate) fn number<N: TryFrom<i64>>(&self) -> Option<N> {
        match self {
            Self::Number(number) => (*number).try_into().ok(),
            _ => None,
        }
    }
}

/// How a setting is edited. The page builds its row of the settings window from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SettingKind {
    Choice {
        choices: Vec<String>,
    },
    NumberChoice {
        choices: Vec<u16>,
    },
    Number {
        least: u16,
        most: u16,
    },
    /// Two times of day as in `22:00-07:00`, or `off`.
    Hours,
    /// The end of a pause, in seconds since 1970; 0 is none.
    Pause,
    /// Keys as in `Ctrl+Alt+J`, or `off`.
    Shortcut,
    /// A command line with `{placeholders}`; empty for none.
    Command {
        placeholders: Vec<String>,
    },
    Arguments,
    Variables,
    Rules,
}

/// A type of setting values, in the settings file and in the settings window.
pub trait Settable: DeserializeOwned {
    /// Parses a value. The error says what is wrong with it.
    fn read(written: Written) -> Result<Self, SettingError> {
        // A value that isn't text is refused with the list of choices, if there is one.
        let no_text =
            || parse::<Self>(String::new()).err().filter(|it| matches!(it, SettingError::NoneOf { .. }));
        match written {
            Written::Text(text) => parse(text),
            Written::Number(number) => Self::deserialize(number.into_deserializer())
                .map_err(|unfit: SettingError| no_text().unwrap_or(unfit)),
            Written::Texts(_) | Written::Named(_) | Written::Tables(_) | Written::Other(_) => {
                Err(no_text().unwrap_or_else(|| SettingError::Text { text: "must be a string".to_owned() }))
            }
        }
    }

    /// Returns how the value is edited. By default it is one of the variants of an enum, whose names come from the error
    /// that serde returns for an unknown text.
    fn kind() -> SettingKind {
        let choices = match parse::<Self>(String::new()) {
            Err(SettingError::NoneOf { choices }) => choices,
            _ => Vec::new(),
        };
        SettingKind::Choice { choices }
    }
}

fn parse<T: DeserializeOwned>(text: String) -> Result<T, SettingError> {
    T::deserialize(StringDeserializer::<SettingError>::new(text))
}

/// The range of a number setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// From the first to the second, inclusive.
    Between(u16, u16),
    OneOf(&'static [u16]),
}

impl Bounds {
    pub fn check(self, number: u16) -> Result<u16, SettingError> {
        let fits = match self {
            Self::Between(least, most) => (least..=most).contains(&number),
            Self::OneOf(choices) => choices.contains(&number),
        };
        if fits { Ok(number) } else { Err(self.error()) }
    }

    pub fn error(self) -> SettingError {
        match self {
            Self::Between(least, most) => SettingError::NotBetween { least, most },
            Self::OneOf(choices) => {
                SettingError::NoneOf { choices: choices.iter().map(ToString::to_string).collect() }
            }
        }
    }

    pub fn kind(self) -> SettingKind {
        match self {
            Self::Between(least, most) => SettingKind::Number { least, most },
            Self::OneOf(choices) => SettingKind::NumberChoice { choices: choices.to_vec() },
        }
    }
}

/// Declares a setting that is a number, with its bounds and its default.
macro_rules! number_setting {
    ($(#[$doc:meta])* $name:ident, $bounds:expr, default $default:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "u16", into = "u16")]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
        pub struct $name(u16);

        impl $name {
            const BOUNDS: $crate::error::Bounds = $bounds;
        }

        impl Default for $name {
            fn default() -> Self {
                Self($default)
            }
        }

        impl TryFrom<u16> for $name {
            type Error = $crate::error::SettingError;

            fn try_from(number: u16) -> Result<Self, Self::Error> {
                Self::BOUNDS.check(number).map(Self)
            }
        }

        impl From<$name> for u16 {
            fn from(setting: $name) -> Self {
                setting.0
            }
        }

        impl $crate::error::Settable for $name {
            fn read(written: $crate::error::Written) -> Result<Self, $crate::error::SettingError> {
                written.number::<u16>().ok_or_else(|| Self::BOUNDS.error())?.try_into()
            }

            fn kind() -> $crate::error::SettingKind {
                Self::BOUNDS.kind()
            }
        }
    };
}
pub(crate) use number_setting;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, Environment, RetentionDays, TextSize, Theme, UndoSeconds};
    use rstest::rstest;

    fn written(value: serde_json::Value) -> Written {
        serde_json::from_value(value).unwrap()
    }

    fn flaw<T: Settable>(value: serde_json::Value) -> Option<SettingError> {
        T::read(written(value)).err()
    }

    #[rstest]
    #[case(serde_json::json!("pink"))]
    #[case(serde_json::json!(3))]
    #[case(serde_json::json!([true]))]
    #[case(serde_json::json!({"dark": "x"}))]
    fn an_invalid_choice_is_refused_with_the_choices(#[case] value: serde_json::Value) {
        let choices = ["system", "light", "dark"].map(str::to_owned).to_vec();
        assert_eq!(flaw::<Theme>(value), Some(SettingError::NoneOf { choices }));
    }

    #[rstest]
    #[case(serde_json::json!(500))]
    #[case(serde_json::json!(-1))]
    #[case(serde_json::json!(70_000))]
    #[case(serde_json::json!("large"))]
    fn an_invalid_number_is_refused_with_its_bounds(#[case] value: serde_json::Value) {
        assert_eq!(flaw::<TextSize>(value.clone()), Some(SettingError::NotBetween { least: 80, most: 200 }));
        assert_eq!(flaw::<UndoSeconds>(value.clone()), Some(SettingError::NotBetween { least: 1, most: 30 }));
        let choices = ["0", "30", "90", "365"].map(str::to_owned).to_vec();
        assert_eq!(flaw::<RetentionDays>(value), Some(SettingError::NoneOf { choices }));
    }

    #[test]
    fn valid_values_are_parsed() {
        assert_eq!(Theme::read(written("dark".into())), Ok(Theme::Dark));
        assert_eq!(TextSize::read(written(125.into())).map(u16::from), Ok(125));
        let words = serde_json::json!(["--add-dir", "/a"]);
        assert_eq!(Arguments::read(written(words)).map(|arguments| arguments.iter().count()), Ok(2));
        assert_eq!(flaw::<Environment>(serde_json::json!({"EDITOR": "vi"})), None);
    }

    #[test]
    fn lists_and_tables_hold_text_only() {
        assert_eq!(flaw::<Arguments>(serde_json::json!("--add-dir")), Some(SettingError::NoList));
        assert_eq!(flaw::<Arguments>(serde_json::json!([1])), Some(SettingError::NoList));
        assert_eq!(flaw::<Environment>(serde_json::json!({"A": 1})), Some(SettingError::NoTable));
    }
}
