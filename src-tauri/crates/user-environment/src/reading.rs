//! Which ways are tried to get the environment of the user's shell, and what comes of each.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use askdesk_contract::{FailedWay, Failure, Way};

use crate::READING_VARIABLE;
use crate::printed::Mark;
use crate::shell::{arguments, without_input};
use crate::variables::{Changes, Variables};

/// How long the startup files of a terminal may take. Some need 30 seconds with heavy plug-ins on a slow disk, but nobody waits
/// so long for a first agent.
const INTERACTIVE_LIMIT: Duration = Duration::from_secs(20);
/// How long the startup files of a login may take.
const LOGIN_LIMIT: Duration = Duration::from_secs(10);

/// Variables that are set while a shell is asked. They keep startup files from replacing the shell by a terminal multiplexer,
/// and from asking whether to update.
const WHILE_READING: [(&str, &str); 7] = [
    (READING_VARIABLE, "1"),
    ("TERM", "dumb"),
    ("TMUX", "/dev/null,0,0"),
    ("STY", "askdesk"),
    ("ZELLIJ", "0"),
    ("DISABLE_AUTO_UPDATE", "true"),
    ("ZSH_TMUX_AUTOSTART", "false"),
];
/// Variables that say something about one shell alone.
const OF_ONE_SHELL: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES"];

/// What the ways to an environment need to know.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What a child of this process would get.
    pub inherited: Variables,
    pub home: PathBuf,
    pub shell: Option<PathBuf>,
    /// The `askdesk` command line, which prints the environment.
    pub command_line: Option<PathBuf>,
}

/// A program to run in a process group of its own. Its output is read until the environment is complete, or the time is up.
#[derive(Clone, Debug)]
pub struct Question {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub variables: Variables,
    pub folder: PathBuf,
    pub limit: Duration,
    /// What the environment is printed between.
    pub mark: Mark,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub way: Way,
    pub failed: Vec<FailedWay>,
    /// What differs from the inherited variables.
    pub changes: Changes,
}

impl Reading {
    /// Whether what an earlier reading got is better: a shell that fails once doesn't take away what it said before.
    pub fn is_worse_than(&self, earlier: Way) -> bool {
        earlier.is_of_shell() && self.way > earlier
    }
}

/// Asks the shell with `ask`: first with the startup files of a terminal, then with those of a login. If neither works, the known
/// folders are added to `PATH`.
pub async fn read<Asked>(
    surroundings: &Surroundings,
    random: impl Fn() -> u128,
    ask: impl Fn(Question) -> Asked,
) -> Reading
where
    Asked: Future<Output = Result<Variables, Failure>>,
{
    let mut failed = Vec::new();
    for (way, limit) in [(Way::InteractiveLogin, INTERACTIVE_LIMIT), (Way::Login, LOGIN_LIMIT)] {
        let failure = match question(surroundings, way, limit, random()) {
            Ok(question) => match ask(question).await {
                Ok(printed) => {
                    let changes = changes_of_shell(&printed, &surroundings.inherited);
                    return Reading { way, failed, changes };
                }
                Err(failure) => failure,
            },
            Err(failure) => failure,
        };
        failed.push(FailedWay { way, failure });
    }
    let known = surroundings.inherited.with_known_folders(&surroundings.home);
    let changes = known.changes_from(&surroundings.inherited);
    let way = if changes == Changes::default() { Way::Process } else { Way::KnownFolders };
    Reading { way, failed, changes }
}

fn question(
    surroundings: &Surroundings,
    way: Way,
    limit: Duration,
    random: u128,
) -> Result<Question, Failure> {
    let shell = surroundings.shell.clone().ok_or(Failure::NoShell)?;
    let command_line = surroundings.command_line.as_ref().ok_or(Failure::NoCommandLine)?;
    let mark = Mark::new(random);
    let (program, arguments) = without_input(&shell, arguments(&shell, way, command_line, mark.as_str()));
    let mut variables = surroundings.inherited.clone();
    for (name, value) in WHILE_READING {
        variables.set(name, value);
    }
    Ok(Question { program, arguments, variables, folder: surroundings.home.clone(), limit, mark })
}

