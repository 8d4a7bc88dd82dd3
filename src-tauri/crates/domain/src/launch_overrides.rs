//! Launch overrides: arguments and environment variables that a user adds to every start of an agent.
//! A start names the overrides that its form showed; if the settings have changed since, the start is refused.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{LaunchOverrideError, Settable, SettingError, SettingKind, Written};

/// How many arguments, and how many variables, are allowed.
pub const EXTRAS: usize = 64;
/// The longest argument, and the longest name or value of a variable, in bytes.
pub const EXTRA_BYTES: usize = 4 * 1024;
/// How many characters of an invalid variable name are shown.
const SHOWN_CHARS: usize = 40;

/// Parts of a variable's name that suggest a secret.
const SECRET_PARTS: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "HEADERS"];

/// The additions to the start of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LaunchOverrides {
    /// Arguments after the ones that Askdesk sets.
    pub arguments: Arguments,
    pub environment: Environment,
}

impl LaunchOverrides {
    /// Returns what is stored with a session: secrets are stored in the settings only.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        for (name, value) in &mut self.environment.0 {
            if is_secret(name) {
                value.clear();
            }
        }
        self
    }

    /// Returns the stored overrides with the secrets of the current settings; a secret that is no longer set is left out.
    #[must_use]
    pub fn with_secrets_of(mut self, now: &Self) -> Self {
        self.environment.0.retain(|name, value| {
            if !is_secret(name) {
                return true;
            }
            let set = now.environment.0.get(name);
            set.inspect(|set| value.clone_from(set)).is_some()
        });
        self
    }
}

/// Program arguments, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string[]"))]
pub struct Arguments(Vec<String>);

impl Arguments {
    /// Lists them in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl TryFrom<Vec<String>> for Arguments {
    type Error = SettingError;

    fn try_from(arguments: Vec<String>) -> Result<Self, SettingError> {
        count(arguments.len())?;
        for (n, argument) in (1..).zip(&arguments) {
            text(argument).map_err(|flaw| SettingError::Argument { n, flaw })?;
        }
        Ok(Self(arguments))
    }
}

/// Flags of an agent that settings can't add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReservedFlags {
    /// Flags that Askdesk sets to talk to the agent, or that would end it at once.
    pub own: &'static [&'static str],
    /// Their short forms; a letter that follows in the same word is another flag, or a value.
    pub own_short: &'static [char],
    /// Flags for what is chosen at each start: bypassing permissions is never remembered.
    pub chosen: &'static [&'static str],
}

impl ReservedFlags {
    /// Returns an error if one of the arguments is reserved.
    pub fn check(&self, arguments: &Arguments) -> Result<(), SettingError> {
        for (n, argument) in (1..).zip(arguments.iter()) {
            let flag = argument.split('=').next().unwrap_or_default();
            let short = argument.strip_prefix('-').and_then(|rest| rest.chars().next());
            let own =
                self.own.contains(&flag) || short.is_some_and(|letter| self.own_short.contains(&letter));
            let flaw = match own {
                true => LaunchOverrideError::OwnFlag { flag: flag.to_owned() },
                false if self.chosen.contains(&flag) => {
                    LaunchOverrideError::ChosenFlag { flag: flag.to_owned() }
                }
                false => continue,
            };
            return Err(SettingError::Argument { n, flaw });
        }
        Ok(())
    }
}

impl Settable for Arguments {
    fn read(written: Written) -> Result<Self, SettingError> {
        match written {
            Written::Texts(texts) => texts.try_into(),
            _ => Err(SettingError::NoList),
        }
    }

    fn kind() -> SettingKind {
        SettingKind::Arguments
    }
}

impl From<Arguments> for Vec<String> {
    fn from(arguments: Arguments) -> Self {
        arguments.0
    }
}

/// Environment variables by name. Their values are for the agent alone and never logged.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "Record<string, string>"))]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Lists names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl TryFrom<BTreeMap<String, String>> for Environment {
    type Error = SettingError;

    fn try_from(variables: BTreeMap<String, String>) -> Result<Self, SettingError> {
        count(variables.len())?;
        for (name, value) in &variables {
            if name.len() > EXTRA_BYTES || !is_name(name) {
                return Err(SettingError::NoName { name: name.chars().take(SHOWN_CHARS).collect() });
            }
            text(value).map_err(|flaw| SettingError::Variable { name: name.clone(), flaw })?;
        }
        Ok(Self(variables))
    }
}

impl Settable for Environment {
    fn read(written: Written) -> Result<Self, SettingError> {
        match written {
            Written::Named(variables) => variables.try_into(),
            _ => Err(SettingError::NoTable),
        }
    }

    fn kind() -> SettingKind {
        SettingKind::Variables
    }
}

impl From<Environment> for BTreeMap<String, String> {
    fn from(environment: Environment) -> Self {
        environment.0
    }
}

/// Returns whether the name of a variable suggests a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && chars.all(|other| other == '_' || other.is_ascii_alphanumeric())
}

