//! The command line: the flags of the real program that matter here, and our own.

use std::ffi::OsString;
use std::path::PathBuf;

pub const HELP: &str = "Plays a scenario over the stream-json protocol.

  fake-agent -p --input-format stream-json --output-format stream-json --verbose \\
             --permission-prompt-tool stdio [--scenario NAME|PATH]

  --scenario NAME|PATH    what to play (default: $ASKDESK_SCENARIO, else demo)
  --list-scenarios        prints the built-in scenarios
  --session-id UUID, --resume UUID, --fork-session, --permission-mode MODE, --model NAME,
  --include-partial-messages, --replay-user-messages   as the real program; other flags are ignored";

/// What the command line asks for.
#[derive(Debug)]
pub enum Invocation {
    Version,
    Help,
    /// Print the built-in scenarios.
    ListScenarios,
    Play(Options),
}

/// How a session is played.
#[derive(Debug, Clone)]
pub struct Options {
    /// A built-in name or the path of a file.
    pub scenario: OsString,
    /// Whether questions and permissions go over control requests.
    pub asks_over_stdio: bool,
    /// Whether streaming events are written.
    pub partial_messages: bool,
    /// Whether what the host sends is echoed.
    pub replay_user_messages: bool,
    pub permission_mode: String,
    /// Whether `bypassPermissions` may be switched to later.
    pub bypass_launched: bool,
    /// The model's name, only for show.
    pub model: String,
    /// How the session's id comes about.
    pub start: SessionStart,
    /// Whether session state changes are announced.
    pub state_events: bool,
    /// The percentage that pauses are scaled to.
    pub pace_percent: u64,
    /// Overrides the `times` of `repeat` steps.
    pub count: Option<u64>,
    /// Where sessions are remembered between processes.
    pub sessions_dir: Option<PathBuf>,
}

/// Where the session's id comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionStart {
    Fresh,
    /// The id that the host chose.
    Given(String),
    /// A session from before, going on under its own id or, forked, under a fresh one.
    Resumed {
        id: String,
        /// Whether a fresh id is taken.
        fork: bool,
    },
}

impl Options {
    /// Parses the arguments and the environment; unknown flags are ignored as a newer host may send them.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Invocation, String> {
        Self::parse_with(args, |name| std::env::var_os(name))
    }

    fn parse_with(
        args: impl Iterator<Item = OsString>,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Invocation, String> {
        let mut options = Self {
            scenario: env("ASKDESK_SCENARIO").unwrap_or_else(|| "demo".into()),
            asks_over_stdio: false,
            partial_messages: false,
            replay_user_messages: false,
            permission_mode: "default".to_owned(),
            bypass_launched: false,
            model: "askdesk-demo".to_owned(),
            start: SessionStart::Fresh,
            state_events: env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS").is_some_and(|value| value == "1"),
            pace_percent: number(&env, "ASKDESK_FAKE_PACE")?.unwrap_or(100),
            count: number(&env, "ASKDESK_FAKE_COUNT")?,
            sessions_dir: env("ASKDESK_FAKE_SESSIONS").map(PathBuf::from),
        };
        let mut fork = false;
        let mut args = args;
        while let Some(arg) = args.next() {
            let (flag, attached) = split(&arg);
            let mut value =
                || attached.clone().or_else(|| args.next()).ok_or(format!("{flag} needs a value after it"));
            match flag.as_str() {
                "--version" | "-v" => return Ok(Invocation::Version),
                "--help" | "-h" => return Ok(Invocation::Help),
                "--list-scenarios" => return Ok(Invocation::ListScenarios),
                "--scenario" => options.scenario = value()?,
                "--permission-prompt-tool" => options.asks_over_stdio = value()? == "stdio",
                "--include-partial-messages" => options.partial_messages = true,
                "--replay-user-messages" => options.replay_user_messages = true,
                "--permission-mode" => options.permission_mode = text(&flag, value()?)?,
                "--dangerously-skip-permissions" => options.bypass_launched = true,
                "--model" => options.model = text(&flag, value()?)?,
                "--session-id" => options.start = SessionStart::Given(text(&flag, value()?)?),
                "--resume" | "-r" => {
                    options.start = SessionStart::Resumed { id: text(&flag, value()?)?, fork: false };
                }
                "--fork-session" => fork = true,
                _ => {}
            }
        }
        if let SessionStart::Resumed { fork: forked, .. } = &mut options.start {
            *forked = fork;
        }
        options.bypass_launched |= options.permission_mode == "bypassPermissions";
        Ok(Invocation::Play(options))
    }
}

fn split(arg: &OsString) -> (String, Option<OsString>) {
    match arg.to_str().and_then(|arg| arg.split_once('=')) {
        Some((flag, value)) if flag.starts_with("--") => (flag.to_owned(), Some(value.into())),
        _ => (arg.to_string_lossy().into_owned(), None),
    }
}

fn text(flag: &str, value: OsString) -> Result<String, String> {
    value.into_string().map_err(|_| format!("{flag}: the value is not UTF-8 text"))
}

fn number(env: &impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<u64>, String> {
    match env(name) {
        None => Ok(None),
        Some(value) => value
            .to_str()
            .and_then(|value| value.parse().ok())
            .map(Some)
            .ok_or_else(|| format!("{name}: a whole number is wanted, got {}", value.to_string_lossy())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(line: &str, env: &[(&str, &str)]) -> Options {
        let env = |name: &str| env.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        match Options::parse_with(line.split_whitespace().map(OsString::from), env).unwrap() {
            Invocation::Play(options) => options,
            other => panic!("expected a session, got {other:?}"),
        }
    }

    #[test]
    fn the_flags_of_a_managed_session_are_understood() {
        let line = "-p --input-format stream-json --output-format stream-json --verbose \
            --permission-prompt-tool stdio --permission-mode=plan --model m1 --include-partial-messages \
            --resume s1 --fork-session --flag-of-next-year value";
        let options = play(line, &[]);
        assert!(options.asks_over_stdio && options.partial_messages && !options.replay_user_messages);
        assert_eq!((options.permission_mode.as_str(), options.model.as_str()), ("plan", "m1"));
        assert_eq!(options.start, SessionStart::Resumed { id: "s1".to_owned(), fork: true });
        assert_eq!(options.scenario, "demo");
    }

    #[test]
    fn the_flag_wins_over_the_environment() {
        let env = [("ASKDESK_SCENARIO", "four"), ("ASKDESK_FAKE_COUNT", "7")];
        assert_eq!(play("", &env).scenario, "four");
        assert_eq!(play("--scenario slow", &env).scenario, "slow");
        assert_eq!(play("", &env).count, Some(7));
    }

    #[test]
    fn a_count_that_is_no_number_is_refused_by_name() {
        let env = |name: &str| (name == "ASKDESK_FAKE_COUNT").then(|| "many".into());
        let words = Options::parse_with(std::iter::empty(), env).unwrap_err();
        assert_eq!(words, "ASKDESK_FAKE_COUNT: a whole number is wanted, got many");
    }
}
