//! Strikes the secrets that an agent was started with out of what it prints, before that is stored, logged, or shown.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use askdesk_domain::launch_overrides::is_secret;
use askdesk_user_environment::variables;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::event::{AgentEvent, Configuration, Conversation, Helpers, InputError, Retry, Trouble};
use crate::launch::LaunchPlan;

/// The shortest value that is struck, in bytes. A shorter one would be found in ordinary words.
const SHORTEST: usize = 8;
/// The same for one of letters alone, which may be a word itself, such as `postgres`.
const SHORTEST_OF_LETTERS: usize = 16;

/// A variable of the environment holds a secret if a word of its name, between underscores, ends like this. This is stricter
/// than for variables that a user types into the settings, because the environment has many others.
const ENDS: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"];

/// A variable whose name ends with one of these words holds no secret, such as `GIT_AUTHOR_NAME` or `API_KEY_FILE`.
const ABOUT: [&str; 12] =
    ["DATE", "DIR", "EMAIL", "FILE", "HOST", "ID", "METHOD", "NAME", "PATH", "SOCK", "TYPE", "USER"];

/// The values of secret variables, each with what stands in its place. The longest come first.
#[derive(Clone, Default)]
pub struct Secrets(Arc<[(String, String)]>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|(_, name)| name)).finish()
    }
}

impl Secrets {
    /// Those that a process of this plan gets.
    pub fn of(plan: &LaunchPlan) -> Self {
        Self::new(&plan.env)
    }

    /// Those of the user's environment.
    pub fn of_user() -> Self {
        Self::new(&[])
    }

    fn new(set: &[(OsString, OsString)]) -> Self {
        let set = set.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let set = set.filter(|(name, _)| name.to_str().is_some_and(is_secret));
        let variables = variables();
        let homes =
            ["HOME", "USERPROFILE"].map(|name| variables.get(name).unwrap_or_default().to_string_lossy());
        let inherited = variables.iter().filter(|(name, _)| names_secret(name));
        let mut secrets: Vec<(String, String)> = Vec::new();
        for (name, value) in set.chain(inherited).filter(|(name, value)| !is_about(name) && !are_files(value))
        {
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
            // What is printed comes line by line.
            let lines = value
                .lines()
                .map(str::trim)
                .filter(|line| is_rare(line) && !homes.iter().any(|home| home.contains(line)));
            secrets.extend(lines.map(|line| (line.to_owned(), format!("[{name}]"))));
        }
        secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self(secrets.into())
    }

    pub fn strike(&self, text: &mut String) {
        for (value, name) in self.0.iter() {
            if text.contains(value) {
                *text = text.replace(value, name);
            }
        }
    }

    /// Strikes a text that comes in pieces. What may be the beginning of a secret is kept for the next piece.
    pub fn strike_piece(&self, begun: &mut String, piece: &str) -> String {
        begun.push_str(piece);
        self.strike(begun);
        let kept = begun.split_off(begun.len() - self.begun_at_end_of(begun));
        std::mem::replace(begun, kept)
    }

    /// Returns how many bytes at the end of a text may be the beginning of a secret that goes on in the next piece.
    pub(crate) fn begun_at_end_of(&self, text: &str) -> usize {
        let begun = |value: &str| {
            let mut starts = value.char_indices().rev().map(|(at, _)| at).filter(|at| *at > 0);
            starts.find(|at| value.get(..*at).is_some_and(|start| text.ends_with(start))).unwrap_or_default()
        };
        self.0.iter().map(|(value, _)| begun(value)).max().unwrap_or_default()
    }

    /// Strikes what an event says about the agent's work and its failures. Requests stay as they are: an answer goes back with
    /// what it was given for, and nobody can decide on a command that isn't the one that runs.
    pub fn strike_event(&self, event: &mut AgentEvent) {
        if self.0.is_empty() {
            return;
        }
        match event {
            AgentEvent::Conversation(event) => match event {
                Conversation::Finished { text, .. }
                | Conversation::ToolEnded { output: text, .. }
                | Conversation::Retrying { retry: Retry { reason: text, .. } }
                | Conversation::TurnEnded { error: Some(text), .. } => self.strike(text),
                Conversation::ToolStarted { summary, detail, .. } => {
                    self.strike(summary);
                    self.strike_all(detail);
                }
                Conversation::PlanChanged { items } => self.strike_all(items),
                _ => {}
            },
            AgentEvent::Trouble(Trouble::Noticed { notice }) => self.strike_all(notice),
            AgentEvent::Helpers(
                Helpers::Began { title: text, .. }
                | Helpers::Said { text, .. }
                | Helpers::NotStopped { error: text, .. },
            )
            | AgentEvent::Configuration(
                Configuration::Titled { title: text }
                | Configuration::ConfigAnswered { refused: Some(text), .. },
            )
            | AgentEvent::Trouble(
                Trouble::SessionUnknown { error: text }
                | Trouble::StartRefused { error: text, .. }
                | Trouble::InvalidInput { why: InputError::RequestFailed { error: text } },
            ) => self.strike(text),
            _ => {}
        }
    }

