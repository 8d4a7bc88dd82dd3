//! Claude Code's own sign-in, and how to ask whether there is one (measured with 2.1.329).

use std::path::{Path, PathBuf};

use askdesk_domain::LaunchOverrides;
use serde_json::Value;

use super::launch::own_program;
use crate::launch::LaunchPlan;
use crate::sign_in_probe::SignInProbe;

/// The program looks up its provider when it starts, even to say whether somebody is signed in. No proxy listens here.
const NOWHERE: &str = "http://127.0.0.1:9";
const PROXY_VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/// Plans the sign-in in a terminal.
pub(super) fn in_terminal(program: PathBuf, folder: &Path, overrides: &LaunchOverrides) -> LaunchPlan {
    own_program(program, folder, &["auth", "login"]).with_variables_of(overrides)
}

/// Plans how to learn whether the user is signed in. Keys, other providers and programs that fetch a key count too.
pub(super) fn probe(program: PathBuf, folder: &Path, overrides: &LaunchOverrides) -> SignInProbe {
    let mut launch = own_program(program, folder, &["auth", "status"]).with_variables_of(overrides);
    launch.env.push(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()));
    launch.env.extend(["NO_PROXY", "no_proxy"].map(|name| (name.into(), "".into())));
    launch.env.extend(PROXY_VARIABLES.map(|name| (name.into(), NOWHERE.into())));
    SignInProbe { launch, read: read_status }
}

/// Reads `claude auth status`, an object that other lines may surround.
fn read_status(printed: &str) -> Option<bool> {
    let object = printed.get(printed.find('{')?..=printed.rfind('}')?)?;
    askdesk_outside_json::from_slice::<Value>(object.as_bytes()).ok()?.get("loggedIn")?.as_bool()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("{\n  \"loggedIn\": false,\n  \"authMethod\": \"none\"\n}\n", Some(false))]
    #[case("a warning\n{\"loggedIn\": true}", Some(true))]
    #[case("{\"loggedIn\": \"maybe\"}", None)]
    #[case("}{", None)]
    #[case("error: unknown command 'auth'", None)]
    fn the_status_is_read_from_the_object_that_the_program_prints(
        #[case] printed: &str,
        #[case] expected: Option<bool>,
    ) {
        assert_eq!(read_status(printed), expected);
    }
}
