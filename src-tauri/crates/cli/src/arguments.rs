//! The command line's arguments and help texts.

use std::path::PathBuf;
use std::time::Duration;

use askdesk_client_config::Scope;
use askdesk_contract::Client;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  askdesk ask \"Deploy to production?\" --confirm
  askdesk connect claude-code
  askdesk list
  askdesk doctor

Exit codes:
  0  success; for `ask`, the question was answered
  1  error
  2  invalid arguments or input
  3  skipped with a message, or with `askdesk answer --skip`
  4  timed out
  5  Askdesk isn't running, or rejects the tokens in this data folder
  6  closed without an answer: skipped, replied to in chat, withdrawn, or missed

Set ASKDESK_DATA_DIR to use another data folder.";

/// Ask questions from scripts, and connect coding agents to Askdesk
#[derive(Debug, Parser)]
#[command(name = "askdesk", version, after_help = EXAMPLES, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask a question, wait for the answer, and print it as JSON
    #[command(after_help = ASK_EXAMPLES)]
    Ask(Ask),
    /// List questions waiting for an answer
    List(List),
    /// Answer or skip a question
    #[command(after_help = ANSWER_EXAMPLES)]
    Answer(Answer),
    /// Handle a Claude Code hook: read the event from stdin, write the decision to stdout
    Hook,
    /// Run the MCP server over stdio, for clients without HTTP support
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Connect a program so that its agents can ask through Askdesk
    #[command(after_help = CONNECT_EXAMPLES)]
    Connect(Connect),
    /// Remove Askdesk from a program's configuration
    #[command(after_help = DISCONNECT_EXAMPLES)]
    Disconnect(Which),
    /// Check that agents' questions reach Askdesk, and suggest fixes
    Doctor(Doctor),
    /// Manage the access tokens: one to ask, one to answer
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Print the environment between two marks, for the Askdesk app
    #[command(hide = true)]
    Environment { mark: String },
    /// Generate shell completions
    #[command(
        after_help = "Example:\n  askdesk completions bash > ~/.local/share/bash-completion/completions/askdesk"
    )]
    Completions {
        /// Shell to generate completions for
        shell: Shell,
    },
    /// Print the manual page, or write one page per command to a folder
    Man {
        /// Folder to write the pages to
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

const ASK_EXAMPLES: &str = "\
Examples:
  askdesk ask \"Which store?\" -o SQLite -o Postgres
  askdesk ask \"Which checks?\" -o lint -o tests -o docs --multi
  [ \"$(askdesk ask \"Deploy to production?\" --confirm --plain)\" = Yes ] && ./deploy
  name=$(askdesk ask \"What should it be called?\" --plain)
  echo '{\"questions\":[{\"type\":\"text\",\"question\":\"Which name?\"}]}' |
    askdesk ask --json -

Waits until the question is answered, unless you set --timeout. If Askdesk restarts in
the meantime, the question comes back, and its answer is still printed here.";

#[derive(Debug, Args)]
pub struct Ask {
    /// Question to ask
    #[arg(required_unless_present = "json", conflicts_with = "json")]
    pub question: Option<String>,
    /// Option to choose from; repeat for more. Without options, the answer is free text
    #[arg(short, long = "option", value_name = "LABEL", conflicts_with = "json")]
    pub options: Vec<String>,
    /// Allow more than one option
    #[arg(long, requires = "options", conflicts_with = "json")]
    pub multi: bool,
    /// Ask a yes/no question
    #[arg(long, conflicts_with_all = ["options", "json"])]
    pub confirm: bool,
    /// Short heading above the question
    #[arg(long, value_name = "TEXT", conflicts_with = "json")]
    pub header: Option<String>,
    /// Placeholder text of the answer field
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["options", "confirm", "json"])]
    pub placeholder: Option<String>,
    /// JSON file with questions in the format of the `ask_user` tool; `-` for stdin
    #[arg(long, value_name = "FILE")]
    pub json: Option<String>,
    /// Stop waiting after this time, 10s to 30m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Name shown as the asker
    #[arg(long, value_name = "NAME", default_value = "askdesk ask")]
    pub name: String,
    /// Print one answer per line instead of JSON
    #[arg(long)]
    pub plain: bool,
    /// How long to wait for Askdesk to come back if it quits before the answer
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub patience: Duration,
}

#[derive(Debug, Args)]
pub struct List {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const ANSWER_EXAMPLES: &str = "\
Examples:
  askdesk answer 0198c1aa --choose SQLite
  askdesk answer 0198c1aa --choose 2 --note \"only for now\"
  askdesk answer 0198c1aa --other \"neither of them\"
  askdesk answer 0198c1aa --skip \"not today\"
  echo '[{\"question\":1,\"chosen\":[\"SQLite\"]},{\"question\":2,\"other\":\"shop\"}]' |
    askdesk answer 0198c1aa --json -";

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)))]
pub struct Answer {
    /// ID of the question, or at least its first 8 characters
    pub id: String,
    /// Option to choose, by label or by its number in `askdesk list`; repeat for more
    #[arg(long, value_name = "OPTION", group = "what", conflicts_with_all = ["json", "skip"])]
    pub choose: Vec<String>,
    /// Your own answer, or the answer to a text question
    #[arg(long, value_name = "TEXT", group = "what", conflicts_with_all = ["json", "skip"])]
    pub other: Option<String>,
    /// Note to go with the answer
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["json", "skip"])]
    pub note: Option<String>,
    /// Number of the question, if there are several; the others are sent as unanswered
    #[arg(long, value_name = "NUMBER", default_value_t = 1, conflicts_with_all = ["json", "skip"])]
    pub question: usize,
    /// JSON file with answers to several questions; `-` for stdin
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "skip")]
    pub json: Option<String>,
    /// Skip the question, with an optional message for the agent
    #[arg(
        long,
        alias = "decline",
        value_name = "MESSAGE",
        group = "what",
        num_args = 0..=1,
        default_missing_value = ""
    )]
    pub skip: Option<String>,
}

