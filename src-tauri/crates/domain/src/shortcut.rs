//! The global shortcut, which brings the open questions to the front, and its written form: `Ctrl+Alt+J`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Settable, SettingError, SettingKind, Written};

const FUNCTION_KEYS: u8 = 12;

/// The shortcut that is set, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct GlobalShortcut(Option<Combination>);

impl GlobalShortcut {
    /// The word for none.
    pub const OFF: &str = "off";

    /// Returns the combination, if one is set.
    pub const fn combination(self) -> Option<Combination> {
        self.0
    }
}

/// Modifier keys and the key that is pressed with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    pub modifiers: Modifiers,
    pub key: PressedKey,
}

/// The modifier keys; at least one besides Shift, because a plain key belongs to the app that has the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    pub ctrl: bool,
    /// Alt; Option on a Mac.
    pub alt: bool,
    pub shift: bool,
    /// Super; the Windows key on Windows, Command on a Mac.
    pub meta: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressedKey {
    Letter(char),
    Digit(char),
    /// A function key, from 1.
    Function(u8),
    Space,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
}

impl PressedKey {
    const NAMED: [(Self, &str); 11] = [
        (Self::Space, "Space"),
        (Self::Up, "Up"),
        (Self::Down, "Down"),
        (Self::Left, "Left"),
        (Self::Right, "Right"),
        (Self::Home, "Home"),
        (Self::End, "End"),
        (Self::PageUp, "PageUp"),
        (Self::PageDown, "PageDown"),
        (Self::Insert, "Insert"),
        (Self::Delete, "Delete"),
    ];

    pub fn all() -> impl Iterator<Item = Self> {
        let letters = ('A'..='Z').map(Self::Letter);
        let digits = ('0'..='9').map(Self::Digit);
        let functions = (1..=FUNCTION_KEYS).map(Self::Function);
        letters.chain(digits).chain(functions).chain(Self::NAMED.map(|(key, _)| key))
    }
}

impl FromStr for PressedKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::all().find(|key| key.to_string().eq_ignore_ascii_case(text)).ok_or(())
    }
}

impl fmt::Display for PressedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Letter(sign) | Self::Digit(sign) => write!(f, "{sign}"),
            Self::Function(number) => write!(f, "F{number}"),
            named => {
                let name = Self::NAMED.iter().find(|(key, _)| key == named).map(|(_, name)| *name);
                f.write_str(name.unwrap_or_default())
            }
        }
    }
}

impl FromStr for Combination {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let mut modifiers = Modifiers::default();
        let mut keys: Vec<&str> = text.split('+').map(str::trim).collect();
        let key = keys.pop().unwrap_or_default().parse().map_err(|()| SettingError::NoShortcut)?;
        for name in keys {
            let one = match name.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => &mut modifiers.ctrl,
                "alt" | "option" => &mut modifiers.alt,
                "shift" => &mut modifiers.shift,
                "super" | "meta" | "win" | "cmd" | "command" => &mut modifiers.meta,
                _ => return Err(SettingError::NoShortcut),
            };
            // A modifier that occurs twice is a typing error.
            if std::mem::replace(one, true) {
                return Err(SettingError::NoShortcut);
            }
        }
        if modifiers.ctrl || modifiers.alt || modifiers.meta {
            Ok(Self { modifiers, key })
        } else {
            Err(SettingError::NoShortcut)
        }
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { ctrl, alt, shift, meta } = self.modifiers;
        for (is_set, name) in [(ctrl, "Ctrl"), (alt, "Alt"), (shift, "Shift"), (meta, "Super")] {
            if is_set {
                write!(f, "{name}+")?;
            }
        }
        self.key.fmt(f)
    }
}

impl TryFrom<String> for GlobalShortcut {
    type Error = SettingError;

    fn try_from(text: String) -> Result<Self, SettingError> {
        if text.trim() == Self::OFF { Ok(Self::default()) } else { text.parse().map(|it| Self(Some(it))) }
    }
}

impl From<GlobalShortcut> for String {
    fn from(shortcut: GlobalShortcut) -> Self {
        shortcut.0.map_or_else(|| GlobalShortcut::OFF.to_owned(), |combination| combination.to_string())
    }
}

impl Settable for GlobalShortcut {
    fn read(written: Written) -> Result<Self, SettingError> {
        if let Written::Text(text) = written { text.try_into() } else { Err(SettingError::NoShortcut) }
    }

    fn kind() -> SettingKind {
        SettingKind::Shortcut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn read(text: &str) -> Result<String, SettingError> {
        GlobalShortcut::try_from(text.to_owned()).map(String::from)
    }

    #[rstest]
    #[case("off", "off")]
    #[case("Ctrl+Alt+J", "Ctrl+Alt+J")]
    #[case("ctrl + alt + j", "Ctrl+Alt+J")]
    #[case("Alt+Control+q", "Ctrl+Alt+Q")]
    #[case("Super+Space", "Super+Space")]
    #[case("Shift+Win+9", "Shift+Super+9")]
    #[case("Cmd+Option+pageup", "Alt+Super+PageUp")]
    #[case("Meta+Shift+Alt+Ctrl+F12", "Ctrl+Alt+Shift+Super+F12")]
    #[case("Alt+F1", "Alt+F1")]
    #[case(" off ", "off")]
    fn a_combination_is_parsed_in_any_order_and_written_in_one(#[case] text: &str, #[case] written: &str) {
        assert_eq!(read(text).as_deref(), Ok(written));
        assert_eq!(read(written).as_deref(), Ok(written), "the written form is parsed again");
    }

    #[rstest]
    #[case::nothing("")]
    #[case::a_key_alone("J")]
    #[case::shift_alone("Shift+J")]
    #[case::a_function_key_alone("F5")]
    #[case::no_key("Ctrl+Alt")]
    #[case::no_key_at_the_end("Ctrl+Alt+")]
    #[case::two_keys("Ctrl+A+B")]
    #[case::the_key_first("J+Ctrl")]
    #[case::a_modifier_twice("Ctrl+Ctrl+J")]
    #[case::a_modifier_twice_by_two_names("Win+Super+J")]
    #[case::an_unknown_key("Ctrl+F13")]
    #[case::no_number("Ctrl+F0")]
    #[case::a_number_with_a_sign("Ctrl+F+1")]
    #[case::an_unsupported_key("Ctrl+Alt+Enter")]
    #[case::escape("Ctrl+Escape")]
    #[case::another_alphabet("Ctrl+й")]
    #[case::a_plus("Ctrl++")]
    #[case::the_word_in_capitals("OFF")]
    fn an_invalid_combination_is_refused(#[case] text: &str) {
        assert_eq!(read(text), Err(SettingError::NoShortcut));
    }

    #[test]
    fn every_key_round_trips() {
        for key in PressedKey::all() {
            assert_eq!(key.to_string().parse(), Ok(key), "{key:?}");
        }
        assert_eq!(PressedKey::all().count(), 26 + 10 + 12 + 11);
    }

    #[test]
    fn a_value_that_is_not_text_is_refused() {
        for value in [serde_json::json!(3), serde_json::json!(["Ctrl", "J"]), serde_json::json!(true)] {
            let written = serde_json::from_value(value).unwrap();
            assert_eq!(GlobalShortcut::read(written), Err(SettingError::NoShortcut));
        }
    }
}