fn count(count: usize) -> Result<(), SettingError> {
    if count > EXTRAS {
        return Err(SettingError::TooMany { most: EXTRAS, count });
    }
    Ok(())
}

fn text(text: &str) -> Result<(), LaunchOverrideError> {
    if text.len() > EXTRA_BYTES {
        return Err(LaunchOverrideError::TooLong { most: EXTRA_BYTES, bytes: text.len() });
    }
    if text.contains('\0') {
        return Err(LaunchOverrideError::Zero);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn arguments(words: &[&str]) -> Result<Arguments, SettingError> {
        Arguments::try_from(words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn environment(variables: &[(&str, &str)]) -> Result<Environment, SettingError> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Environment::try_from(variables.iter().map(owned).collect::<BTreeMap<_, _>>())
    }

    #[rstest]
    #[case::own("--speak", "--speak is ")]
    #[case::with_a_value("--speak=3", "--speak is ")]
    #[case::short("-s", "-s is ")]
    #[case::shorts_in_one_word("-sx", "-sx is ")]
    #[case::chosen("--anything-goes", "--anything-goes is set by Permission mode")]
    fn a_reserved_flag_is_refused_by_its_name(#[case] flag: &str, #[case] said: &str) {
        let reserved = ReservedFlags { own: &["--speak"], own_short: &['s'], chosen: &["--anything-goes"] };
        let given = arguments(&["--add-dir", flag]).unwrap();
        let error = reserved.check(&given).unwrap_err().to_string();
        assert!(error.starts_with(&format!("argument 2: {said}")), "{error}");
        assert_eq!(reserved.check(&arguments(&["--add-dir", "speak", "-x"]).unwrap()), Ok(()));
    }

    #[test]
    fn other_arguments_are_kept_unchanged_and_in_order() {
        let words = ["--add-dir", "/a b", "--setting-sources", "", "--mcp-config", "{\"a\":\"-p\"}", "-d"];
        let taken = arguments(&words).unwrap();
        assert_eq!(taken.iter().collect::<Vec<_>>(), words);
    }

    #[test]
    fn a_value_over_its_bound_is_refused_with_the_bound() {
        let many = vec!["x"; EXTRAS + 1];
        assert_eq!(arguments(&many).unwrap_err().to_string(), "too many entries (65; the limit is 64)");
        let long = "x".repeat(EXTRA_BYTES + 1);
        assert_eq!(
            arguments(&["x", &long]).unwrap_err().to_string(),
            "argument 2: too long (4097 bytes; the limit is 4096)"
        );
        assert_eq!(
            environment(&[("A", &long)]).unwrap_err().to_string(),
            "A: too long (4097 bytes; the limit is 4096)"
        );
        assert_eq!(
            arguments(&["a\0b"]),
            Err(SettingError::Argument { n: 1, flaw: LaunchOverrideError::Zero })
        );
        assert!(arguments(&many[..EXTRAS]).is_ok() && environment(&[("A", &long[1..])]).is_ok());
    }

    #[rstest]
    #[case("")]
    #[case("1A")]
    #[case("A-B")]
    #[case("A=B")]
    #[case("A B")]
    #[case("Ä")]
    fn an_invalid_variable_name_is_refused_without_its_value(#[case] name: &str) {
        let error = environment(&[(name, "hush")]).unwrap_err().to_string();
        assert!(error.contains("isn't a valid variable name") && !error.contains("hush"), "{error}");
    }

    #[test]
    fn values_are_not_in_the_debug_form() {
        let extras = LaunchOverrides {
            environment: environment(&[("ANTHROPIC_API_KEY", "hush")]).unwrap(),
            ..LaunchOverrides::default()
        };
        let shown = format!("{extras:?}");
        assert!(shown.contains("ANTHROPIC_API_KEY") && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn secrets_are_detected_by_their_names() {
        let secret =
            ["ANTHROPIC_API_KEY", "github_token", "CLIENT_SECRET", "DbPassword", "ANTHROPIC_CUSTOM_HEADERS"];
        assert!(secret.into_iter().all(is_secret));
        assert!(!["HTTPS_PROXY", "EDITOR", "PATH"].into_iter().any(is_secret));
    }

    #[test]
    fn a_secret_is_not_stored_with_a_session_and_comes_from_the_settings_when_it_resumes() {
        let set = |variables: &[(&str, &str)]| LaunchOverrides {
            arguments: arguments(&["--add-dir", "/a"]).unwrap(),
            environment: environment(variables).unwrap(),
        };
        let kept = set(&[("API_KEY", "old"), ("GONE_TOKEN", "old"), ("EDITOR", "vi")]).without_secrets();
        assert_eq!(kept, set(&[("API_KEY", ""), ("GONE_TOKEN", ""), ("EDITOR", "vi")]));
        let now = LaunchOverrides {
            environment: environment(&[("API_KEY", "new"), ("EDITOR", "ed"), ("OTHER_KEY", "x")]).unwrap(),
            ..LaunchOverrides::default()
        };
        assert_eq!(kept.with_secrets_of(&now), set(&[("API_KEY", "new"), ("EDITOR", "vi")]));
    }
}
