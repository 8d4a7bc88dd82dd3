//! The command line's arguments and help texts.

use std::path::PathBuf;
use std::time::Duration;

use askdesk_client_config::{Client, Scope};
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
  0  it went well; the question was answered
  1  something did not work
  2  what was asked for makes no sense
  3  the person declined
  4  the time limit passed
  5  no desk is running that takes the secrets of this data folder
  6  the question ended in another way without an answer

The desk is found by what it leaves in its data folder; ASKDESK_DATA_DIR names another one.";

/// Asks people at their desk, and lets their agents do so.
#[derive(Debug, Parser)]
#[command(name = "askdesk", version, after_help = EXAMPLES, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask the person at the desk, wait, and print the answer as JSON
    #[command(after_help = ASK_EXAMPLES)]
    Ask(Ask),
    /// List what waits for an answer
    List(List),
    /// Answer or decline what waits
    #[command(after_help = ANSWER_EXAMPLES)]
    Answer(Answer),
    /// Hand a question of Claude Code's PermissionRequest hook to the desk (standard input to standard output)
    Hook,
    /// Serve a client of MCP that speaks over standard input and output alone
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Register the desk with a program, so that its agents can ask
    #[command(after_help = CONNECT_EXAMPLES)]
    Connect(Connect),
    /// Take the desk out of a program's files again
    #[command(after_help = DISCONNECT_EXAMPLES)]
    Disconnect(Which),
    /// Look whether agents' questions reach the desk, and say what is missing
    Doctor(Doctor),
    /// The secrets that open the desk's door: one to ask, one to answer
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  askdesk completions bash > ~/.local/share/bash-completion/completions/askdesk"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write a page for each command
    Man {
        /// Write the pages into this folder
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
}

const ASK_EXAMPLES: &str = "\
Examples:
  askdesk ask \"Which store?\" -o SQLite -o Postgres
  askdesk ask \"Which checks?\" -o lint -o tests -o docs --multi
  askdesk ask \"Deploy to production?\" --confirm && ./deploy
  name=$(askdesk ask \"What shall it be called?\" --plain)
  echo '{\"questions\":[{\"type\":\"select\",\"question\":\"Which store?\",\"options\":[\"SQLite\",\"Postgres\"]}]}' |
    askdesk ask --json -

It waits as long as it takes, unless --timeout is given. Where the desk is restarted
meanwhile, the question is there again, and its answer comes back here.";

#[derive(Debug, Args)]
pub struct Ask {
    /// The question
    #[arg(required_unless_present = "json", conflicts_with = "json")]
    pub question: Option<String>,
    /// One of the answers to choose from; without any, the person writes
    #[arg(short, long = "option", value_name = "LABEL", conflicts_with = "json")]
    pub options: Vec<String>,
    /// Let several be chosen
    #[arg(long, requires = "options", conflicts_with = "json")]
    pub multi: bool,
    /// Ask for yes or no
    #[arg(long, conflicts_with_all = ["options", "json"])]
    pub confirm: bool,
    /// A word or two above the question
    #[arg(long, value_name = "TEXT", conflicts_with = "json")]
    pub header: Option<String>,
    /// What stands in the empty field
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["options", "confirm", "json"])]
    pub placeholder: Option<String>,
    /// Several questions at once, as the tool `ask_user` takes them; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub json: Option<String>,
    /// Go on without an answer after this time (10s to 30m); without it, wait for ever
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Who asks, as the desk shows it
    #[arg(long, value_name = "NAME", default_value = "askdesk ask")]
    pub name: String,
    /// Print what was chosen or written, a line each, instead of JSON
    #[arg(long)]
    pub plain: bool,
    /// How long to wait for a desk that has gone while the question waits
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
  askdesk answer 0198c1 --choose SQLite
  askdesk answer 0198c1 --choose 2 --note \"only for now\"
  askdesk answer 0198c1 --other \"neither of them\"
  askdesk answer 0198c1 --decline \"not today\"
  echo '[{\"question\":1,\"chosen\":[\"SQLite\"]},{\"question\":2,\"other\":\"shop\"}]' | askdesk answer 0198c1 --json -";

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)))]
pub struct Answer {
    /// The id of what waits, or its beginning
    pub id: String,
    /// Choose an option, by its label, or by its number where it is listed
    #[arg(long, value_name = "OPTION", group = "what", conflicts_with_all = ["json", "decline"])]
    pub choose: Vec<String>,
    /// Answer in your own words
    #[arg(long, value_name = "TEXT", group = "what", conflicts_with_all = ["json", "decline"])]
    pub other: Option<String>,
    /// Add a note
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["json", "decline"])]
    pub note: Option<String>,
    /// Which of several questions, by its number
    #[arg(long, value_name = "NUMBER", default_value_t = 1, conflicts_with_all = ["json", "decline"])]
    pub question: usize,
    /// Answers to several questions; `-` reads standard input
    #[arg(long, value_name = "FILE", group = "what", conflicts_with = "decline")]
    pub json: Option<String>,
    /// Decline, with words if you like
    #[arg(long, value_name = "WORDS", group = "what", num_args = 0..=1, default_missing_value = "")]
    pub decline: Option<String>,
}