/// What a shell has changed for every program that it starts.
fn changes_of_shell(printed: &Variables, inherited: &Variables) -> Changes {
    let mut changes = printed.changes_from(inherited);
    changes.set.retain(|name, value| {
        let is_of_reading = WHILE_READING.iter().any(|(known, set)| name == known && value == set);
        let is_of_askdesk = name.as_encoded_bytes().starts_with(b"ASKDESK_");
        !is_of_reading && !is_of_askdesk && !OF_ONE_SHELL.iter().any(|known| name == known)
    });
    // A startup file may remove what was set while it was read.
    changes.removed.retain(|name| {
        !OF_ONE_SHELL.iter().any(|known| name == known)
            && !WHILE_READING.iter().any(|(known, _)| name == known)
    });
    changes
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;

    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    fn surroundings(home: &Path) -> Surroundings {
        Surroundings {
            inherited: variables(&[
                ("PATH", "/usr/bin:/bin"),
                ("TERM", "xterm"),
                ("DISPLAY", ":0"),
                ("SHLVL", "1"),
            ]),
            home: home.to_owned(),
            shell: Some("/bin/zsh".into()),
            command_line: Some("/opt/askdesk".into()),
        }
    }

    async fn read_with(
        surroundings: &Surroundings,
        answers: Vec<Result<Variables, Failure>>,
    ) -> (Reading, Vec<Question>) {
        let asked = RefCell::new(Vec::new());
        let answers = RefCell::new(answers);
        let ask = |question| {
            asked.borrow_mut().push(question);
            let answer = answers.borrow_mut().remove(0);
            async move { answer }
        };
        let reading = read(surroundings, || 1, ask).await;
        (reading, asked.into_inner())
    }

    #[tokio::test]
    async fn what_the_shell_says_is_taken_without_what_was_set_to_ask_it() {
        let home = tempfile::tempdir().unwrap();
        let surroundings = surroundings(home.path());
        let printed = variables(&[
            ("PATH", "/home/ada/.nvm/bin:/usr/bin:/bin"),
            ("HTTPS_PROXY", "http://proxy"),
            ("ASKDESK_READING_ENVIRONMENT", "1"),
            ("ASKDESK_DATA_DIR", "/elsewhere"),
            ("TERM", "dumb"),
            ("TMUX", "/dev/null,0,0"),
            ("STY", "of-the-user"),
            ("SHLVL", "2"),
            ("PWD", "/home/ada"),
            ("_", "/opt/askdesk"),
        ]);
        let (reading, asked) = read_with(&surroundings, vec![Ok(printed)]).await;
        assert_eq!((reading.way, &reading.failed[..]), (Way::InteractiveLogin, &[][..]));
        let result = surroundings.inherited.with(&reading.changes);
        let expected = variables(&[
            ("PATH", "/home/ada/.nvm/bin:/usr/bin:/bin"),
            ("HTTPS_PROXY", "http://proxy"),
            ("TERM", "xterm"),
            ("STY", "of-the-user"),
            ("SHLVL", "1"),
        ]);
        assert!(result == expected, "{result:?}");
        assert_eq!(asked[0].variables.get(READING_VARIABLE), Some("1".as_ref()));
        assert_eq!(asked[0].folder, home.path());
    }

    #[tokio::test]
    async fn case_115_a_shell_that_fails_is_asked_in_another_way_and_then_the_known_folders_are_used() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join(".volta/bin")).unwrap();
        let surroundings = surroundings(home.path());
        let slow = Failure::TimedOut { seconds: 20 };
        let login = variables(&[("PATH", "/login/bin:/usr/bin:/bin"), ("TERM", "dumb"), ("DISPLAY", ":0")]);
        let (reading, asked) = read_with(&surroundings, vec![Err(slow.clone()), Ok(login)]).await;
        assert_eq!(reading.way, Way::Login);
        assert_eq!(reading.failed, [FailedWay { way: Way::InteractiveLogin, failure: slow.clone() }]);
        assert_ne!(asked[0].arguments, asked[1].arguments);

        let ended = Failure::Ended { code: Some(1) };
        let (reading, _) = read_with(&surroundings, vec![Err(slow), Err(ended)]).await;
        assert_eq!((reading.way, reading.failed.len()), (Way::KnownFolders, 2));
        let folders = surroundings.inherited.with(&reading.changes).program_folders();
        assert_eq!(folders[..3], [PathBuf::from("/usr/bin"), "/bin".into(), home.path().join(".volta/bin")]);
    }

    #[tokio::test]
    async fn case_142_folders_of_the_start_stay_behind_those_of_a_shell_that_sets_the_path_anew() {
        let home = tempfile::tempdir().unwrap();
        let mut surroundings = surroundings(home.path());
        let own = "/nix/store/agents/bin:/work/.venv/bin:/usr/bin:/bin";
        surroundings.inherited.set("PATH", own);
        let printed = variables(&[("PATH", "/home/ada/bin:/usr/bin:/bin")]);
        let (reading, _) = read_with(&surroundings, vec![Ok(printed)]).await;
        let path = |inherited: &Variables| {
            let result = inherited.with(&reading.changes);
            result.get("PATH").unwrap().to_str().unwrap().to_owned()
        };
        let expected = "/home/ada/bin:/usr/bin:/bin:/nix/store/agents/bin:/work/.venv/bin";
        assert_eq!(path(&surroundings.inherited), expected);
        // What was kept meets another start.
        surroundings.inherited.set("PATH", "/home/ada/x/bin:/bin:relative");
        assert_eq!(path(&surroundings.inherited), "/home/ada/bin:/usr/bin:/bin:/home/ada/x/bin");
    }

    #[tokio::test]
    async fn an_account_without_a_shell_asks_none() {
        let home = tempfile::tempdir().unwrap();
        let surroundings = Surroundings { shell: None, ..surroundings(home.path()) };
        let (reading, asked) = read_with(&surroundings, Vec::new()).await;
        assert!(asked.is_empty());
        assert!(reading.failed.iter().all(|failed| failed.failure == Failure::NoShell), "{reading:?}");
    }
}
