//! Scenario files: what the fake agent says, asks and breaks, turn by turn.
//!
//! Parsed strictly: an unknown step or field is an error that names the file and the place.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::spending::Spending;

/// A whole scenario; each user message plays the next turn.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    /// One line for a list.
    pub title: String,
    pub description: String,
    /// The turns; messages after the last one are echoed.
    pub turns: Vec<Vec<Step>>,
}

/// One thing the agent does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Streams a text.
    Say(Say),
    /// Streams a thought.
    Think {
        text: String,
        /// The pause between two pieces.
        #[serde(default)]
        pace_ms: u64,
    },
    /// Calls a tool with a known result.
    Tool(ToolCall),
    /// Writes a file below the working folder, with the folders on its way.
    WriteFile {
        path: PathBuf,
        text: String,
    },
    Ask(Ask),
    /// Asks several times at once, in one message.
    AskTogether(Vec<Ask>),
    /// Waits for the answers of questions asked with `"wait": false`.
    AwaitAnswers {},
    SleepMs(u64),
    /// Pauses until this file exists, or the host closes the input.
    WaitForFile {
        path: PathBuf,
    },
    /// Says what the rest of this turn uses and costs.
    Spend(Spending),
    /// Writes a line verbatim.
    Raw {
        text: String,
    },
    /// Writes a line of bytes, given as pairs of hexadecimal digits.
    RawHex {
        hex: String,
    },
    /// Writes one line of this length in bytes, without its end.
    RawRepeat {
        text: String,
        bytes: usize,
    },
    /// Writes a text without a line end.
    HalfLine {
        text: String,
    },
    Stderr {
        /// One line.
        text: String,
        #[serde(default = "one")]
        repeat: u64,
    },
    /// Writes many streamed pieces of text.
    Flood {
        lines: u64,
        /// 0 is as fast as possible.
        #[serde(default)]
        per_second: u64,
    },
    /// Ends the process.
    Exit {
        code: u8,
    },
    /// Starts a process that outlives this one unless the whole process tree is ended.
    SpawnGrandchild {
        #[serde(default)]
        ignore_sigterm: bool,
        /// Whether it keeps this process's stdout open.
        #[serde(default)]
        hold_stdout: bool,
    },
    /// Plays steps several times; `{n}` counts from 1.
    Repeat {
        /// `ASKDESK_FAKE_COUNT` overrides it.
        times: u64,
        steps: Vec<Step>,
    },
}

/// A text streamed in pieces.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Say {
    pub text: String,
    /// The pause between two pieces.
    #[serde(default)]
    pub pace_ms: u64,
    /// The number of characters in a piece.
    #[serde(default = "Say::default_chunk")]
    pub chunk: usize,
    /// Says it only after one of these outcomes of the latest question.
    pub when: Option<Vec<AskOutcome>>,
}

impl Say {
    const fn default_chunk() -> usize {
        24
    }
}

/// How the latest question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskOutcome {
    /// At least one question has an answer.
    Answered,
    /// It came back without any answer.
    Unanswered,
    Declined,
    /// The agent took it back.
    Withdrawn,
}

/// A tool call with a known result; nothing is executed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub name: String,
    pub input: Value,
    #[serde(default)]
    pub result: String,
    #[serde(default = "yes")]
    pub ok: bool,
    /// Whether a user is asked first.
    #[serde(default)]
    pub ask_permission: bool,
    /// What could be allowed for good, as the protocol words it.
    #[serde(default)]
    pub suggestions: Vec<Value>,
    #[serde(default)]
    pub takes_ms: u64,
}

/// Questions to the user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The questions as they go out: any JSON, so that unusable ones can be sent too.
    pub questions: Value,
    /// Answers that are in the input already.
    pub answers: Option<Value>,
    pub by: Option<String>,
    /// Takes the question back after this time.
    pub withdraw_after_ms: Option<u64>,
    /// Whether the turn waits for the end of this question.
    #[serde(default = "yes")]
    pub wait: bool,
}

const fn yes() -> bool {
    true
}

const fn one() -> u64 {
    1
}

/// Why a scenario cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Neither a built-in name nor a file.
    #[error(
        "no scenario `{name}`: it is neither a file nor one of {known}; choose one of these or give a path"
    )]
    Unknown {
        name: String,
        /// The built-in names.
        known: String,
    },
    /// The file cannot be read.
    #[error("scenario {path}: cannot be read ({source}); check the path and its permissions")]
    Unreadable {
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    #[error("scenario {file}: at `{place}`: {reason}; see scenarios/README.md for the format")]
    Malformed {
        /// The file or the built-in name.
        file: String,
        /// The path of the field.
        place: String,
        reason: String,
    },
}

