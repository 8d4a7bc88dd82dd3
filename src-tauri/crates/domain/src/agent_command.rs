//! The commands of an agent itself, such as `/review`. A message that begins with one runs it.

use serde::{Deserialize, Serialize};

use crate::text::on_one_line;

/// How many commands of one session are kept.
pub const AGENT_COMMANDS: usize = 1_000;
/// The longest name of a command, in characters; one with a longer name is left out.
pub const COMMAND_NAME_CHARS: usize = 120;
/// The longest description or hint of a command, in characters; a longer one is cut.
pub const COMMAND_WORDS_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AgentCommand {
    /// Its name without the slash.
    pub name: String,
    /// What it does, in the agent's words.
    pub description: Option<String>,
    /// What may follow the name, in the agent's words, such as `[branch]`.
    pub argument_hint: Option<String>,
}

impl AgentCommand {
    /// Makes a command; none if a message cannot begin with its name.
    pub fn new(name: &str, description: &str, argument_hint: &str) -> Option<Self> {
        let wrong = |character: char| character.is_whitespace() || character.is_control();
        let fits = !name.is_empty() && name.chars().count() <= COMMAND_NAME_CHARS;
        if !fits || name.contains(wrong) {
            return None;
        }
        let words = |text: &str| {
            let text = on_one_line(text, COMMAND_WORDS_CHARS);
            (!text.is_empty()).then_some(text)
        };
        Some(Self {
            name: name.to_owned(),
            description: words(description),
            argument_hint: words(argument_hint),
        })
    }
}

/// Splits a message that begins with a slash into the name behind it and what follows.
pub fn split(message: &str) -> Option<(&str, &str)> {
    let rest = message.trim().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (!name.is_empty()).then(|| (name, arguments.trim_start()))
}

/// Returns the shell command of a message that begins with an exclamation mark.
pub fn shell_command(message: &str) -> Option<&str> {
    Some(message.trim().strip_prefix('!')?.trim()).filter(|command| !command.is_empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::alone("/review", Some(("review", "")))]
    #[case::with_arguments("/review  the last\ncommit ", Some(("review", "the last\ncommit")))]
    #[case::on_lines("/review\nmain", Some(("review", "main")))]
    #[case::with_space_around(" \n/compact ", Some(("compact", "")))]
    #[case::a_slash_alone("/", None)]
    #[case::a_slash_later("see /review", None)]
    #[case::nothing("", None)]
    fn a_message_is_split_behind_the_name(#[case] message: &str, #[case] expected: Option<(&str, &str)>) {
        assert_eq!(split(message), expected);
    }

    #[rstest]
    #[case::alone(" !git status\n", Some("git status"))]
    #[case::of_several_lines("! a\nb", Some("a\nb"))]
    #[case::the_mark_alone("! ", None)]
    #[case::a_mark_later("wow!", None)]
    fn a_shell_command_follows_the_mark(#[case] message: &str, #[case] expected: Option<&str>) {
        assert_eq!(shell_command(message), expected);
    }

    #[test]
    fn a_name_that_no_message_can_begin_with_is_no_command() {
        for name in ["", "two words", "a\u{7}", &"a".repeat(COMMAND_NAME_CHARS + 1)] {
            assert_eq!(AgentCommand::new(name, "", ""), None, "{name:?}");
        }
        let command = AgentCommand::new("mcp__git:blame", " \n ", "<file>\n<line>").unwrap();
        assert_eq!((command.description, command.argument_hint.as_deref()), (None, Some("<file> <line>")));
        let long = AgentCommand::new("a", &"b".repeat(COMMAND_WORDS_CHARS * 2), "").unwrap();
        assert!(long.description.unwrap().chars().count() <= COMMAND_WORDS_CHARS);
    }
}
