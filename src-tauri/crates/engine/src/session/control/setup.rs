//! Runs the user's setup command in a new worktree, before its session starts.

use std::collections::{HashMap, VecDeque};
#[cfg(windows)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_agents::{Inbound, LaunchPlan, LinkEvent, LinkPlan};
use askdesk_domain::text::cut_at;
#[cfg(not(windows))]
use askdesk_user_environment::{line_arguments, user_shell, without_input};
use askdesk_user_environment::{settled, variables};
use tokio::sync::oneshot;

use super::Sessions;
use crate::session_log::{LOG_LINE_BYTES, LOG_LINES};

/// How many of the last lines say why a command failed.
const LAST_LINES: usize = 20;
/// How long a command that is stopped may take to end by itself.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// How the lines end that an interactive bash writes because it has no terminal.
const WITHOUT_TERMINAL: [&str; 2] = ["Inappropriate ioctl for device", "no job control in this shell"];

/// The setup commands of this run of the app.
#[derive(Debug, Default)]
pub(super) struct Setups {
    running: Vec<(PathBuf, oneshot::Sender<()>)>,
    /// What the last command wrote, for the log of the session that is started after it.
    last: Option<(PathBuf, Vec<String>)>,
    /// What hooks wrote that failed in new worktrees, for the sessions that start there.
    failed_hooks: HashMap<PathBuf, String>,
}

/// A setup command did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupFailure {
    /// Its exit code; none if it was stopped or killed, or did not start.
    pub code: Option<i32>,
    pub stopped: bool,
    /// The last lines that it wrote.
    pub lines: Vec<String>,
}

impl Sessions {
    /// Runs a line in the user's shell. It ends with the app, with everything it started.
    pub async fn run_setup(&self, folder: &Path, line: &str) -> Result<(), SetupFailure> {
        settled().await;
        let failed = |error: String| SetupFailure { code: None, stopped: false, lines: vec![error] };
        let opened = self.links.open(LinkPlan::Process(in_shell(folder, line))).await;
        let (link, mut events) = opened.map_err(|error| failed(error.to_string()))?;
        let (stop, mut stopped) = oneshot::channel();
        self.setups().running.push((folder.to_owned(), stop));
        let mut lines = VecDeque::new();
        let mut was_stopped = false;
        let exit = loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(LinkEvent::Inbound(inbound)) => text_of(inbound).into_iter().for_each(|text| add(&mut lines, &text)),
                    Some(LinkEvent::Stderr(text)) if is_of_bash(&text) => {}
                    Some(LinkEvent::Stderr(text)) => add(&mut lines, &text),
                    Some(LinkEvent::Ended(end)) => {
                        text_of(Inbound::Line(end.unfinished)).into_iter().for_each(|text| add(&mut lines, &text));
                        break Some(end.status);
                    }
                    None => break None,
                },
                _ = &mut stopped, if !was_stopped => {
                    was_stopped = true;
                    link.stop(STOP_GRACE).await;
                }
            }
        };
        let lines = Vec::from(lines);
        let mut setups = self.setups();
        setups.running.retain(|(path, _)| path != folder);
        let last = lines.len().saturating_sub(LAST_LINES);
        let failure = SetupFailure {
            code: exit.and_then(|exit| exit.code),
            stopped: was_stopped,
            lines: lines[last..].to_vec(),
        };
        setups.last = Some((folder.to_owned(), lines));
        if !was_stopped && exit.is_some_and(|exit| exit.is_success()) { Ok(()) } else { Err(failure) }
    }

    /// Stops the setup command that runs in a folder.
    pub fn stop_setup(&self, folder: &Path) {
        let mut setups = self.setups();
        if let Some(index) = setups.running.iter().position(|(path, _)| path == folder) {
            let _ = setups.running.swap_remove(index).1.send(());
        }
    }

    /// Stops every setup command at the end of the app.
    pub(super) fn stop_setups(&self) {
        for (_, stop) in self.setups().running.drain(..) {
            let _ = stop.send(());
        }
    }

    /// Keeps what a hook wrote that failed while a worktree was made; none if none did.
    pub fn keep_failed_hook(&self, folder: &Path, output: Option<&str>) {
        let mut setups = self.setups();
        setups.failed_hooks.remove(folder);
        if let Some(output) = output {
            let lines = output.lines().map(|line| cut_at(line, LOG_LINE_BYTES, " …")).collect::<Vec<_>>();
            let last = lines.len().saturating_sub(LAST_LINES);
            setups.failed_hooks.insert(folder.to_owned(), lines[last..].join("\n"));
        }
    }

    pub(super) fn take_failed_hook(&self, folder: &Path) -> Option<String> {
        self.setups().failed_hooks.remove(folder)
    }

    /// Takes what the last setup command wrote, if it ran in this folder.
    pub(super) fn take_setup_output(&self, folder: &Path) -> Vec<String> {
        self.setups().last.take_if(|(path, _)| path == folder).map(|(_, lines)| lines).unwrap_or_default()
    }
}

fn add(lines: &mut VecDeque<String>, text: &str) {
    if lines.len() == LOG_LINES / 2 {
        lines.pop_front();
    }
    lines.push_back(cut_at(text, LOG_LINE_BYTES, " …"));
}

/// Whether an interactive bash wrote this line, and not the command: it misses a terminal, and says when it ends by `exit`.
fn is_of_bash(text: &str) -> bool {
    let text = text.trim_end();
    text == "exit" || (text.contains("bash: ") && WITHOUT_TERMINAL.iter().any(|end| text.ends_with(end)))
}

fn text_of(inbound: Inbound) -> Option<String> {
    let line = match inbound {
        Inbound::Line(line) | Inbound::Abridged { line, .. } => line,
        Inbound::End { unfinished } => unfinished,
        Inbound::Rpc(_) => return None,
    };
    let text = String::from_utf8_lossy(&line).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The user's shell with a line of the user's own, as in their terminal. Nothing that a repository contains becomes part of it.
#[cfg(not(windows))]
fn in_shell(folder: &Path, line: &str) -> LaunchPlan {
    let shell = user_shell(&variables()).unwrap_or_else(|| PathBuf::from("/bin/sh"));
    let (program, args) = without_input(&shell, line_arguments(&shell, line));
    LaunchPlan { program, args, folder: folder.to_owned(), env: Vec::new(), env_remove: Vec::new() }
}

/// The command prompt with a line of the user's own. It reads the line from a variable, because its rules for quotes are not
/// those of other programs.
#[cfg(windows)]
fn in_shell(folder: &Path, line: &str) -> LaunchPlan {
    const LINE: &str = "ASKDESK_SETUP_COMMAND";
    let shell = variables().get("ComSpec").map_or_else(|| PathBuf::from("cmd.exe"), PathBuf::from);
    LaunchPlan {
        program: shell,
        args: ["/D", "/C", "%ASKDESK_SETUP_COMMAND%", "<NUL"].map(OsString::from).to_vec(),
        folder: folder.to_owned(),
        env: vec![(LINE.into(), line.into())],
        env_remove: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_interactive_bash_writes_by_itself_is_no_output_of_the_command() {
        let of_bash = [
            "bash: cannot set terminal process group (12): Inappropriate ioctl for device\n",
            "bash: no job control in this shell\n",
            "exit\n",
        ];
        assert!(of_bash.into_iter().all(is_of_bash));
        let of_command =
            ["bash: npm: command not found\n", "exit code 3\n", "no job control in this shell\n"];
        assert!(!of_command.into_iter().any(is_of_bash));
    }
}