const MCP_EXAMPLES: &str = "\
Examples:
  askdesk mcp
  askdesk mcp --start

MCP clients run this command themselves. Add it to the client's list of servers:
  \"askdesk\": { \"command\": \"askdesk\", \"args\": [\"mcp\"] }

A call waits until you answer, even if Askdesk restarts. If Askdesk isn't running, the
call returns immediately and tells the model to ask in its reply instead.";

#[derive(Debug, Args)]
pub struct Mcp {
    /// Start Askdesk in the background if it isn't running when a question comes in
    #[arg(long)]
    pub start: bool,
    /// How long to wait for Askdesk to come back if it quits before the answer
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub patience: Duration,
}

const CONNECT_EXAMPLES: &str = "\
Examples:
  askdesk connect claude-code --dry-run
  askdesk connect codex gemini-cli --yes
  askdesk connect --all
  askdesk connect vscode --scope project

Shows every change before writing it and keeps a backup next to the file. `askdesk
disconnect` restores the backup byte for byte if nothing else has changed the file.";

const DISCONNECT_EXAMPLES: &str = "\
Examples:
  askdesk disconnect cursor
  askdesk disconnect --all --yes";

#[derive(Debug, Args)]
pub struct Connect {
    #[command(flatten)]
    pub which: Which,
    /// Use `askdesk hook` as a command hook, for Claude Code versions or settings without HTTP hooks
    #[arg(long)]
    pub command_hook: bool,
}

#[derive(Debug, Args)]
pub struct Which {
    /// Programs to connect or disconnect
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "CLIENT", value_parser = client())]
    pub clients: Vec<Client>,
    /// Every supported program that is installed
    #[arg(long)]
    pub all: bool,
    /// Where to apply it: all your projects, or the current folder
    #[arg(long, value_parser = scope(), default_value = "user")]
    pub scope: Scope,
    /// Show the changes without writing them
    #[arg(long)]
    pub dry_run: bool,
    /// Apply the changes without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Include the token in the output
    #[arg(long)]
    pub show_token: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Send a test question and wait for the answer
    #[arg(long)]
    pub ask: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum TokenCommand {
    /// Replace both tokens; the old ones stop working immediately
    Rotate,
}

fn client() -> impl TypedValueParser<Value = Client> {
    let value = |client: Client| {
        PossibleValue::new(client.id()).help(client.name()).aliases(client.aliases().iter().copied())
    };
    PossibleValuesParser::new(Client::ALL.map(value)).try_map(|name| name.parse::<Client>())
}

fn scope() -> impl TypedValueParser<Value = Scope> {
    let user = PossibleValue::new("user").help("All your projects");
    let project = PossibleValue::new("project").help("The current folder");
    PossibleValuesParser::new([user, project])
        .map(|name| if name == "project" { Scope::Project } else { Scope::User })
}

/// Parses a duration such as `90`, `90s`, `10m` or `2h`.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let factor = match unit {
        "h" => 3600,
        "m" => 60,
        _ => 1,
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    seconds.map(Duration::from_secs).ok_or_else(|| "expected a duration such as 90s or 10m".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_time_has_a_unit() {
        let seconds = |text| duration(text).map(|it| it.as_secs());
        assert_eq!(seconds("90"), Ok(90));
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("10m"), Ok(600));
        assert_eq!(seconds("2h"), Ok(7200));
        for text in ["", "s", "m10", "-1s", "1d", "99999999999999999999h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_client_can_be_named() {
        for client in Client::ALL {
            let arguments = Arguments::try_parse_from(["askdesk", "connect", client.id()]).unwrap();
            let Command::Connect(connect) = arguments.command else { panic!("not connect") };
            assert_eq!(connect.which.clients, [client]);
        }
        assert!(Arguments::try_parse_from(["askdesk", "connect"]).is_err());
        assert!(Arguments::try_parse_from(["askdesk", "connect", "emacs"]).is_err());
        assert!(Arguments::try_parse_from(["askdesk", "answer", "x"]).is_err());
    }

    #[test]
    fn decline_is_a_hidden_alias_of_skip() {
        let skip = |line: &[&str]| {
            let arguments = Arguments::try_parse_from([&["askdesk", "answer", "x"], line].concat()).ok()?;
            let Command::Answer(answer) = arguments.command else { panic!("not answer") };
            answer.skip
        };
        for name in ["--skip", "--decline"] {
            assert_eq!(skip(&[name]).as_deref(), Some(""));
            assert_eq!(skip(&[name, "not today"]).as_deref(), Some("not today"));
            assert_eq!(skip(&[name, "--choose", "A"]), None);
        }
        let mut command = Arguments::command();
        let help = command.find_subcommand_mut("answer").unwrap().render_long_help().to_string();
        assert!(help.contains("--skip [<MESSAGE>]") && !help.contains("decline"), "{help}");
    }
}
