//! Asks the user's shell for its environment, behind the window. Started from a terminal, Askdesk has it already.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askdesk_client_config::discovery;
use askdesk_contract::{Failure, Way};
use askdesk_user_environment::{
    Origin, Printed, Question, Surroundings, Variables, await_first_reading, begin_reading, current,
    inherited, keep, kept, settle, settle_with_kept, user_shell,
};
use tauri::{AppHandle, Manager};
use tauri_plugin_shell::ShellExt;
use tauri_plugin_shell::process::{CommandChild, CommandEvent};
use uuid::Uuid;

/// Set to `off`, it keeps the environment that Askdesk was started with.
const VARIABLE: &str = "ASKDESK_SHELL_ENVIRONMENT";

#[derive(Default)]
pub struct ShellEnvironment {
    /// One shell is asked at a time.
    turn: tokio::sync::Mutex<()>,
    /// Whether the first reading of this run has begun.
    begun: AtomicBool,
    asked: Mutex<Asked>,
}

#[derive(Default)]
enum Asked {
    #[default]
    Nothing,
    Shell(#[expect(dead_code, reason = "it ends when this is dropped")] CommandChild),
    /// The app is closing.
    Stopped,
}

impl ShellEnvironment {
    /// Replaces the shell that is asked. The one before ends, with everything it started.
    fn replace(&self, next: Asked) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*asked, Asked::Stopped) {
            *asked = next;
        }
    }
}

/// Decides where the environment comes from. Until the shell has answered, agents get what it said the last time; if that
/// isn't known, or lacks something live, they wait.
pub fn begin(folder: &Path) {
    if let Some(way) = known_way() {
        return settle(inherited(), Origin { way, shell: None, failed: Vec::new(), read_at: 0 });
    }
    match kept(folder) {
        Some(kept) => settle_with_kept(inherited().with(&kept.changes), kept.origin, kept.lacks_live),
        None => await_first_reading(),
    }
}

/// Asks the shell at once if it has never answered: the window's first picture may show the agents, which wait for it.
pub fn read_if_unknown(app: &AppHandle) {
    if !current().is_settled {
        read_first(app);
    }
}

/// Asks the shell for the first time in this run, unless that has begun. The window doesn't wait for it.
pub fn read_first(app: &AppHandle) {
    if current().is_reading && !app.state::<ShellEnvironment>().begun.swap(true, Ordering::Relaxed) {
        tauri::async_runtime::spawn(read(app.clone()));
    }
}

/// Asks the shell, and waits for the answer.
pub async fn read(app: AppHandle) {
    if known_way().is_some() {
        return;
    }
    let state = app.state::<ShellEnvironment>();
    let _turn = state.turn.lock().await;
    begin_reading();
    let inherited = inherited();
    let surroundings = Surroundings {
        home: env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        shell: user_shell(&inherited),
        command_line: command_line(),
        inherited,
    };
    let random = || Uuid::new_v4().as_u128();
    let reading = askdesk_user_environment::read(&surroundings, random, |question| ask(&app, question)).await;
    let before = current();
    for failed in &reading.failed {
        tracing::warn!("{failed}");
    }
    if reading.is_worse_than(before.origin.way) {
        let origin = Origin { failed: reading.failed, ..before.origin };
        return settle((*before.variables).clone(), origin);
    }
    let origin = Origin {
        way: reading.way,
        shell: surroundings.shell,
        failed: reading.failed,
        read_at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis),
    };
    settle(surroundings.inherited.with(&reading.changes), origin.clone());
    let kept = discovery::data_folder().map(|folder| keep(&folder, &origin, &reading.changes));
    if let Ok(Err(error)) = kept {
        tracing::warn!(%error, "the environment can't be kept for the next start");
    }
}

/// Ends the shell that is being asked, when the app closes.
pub fn stop(app: &AppHandle) {
    app.state::<ShellEnvironment>().replace(Asked::Stopped);
}

/// Returns how the environment is known without asking a shell; `None` if one has to be asked.
fn known_way() -> Option<Way> {
    // On Windows, a program gets the same variables wherever it is started from.
    if cfg!(windows) || env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return Some(Way::Process);
    }
    has_terminal().then_some(Way::Terminal)
}

/// Whether this process belongs to a terminal, wherever its output goes.
fn has_terminal() -> bool {
    cfg!(unix) && std::fs::File::open("/dev/tty").is_ok()
}

/// The `askdesk` command line beside this program. It may be inside an AppImage, because it is needed only while that runs.
fn command_line() -> Option<PathBuf> {
    let program = env::current_exe().ok()?.parent()?.join(format!("askdesk{}", env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

async fn ask(app: &AppHandle, question: Question) -> Result<Variables, Failure> {
    let state = app.state::<ShellEnvironment>();
    let command = app.shell().command(&question.program).args(&question.arguments);
    let command = command.env_clear().envs(question.variables.iter()).current_dir(&question.folder);
    let command = command.set_raw_out(true).set_process_group(true).kill_on_drop(true);
    let (mut events, shell) =
        command.spawn().map_err(|error| Failure::NotStarted { error: error.to_string() })?;
    state.replace(Asked::Shell(shell));
    let mut printed = Printed::new(&question.mark);
    let reading = async {
        loop {
            match events.recv().await {
                Some(CommandEvent::Stdout(bytes)) => {
                    if let Some(variables) = printed.push(&bytes)? {
                        return Ok(variables);
                    }
                }
                Some(CommandEvent::Terminated(end)) => return Err(Failure::Ended { code: end.code }),
                Some(_) => {}
                None => return Err(Failure::Ended { code: None }),
            }
        }
    };
    let answer = tokio::time::timeout(question.limit, reading).await;
    state.replace(Asked::Nothing);
    let seconds = u32::try_from(question.limit.as_secs()).unwrap_or(u32::MAX);
    answer.unwrap_or(Err(Failure::TimedOut { seconds }))
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