impl Scenario {
    /// Finds a scenario by built-in name or by path.
    pub fn find(name_or_path: &OsStr) -> Result<Self, ScenarioError> {
        let name = name_or_path.to_string_lossy();
        if let Some((file, text)) = BUILTINS.iter().find(|(file, _)| *file == name) {
            return Self::parse(file, text);
        }
        let path = Path::new(name_or_path);
        if !path.exists() {
            let known = BUILTINS.map(|(file, _)| file).join(", ");
            return Err(ScenarioError::Unknown { name: name.into_owned(), known });
        }
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScenarioError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&name, &text)
    }

    /// Parses a scenario; `file` is only for the words of an error.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let malformed =
            |place: String, reason: String| ScenarioError::Malformed { file: file.to_owned(), place, reason };
        let mut source = serde_json::Deserializer::from_str(text);
        let scenario = serde_path_to_error::deserialize(&mut source).map_err(|error| {
            let place = error.path().to_string();
            let place = if ["?", "."].contains(&place.as_str()) { "the top level".to_owned() } else { place };
            malformed(place, error.inner().to_string())
        })?;
        source.end().map_err(|error| malformed("the end".to_owned(), error.to_string()))?;
        Ok(scenario)
    }
}

/// Lists the built-in scenarios.
pub fn builtins() -> impl Iterator<Item = Scenario> {
    // A built-in that does not parse fails the unit test below, so nothing is lost by skipping it here.
    BUILTINS.iter().filter_map(|(file, text)| Scenario::parse(file, text).ok())
}

macro_rules! builtin {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../scenarios/", $name, ".json")))),*]
    };
}

const BUILTINS: [(&str, &str); 35] = builtin![
    "demo",
    "technology",
    "features",
    "authentication",
    "package-manager",
    "four",
    "reach",
    "parallel",
    "withdrawn",
    "again",
    "approval",
    "rules",
    "edits",
    "todos",
    "spend",
    "plan",
    "malformed",
    "unusable",
    "dies-mid-line",
    "dies-pending",
    "prefilled",
    "own-other",
    "same-text",
    "commas",
    "long-header",
    "kinds",
    "tall",
    "hostile",
    "lenient",
    "unicode",
    "chatty",
    "slow",
    "loop-ask",
    "noisy",
    "family",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_parses_and_bears_its_own_name() {
        for (file, text) in BUILTINS {
            let scenario = Scenario::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.name, file);
            assert!(!scenario.title.is_empty() && !scenario.description.is_empty(), "{file}");
            assert!(!scenario.turns.is_empty(), "{file}");
        }
    }

    #[track_caller]
    fn check_refused(text: &str, place: &str, reason: &str) {
        let words = Scenario::parse("mine.json", text).unwrap_err().to_string();
        assert!(words.starts_with(&format!("scenario mine.json: at `{place}`: ")), "{words}");
        assert!(words.contains(reason), "{words}");
    }

    fn with_steps(steps: &str) -> String {
        format!(r#"{{"name":"n","title":"t","description":"d","turns":[[{steps}]]}}"#)
    }

    #[test]
    fn an_error_names_the_file_and_the_field() {
        check_refused("{", "the top level", "EOF");
        check_refused(
            r#"{"name":"n","title":"t","description":"d"}"#,
            "the top level",
            "missing field `turns`",
        );
        check_refused(
            &with_steps(r#"{"say":{"text":"a"}},{"say":{"text":"a","speed":1}}"#),
            "turns[0][1].say.speed",
            "unknown field `speed`",
        );
        check_refused(&with_steps(r#"{"shout":{"text":"a"}}"#), "turns[0][0]", "unknown variant `shout`");
        check_refused(&with_steps(r#"{"exit":{"code":"x"}}"#), "turns[0][0].exit.code", "invalid type");
        check_refused(&with_steps(r#"{"ask":{}}"#), "turns[0][0].ask", "missing field `questions`");
        check_refused(&format!("{} x", with_steps("")), "the end", "trailing characters");
    }

    #[test]
    fn questions_may_be_any_json() {
        let text = with_steps(r#"{"ask":{"questions":"no list at all"}},{"ask":{"questions":null}}"#);
        assert_eq!(Scenario::parse("mine.json", &text).unwrap().turns[0].len(), 2);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let words = Scenario::find(OsStr::new("tecnology")).unwrap_err().to_string();
        assert!(words.starts_with("no scenario `tecnology`"), "{words}");
        assert!(words.contains("technology, features"), "{words}");
    }
}