const MCP_EXAMPLES: &str = "\
Examples:
  askdesk mcp
  askdesk mcp --start

No person runs it: a client does that has an entry such as this one among its servers:
  \"askdesk\": { \"command\": \"askdesk\", \"args\": [\"mcp\"] }

A call waits as long as it takes, also while the desk is restarted. Where no desk runs, it is
answered at once, and the model is told to ask in its own words.";

#[derive(Debug, Args)]
pub struct Mcp {
    /// Start the desk, in the background, where none runs when something is asked
    #[arg(long)]
    pub start: bool,
    /// How long to wait for a desk that has gone while a question waits
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub patience: Duration,
}

const CONNECT_EXAMPLES: &str = "\
Examples:
  askdesk connect claude-code --dry-run
  askdesk connect codex gemini-cli --yes
  askdesk connect --all
  askdesk connect vscode --scope project

The change is shown before anything is written. A copy of the file is kept beside it,
and `askdesk disconnect` brings it back byte for byte.";

const DISCONNECT_EXAMPLES: &str = "\
Examples:
  askdesk disconnect cursor
  askdesk disconnect --all --yes";

#[derive(Debug, Args)]
pub struct Connect {
    #[command(flatten)]
    pub which: Which,
    /// Have Claude Code run `askdesk hook` instead of calling the desk itself, for versions and settings without HTTP
    /// hooks
    #[arg(long)]
    pub command_hook: bool,
}

#[derive(Debug, Args)]
pub struct Which {
    /// The programs
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "CLIENT", value_parser = client())]
    pub clients: Vec<Client>,
    /// All that are installed here
    #[arg(long)]
    pub all: bool,
    /// For you in every folder, or for this folder
    #[arg(long, value_parser = scope(), default_value = "user")]
    pub scope: Scope,
    /// Show the change and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(short, long, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Show the token in what is shown
    #[arg(long)]
    pub show_token: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Send a test question to the desk and wait until it is answered
    #[arg(long)]
    pub ask: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum TokenCommand {
    /// Make others; the old ones open nothing from then on
    Rotate,
}

fn client() -> impl TypedValueParser<Value = Client> {
    let value = |client: Client| {
        PossibleValue::new(client.id()).help(client.name()).aliases(client.aliases().iter().copied())
    };
    PossibleValuesParser::new(Client::ALL.map(value)).try_map(|name| name.parse::<Client>())
}

fn scope() -> impl TypedValueParser<Value = Scope> {
    let user = PossibleValue::new("user").help("For you, in every folder");
    let project = PossibleValue::new("project").help("For the folder you are in");
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
    seconds.map(Duration::from_secs).ok_or_else(|| "a time is a number with s, m or h, as in 90s".to_owned())
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
        assert!(Arguments::try_parse_from(["askdesk", "answer", "x", "--decline"]).is_ok());
    }
}
