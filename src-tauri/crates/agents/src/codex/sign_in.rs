//! Codex's own sign-in, and whether a session needs one (measured with 0.169.0).

use std::path::{Path, PathBuf};

use askdesk_domain::LaunchOverrides;
use toml_edit::{DocumentMut, TableLike};

use super::launch::{home, own_program};
use crate::launch::LaunchPlan;
use crate::sign_in_probe::SignInProbe;

/// The model provider of a config that names none.
const OWN_PROVIDER: &str = "openai";

/// Plans the sign-in in a terminal.
pub(super) fn in_terminal(program: PathBuf, folder: &Path, overrides: &LaunchOverrides) -> LaunchPlan {
    own_program(program, folder, &["login"]).with_variables_of(overrides)
}

/// Plans how to learn whether the user is signed in; none if a session may do without. The server takes no key from the
/// environment in place of a sign-in. It would say the same more exactly, but reaches for the network when it starts.
pub(super) fn probe(program: PathBuf, folder: &Path, overrides: &LaunchOverrides) -> Option<SignInProbe> {
    let launch = own_program(program, folder, &["login", "status"]).with_variables_of(overrides);
    // Arguments can name another provider or profile.
    if overrides.arguments.iter().next().is_some() || !asks_for_sign_in(&home(&launch).join("config.toml")) {
        return None;
    }
    Some(SignInProbe { launch, read: read_status })
}

/// Whether the model provider of a config takes the sign-in. A config that can't be read doesn't say so.
fn asks_for_sign_in(file: &Path) -> bool {
    match std::fs::read_to_string(file) {
        Ok(text) => text.parse::<DocumentMut>().is_ok_and(|config| provider_takes_sign_in(config.as_table())),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn provider_takes_sign_in(config: &dyn TableLike) -> bool {
    // A profile can name another provider.
    if config.contains_key("profile") {
        return false;
    }
    let name = config.get("model_provider").and_then(|it| it.as_str()).unwrap_or(OWN_PROVIDER);
    let described = config.get("model_providers").and_then(|it| it.get(name));
    let takes = |provider: &toml_edit::Item| provider.get("requires_openai_auth").and_then(|it| it.as_bool());
    described.map_or(name == OWN_PROVIDER, |provider| takes(provider) == Some(true))
}

/// Reads `codex login status`.
fn read_status(printed: &str) -> Option<bool> {
    printed.lines().find_map(|line| match line.trim() {
        "Not logged in" => Some(false),
        line if line.starts_with("Logged in ") || line.starts_with("API key configured") => Some(true),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use askdesk_domain::Arguments;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("WARNING: proceeding\nNot logged in\n", Some(false))]
    #[case("Logged in using ChatGPT\n", Some(true))]
    #[case("API key configured - ***\nAuthentication is checked when you send a request.\n", Some(true))]
    #[case("error: unrecognized subcommand 'status'\n", None)]
    fn the_status_is_what_the_program_says_in_words_that_are_known(
        #[case] printed: &str,
        #[case] expected: Option<bool>,
    ) {
        assert_eq!(read_status(printed), expected);
    }

    #[rstest]
    #[case("", true)]
    #[case("model_provider = \"openai\"", true)]
    #[case("model_provider = \"mine\"\n[model_providers.mine]\nenv_key = \"K\"", false)]
    #[case("model_provider = \"mine\"\n[model_providers.mine]\nrequires_openai_auth = true", true)]
    #[case("model_provider = \"ollama\"", false)]
    #[case("profile = \"work\"", false)]
    #[case("not = toml = at all", false)]
    fn a_provider_that_takes_no_sign_in_is_not_asked_about(#[case] config: &str, #[case] expected: bool) {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let set = |arguments: &[&str]| {
            let home = home.path().display().to_string();
            let environment = BTreeMap::from([("CODEX_HOME".to_owned(), home)]);
            let words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
            LaunchOverrides {
                environment: environment.try_into().unwrap(),
                arguments: Arguments::try_from(words).unwrap(),
            }
        };
        let asks = |overrides| probe("/bin/codex".into(), Path::new("/"), &overrides).is_some();
        assert_eq!(asks(set(&[])), expected);
        assert!(!asks(set(&["--profile", "x"])));
    }

    #[test]
    fn the_sign_in_has_the_variables_of_the_settings_and_none_of_their_arguments() {
        let environment = BTreeMap::from([("CODEX_HOME".to_owned(), "/elsewhere".to_owned())]);
        let overrides = LaunchOverrides {
            environment: environment.try_into().unwrap(),
            arguments: Arguments::try_from(vec!["--enable".to_owned(), "x".to_owned()]).unwrap(),
        };
        let plan = in_terminal("/bin/codex".into(), Path::new("/home"), &overrides);
        assert_eq!(plan.args, ["login"]);
        assert_eq!(plan.variable("CODEX_HOME"), Some("/elsewhere".into()));
    }
}
