//! Ids and times. None has a default: the caller supplies each one. Ids travel between the page, the journal and agents;
//! labels never identify anything.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_ids {
    ($($(#[$doc:meta])* $name:ident,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Uuid);

        impl $name {
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )+};
}

uuid_ids! {
    /// Identifies a request: one call of an agent with its questions (UUIDv7, so ids sort by age).
    RequestId,
    /// Identifies one session of one agent (UUIDv7).
    SessionId,
    /// Identifies an approval (UUIDv7).
    ApprovalId,
    /// Identifies a queued message (UUIDv7).
    MessageId,
    /// Identifies an answer that a program gave, so that it can find out whether that answer was stored.
    AnswerId,
    /// Identifies a command of a caller, so that sending it twice carries it out once.
    CommandId,
}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident(bytes: $most:literal, controls: $controls:literal),)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// The upper bound, in bytes.
            pub const BYTES: usize = $most;

            /// Accepts 1 to [`Self::BYTES`] bytes, and control characters only in a [`NativeRef`]; none for anything else.
            pub fn new(text: impl Into<String>) -> Option<Self> {
                let text = text.into();
                let fits = !text.trim().is_empty() && text.len() <= Self::BYTES;
                (fits && ($controls || !text.contains(char::is_control))).then_some(Self(Cow::Owned(text)))
            }

            /// Creates an id from a literal; in a constant, an invalid one does not compile.
            pub const fn literal(text: &'static str) -> Self {
                assert!(!text.is_empty() && text.len() <= Self::BYTES, "an id of 1 byte or more");
                Self(Cow::Borrowed(text))
            }

            /// Returns the id as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

text_ids! {
    /// Identifies an agent: the key of its descriptor and of its settings.
    AgentId(bytes: 64, controls: false),
    /// Identifies a machine that agents run on.
    MachineId(bytes: 256, controls: false),
    /// Identifies a config option of an agent; the agent chooses it.
    ConfigId(bytes: 128, controls: false),
    /// Identifies a value of a config option; the agent chooses it.
    ValueId(bytes: 4_096, controls: false),
    /// The agent's own id of a session, by which it is resumed.
    NativeSession(bytes: 512, controls: false),
    /// The agent's own id of a call; unique within its session.
    NativeRef(bytes: 512, controls: true),
    /// The agent's own id of a helper: a subagent, a shell, or a task that works in the background.
    HelperId(bytes: 512, controls: false),
    /// Identifies an option of an approval; the agent chooses it, and it is returned unchanged.
    ApprovalOptionId(bytes: 512, controls: false),
}

impl MachineId {
    /// The machine that Askdesk runs on.
    pub const LOCAL: Self = Self::literal("local");
}

/// A question's position in its request, counted from 1; written `q1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct QuestionId(u16);

/// An option's position in its question, counted from 1; written `q1o2`, so it never matches another question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct OptionId {
    question: QuestionId,
    option: u16,
}

impl QuestionId {
    /// Returns the id of the question at `index` (counted from 0).
    pub const fn at(index: usize) -> Self {
        Self(index as u16 + 1)
    }

    /// Returns the question's index, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// Returns the id of this question's option at `index` (counted from 0).
    pub const fn option(self, index: usize) -> OptionId {
        OptionId { question: self, option: index as u16 + 1 }
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}

impl fmt::Display for OptionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}o{}", self.question, self.option)
    }
}

/// A text is not an id of the form `q1` or `q1o2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form {0}")]
pub struct InvalidId(&'static str);

fn place(text: &str) -> Option<u16> {
    let canonical = !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    canonical.then(|| text.parse().ok()).flatten()
}

impl FromStr for QuestionId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix('q').and_then(place).map(Self).ok_or(InvalidId("q1"))
    }
}

impl FromStr for OptionId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (question, option) = text.split_once('o').ok_or(InvalidId("q1o1"))?;
        let question = question.parse().map_err(|_| InvalidId("q1o1"))?;
        place(option).map(|option| Self { question, option }).ok_or(InvalidId("q1o1"))
    }
}

macro_rules! serde_as_text {
    ($($name:ident),+) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}
serde_as_text!(QuestionId, OptionId);
pub(crate) use serde_as_text;

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the time this many milliseconds later, or earlier if they are negative.
    pub const fn moved(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("q1", true)]
    #[case("q0", false)]
    #[case("q01", false)]
    #[case("q+1", false)]
    #[case("q65536", false)]
    #[case("1", false)]
    #[case("", false)]
    fn only_the_canonical_form_is_a_question_id(#[case] text: &str, #[case] valid: bool) {
        assert_eq!(text.parse::<QuestionId>().is_ok(), valid);
    }

    #[test]
    fn an_option_id_round_trips() {
        assert_eq!(QuestionId::at(11).index(), 11);
        let id = QuestionId::at(11).option(63);
        assert_eq!(id.to_string(), "q12o64");
        assert_eq!("q12o64".parse(), Ok(id));
        assert_eq!(serde_json::from_str::<OptionId>("\"q12o64\"").unwrap(), id);
        assert!("q12".parse::<OptionId>().is_err());
    }

    #[test]
    fn a_native_ref_is_neither_blank_nor_over_its_bound() {
        assert_eq!(NativeRef::new("  "), None);
        assert_eq!(NativeRef::new("x".repeat(NativeRef::BYTES + 1)), None);
        assert!(NativeRef::new("toolu_1").is_some());
    }

    #[test]
    fn only_a_native_ref_can_contain_control_characters() {
        let text = "a\tb";
        assert!(NativeRef::new(text).is_some());
        assert_eq!(AgentId::new(text), None);
        assert_eq!(MachineId::new(text), None);
        assert_eq!(ConfigId::new(text), None);
        assert_eq!(ValueId::new(text), None);
        assert_eq!(NativeSession::new(text), None);
        assert_eq!(HelperId::new(text), None);
        assert_eq!(ApprovalOptionId::new(text), None);
    }
}
