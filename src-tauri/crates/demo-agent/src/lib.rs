//! The demo agent: a program that plays a scenario over Claude Code's `stream-json` protocol. Tests play it too, as `fake-agent`.
//!
//! It takes the command line of the real program, speaks the same events in the same order, and needs no network and
//! no account. What it says and asks comes from a scenario: one of the built-in ones, or a JSON file whose format
//! `scenarios/README.md` describes.
//!
//! | setting | meaning |
//! |---|---|
//! | `--scenario NAME\|PATH`, `ASKDESK_SCENARIO` | what to play; the flag wins, `demo` is the default |
//! | `--list-scenarios` | prints every built-in scenario with its title |
//! | `ASKDESK_FAKE_RECORD=FILE` | appends each line read and written, with a monotonic time, see [`record`] |
//! | `ASKDESK_FAKE_COUNT=N` | overrides the `times` of every `repeat` step |
//! | `ASKDESK_FAKE_PACE=PERCENT` | scales every pause; 0 plays at once |
//! | `ASKDESK_FAKE_SESSIONS=DIR` | remembers sessions there, so that `--resume` knows or does not know an id |
//!
//! Started without `--permission-prompt-tool stdio` it asks nobody: questions and permissions are refused at once.

mod answers;
mod calls;
mod events;
mod inbox;
mod options;
mod output;
mod play;
pub mod record;
pub mod scenario;
mod session;
mod session_store;
mod spending;
mod template;
mod turn;

use std::ffi::OsString;
use std::process::ExitCode;

use options::{Invocation, Options};
use scenario::Scenario;
use session::Session;

/// The version of Claude Code whose protocol is spoken.
pub const PROTOCOL_VERSION: &str = "2.1.332";

/// Runs the fake agent on this process's stdin and stdout; `args` come without the program's name.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    match run(args) {
        Ok(code) => ExitCode::from(code),
        Err(words) => {
            eprintln!("fake-agent: {words}");
            ExitCode::from(2)
        }
    }
}

fn run(args: impl Iterator<Item = OsString>) -> Result<u8, String> {
    match Options::parse(args)? {
        Invocation::Version => println!("{PROTOCOL_VERSION} (Askdesk fake agent)"),
        Invocation::Help => println!("{}", options::HELP),
        Invocation::ListScenarios => {
            for scenario in scenario::builtins() {
                println!("{:<20} {}", scenario.name, scenario.title);
            }
        }
        Invocation::Play(options) => {
            let scenario = Scenario::find(&options.scenario).map_err(|error| error.to_string())?;
            /// What the real program ends with when the session's id cannot be used.
            const ID_REFUSED: u8 = 1;
            return Ok(Session::start(options, scenario)?.map_or(ID_REFUSED, Session::serve));
        }
    }
    Ok(0)
}
