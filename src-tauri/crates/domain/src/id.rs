//! Ids and times. None has a default: the caller supplies each one. Ids travel between the page, the journal and agents;
//! labels never identify anything.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps an id made elsewhere.
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            /// Returns the id underneath.
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
    };
}

uuid_id! {
    /// Identifies a request: one call of an agent with its questions (UUIDv7, so ids sort by age).
    RequestId
}
uuid_id! {
    /// Identifies one session of one agent (UUIDv7).
    SessionId
}
uuid_id! {
    /// Identifies an approval (UUIDv7).
    ApprovalId
}
uuid_id! {
    /// Identifies a queued message (UUIDv7).
    MessageId
}
uuid_id! {
    /// Identifies a command of a caller, so that sending it twice carries it out once.
    CommandId
}

/// The longest native reference that is accepted, in bytes.
pub const NATIVE_REF_BYTES: usize = 512;

/// The agent's own id of a call; unique within its session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct NativeRef(String);

impl NativeRef {
    /// Accepts 1 to [`NATIVE_REF_BYTES`] bytes; none for anything else.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        (!text.trim().is_empty() && text.len() <= NATIVE_REF_BYTES).then_some(Self(text))
    }

    /// Returns the reference as the agent wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NativeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $most:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// The upper bound, in bytes.
            pub const BYTES: usize = $most;

            /// Accepts 1 to [`Self::BYTES`] bytes without control characters; none for anything else.
            pub fn new(text: impl Into<String>) -> Option<Self> {
                let text = text.into();
                let fits = !text.trim().is_empty() && text.len() <= Self::BYTES;
                (fits && !text.contains(char::is_control)).then_some(Self(Cow::Owned(text)))
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
    };
}

text_id! {
    /// Identifies an agent: the key of its descriptor and of its settings.
    AgentId, 64
}
text_id! {
    /// Identifies a machine that agents run on.
    MachineId, 256
}
text_id! {
    /// Identifies a config option of an agent; the agent chooses it.
    ConfigId, 128
}
text_id! {
    /// Identifies a value of a config option; the agent chooses it.
    ValueId, 4_096
}
text_id! {
    /// The agent's own id of a session, by which it is resumed.
    NativeSession, 512
}
text_id! {
    /// Identifies an option of an approval; the agent chooses it, and it is returned unchanged.
    ApprovalOptionId, 512
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
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )+};
}
serde_as_text!(QuestionId, OptionId);

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number"))]
pub struct Timestamp(i64);

impl Timestamp {
    /// Wraps milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns milliseconds since the Unix epoch.
    pub const fn millis(self) -> i64 {
        self.0
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
    fn only_the_written_form_is_a_question_id(#[case] text: &str, #[case] valid: bool) {
        assert_eq!(text.parse::<QuestionId>().is_ok(), valid);
    }

    #[test]
    fn an_option_id_survives_being_written_and_read() {
        let id = QuestionId::at(11).option(63);
        assert_eq!(id.to_string(), "q12o64");
        assert_eq!("q12o64".parse(), Ok(id));
        assert_eq!(serde_json::from_str::<OptionId>("\"q12o64\"").unwrap(), id);
        assert!("q12".parse::<OptionId>().is_err());
    }

    #[test]
    fn an_empty_native_ref_names_no_call() {
        assert_eq!(NativeRef::new("  "), None);
        assert_eq!(NativeRef::new("x".repeat(NATIVE_REF_BYTES + 1)), None);
        assert!(NativeRef::new("toolu_1").is_some());
    }
}