    /// Strikes every text of a value; one that can't be read back stays as it is.
    fn strike_all<T: Serialize + DeserializeOwned>(&self, value: &mut T) {
        let Ok(mut json) = serde_json::to_value(&*value) else { return };
        if self.strike_json(&mut json)
            && let Ok(struck) = serde_json::from_value(json)
        {
            *value = struck;
        }
    }

    fn strike_json(&self, json: &mut serde_json::Value) -> bool {
        match json {
            serde_json::Value::String(text) => {
                let found = self.0.iter().any(|(value, _)| text.contains(value));
                self.strike(text);
                found
            }
            serde_json::Value::Array(items) => {
                items.iter_mut().fold(false, |found, item| self.strike_json(item) | found)
            }
            serde_json::Value::Object(fields) => {
                fields.values_mut().fold(false, |found, field| self.strike_json(field) | found)
            }
            _ => false,
        }
    }
}

fn names_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.split('_')
        .any(|word| ENDS.iter().any(|end| word.trim_end_matches('S').ends_with(end.trim_end_matches('S'))))
}

fn is_about(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.rsplit('_').next().is_some_and(|last| ABOUT.contains(&last))
}

/// Whether a value is a list of existing files or folders, which is no secret.
fn are_files(value: &OsStr) -> bool {
    std::env::split_paths(value).all(|path| path.is_absolute() && path.exists())
}

/// Whether a line of a value is unlikely to be in a text by chance. The first and last lines of key files are the same for every key.
fn is_rare(line: &str) -> bool {
    let shortest =
        if line.bytes().all(|byte| byte.is_ascii_alphabetic()) { SHORTEST_OF_LETTERS } else { SHORTEST };
    line.len() >= shortest && !line.starts_with("-----")
}

#[cfg(test)]
mod tests {
    use askdesk_domain::Notice;

    use super::*;

    fn secrets(set: &[(&str, &str)]) -> Secrets {
        let env = set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        let (program, folder) = ("/bin/sh".into(), "/".into());
        Secrets::of(&LaunchPlan { program, args: Vec::new(), folder, env, env_remove: Vec::new() })
    }

    #[test]
    fn the_values_of_secret_variables_are_struck_longest_first_and_others_are_not() {
        let folders = std::env::join_paths([std::env::temp_dir(), std::env::temp_dir()]).unwrap();
        let folders = folders.to_str().unwrap();
        let set = [
            ("API_KEY", "sk-12345678"),
            ("OLD_API_KEY", "sk-12345678-old"),
            ("SHORT_TOKEN", "abc"),
            ("EDITOR", "a-long-name"),
            ("GIT_AUTHOR_NAME", "Ada Lovelace"),
            ("DB_PASSWORD", "postgres"),
            ("KEY_FOLDERS", folders),
            ("PEM_KEY", "-----BEGIN KEY-----\nMIIEvQIBADANBg9w\n-----END KEY-----"),
        ];
        let ordinary = format!("abc a-long-name Ada Lovelace postgres {folders} -----BEGIN KEY-----");
        let mut text = format!("sk-12345678-old sk-12345678 MIIEvQIBADANBg9w {ordinary}");
        secrets(&set).strike(&mut text);
        assert_eq!(text, format!("[OLD_API_KEY] [API_KEY] [PEM_KEY] {ordinary}"));
        assert!(!format!("{:?}", secrets(&set)).contains("sk-"));
        for (name, expected) in [
            ("GITHUB_TOKEN", true),
            ("AWS_SECRET_ACCESS_KEY", true),
            ("PGPASSWORD", true),
            ("HTTP_AUTH", true),
            ("GOOGLE_CREDENTIALS", true),
            ("KEYBOARD_LAYOUT", false),
            ("PATH", false),
        ] {
            assert_eq!(names_secret(OsStr::new(name)), expected, "{name}");
        }
        assert!(
            are_files(std::env::temp_dir().as_os_str()) && !are_files(OsStr::new("/wJalrXUtnFEMI/K7MDENG"))
        );
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_struck() {
        let (secrets, mut begun) = (secrets(&[("API_KEY", "sk-12345678")]), String::new());
        let pieces = ["key s", "k-1234", "5678, done", " sk-12", "99"];
        let struck = pieces.map(|piece| secrets.strike_piece(&mut begun, piece));
        assert_eq!(struck, ["key ", "", "[API_KEY], done", " ", "sk-1299"]);
    }

    #[test]
    fn what_an_event_says_is_struck() {
        let secrets = secrets(&[("API_KEY", "sk-\"12345678")]);
        let mut event =
            Trouble::Noticed { notice: Notice::LoginRejected { error: "bad sk-\"12345678!".to_owned() } }
                .into();
        secrets.strike_event(&mut event);
        let struck = Notice::LoginRejected { error: "bad [API_KEY]!".to_owned() };
        assert_eq!(event, Trouble::Noticed { notice: struck }.into());
    }
}
