//! Runs the user's setup command in a new worktree, before its session starts.

use std::collections::VecDeque;
#[cfg(windows)]
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use askdesk_agents::{Inbound, LaunchPlan, LinkEvent, LinkPlan, Secrets};
use askdesk_contract::{LOG_LINE_BYTES, LogKind};
use askdesk_domain::text::cut_at;
use askdesk_domain::{AgentFailure, SessionId};
use askdesk_user_environment::variables;
#[cfg(not(windows))]
use askdesk_user_environment::{line_arguments, user_shell, without_input};

use super::Sessions;
use super::beginning::Wanted;

/// How many of the last lines say why a command failed.
const LAST_LINES: usize = 20;
/// How long a command that is stopped may take to end by itself.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// How the lines end that an interactive bash writes because it has no terminal.
const WITHOUT_TERMINAL: [&str; 2] = ["Inappropriate ioctl for device", "no job control in this shell"];

impl Sessions {
    /// Runs a line in the user's shell, with its output in the session's log. It ends with the session, with everything it
    /// started.
    pub(super) async fn set_up(
        &self,
        id: SessionId,
        folder: &Path,
        line: &str,
        wanted: &mut Wanted,
    ) -> Result<(), AgentFailure> {
        let (link, mut events) = self.links.open(LinkPlan::Process(in_shell(folder, line))).await?;
        let mut lines = VecDeque::new();
        let secrets = Secrets::of_user();
        let mut add = |text: &str| {
            let mut text = text.trim_end().to_owned();
            if text.is_empty() {
                return;
            }
            secrets.strike(&mut text);
            let text = cut_at(&text, LOG_LINE_BYTES, " …");
            self.logs.add(id, self.engine.clock().now(), LogKind::Setup, &text);
            if lines.len() == LAST_LINES {
                lines.pop_front();
            }
            lines.push_back(text);
        };
        let mut was_stopped = false;
        let exit = loop {
            tokio::select! {
                event = events.next() => match event {
                    Some(LinkEvent::Inbound(inbound)) => add(&text_of(&inbound)),
                    Some(LinkEvent::Stderr(text)) if is_of_bash(&text) => {}
                    Some(LinkEvent::Stderr(text)) => add(&text),
                    Some(LinkEvent::Ended(end)) => {
                        add(&String::from_utf8_lossy(&end.unfinished));
                        break Some(end.status);
                    }
                    None => break None,
                },
                _ = wanted.changed(), if !was_stopped => {
                    was_stopped = true;
                    link.stop(STOP_GRACE).await;
                }
            }
        };
        match exit {
            Some(exit) if exit.is_success() => Ok(()),
            exit => Err(AgentFailure::SetupFailed {
                code: exit.and_then(|exit| exit.code),
                said: last_lines(lines.iter().map(String::as_str)),
            }),
        }
    }
}

/// The last lines of an output, which say why it failed.
pub(super) fn last_lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<String> = lines.map(|line| cut_at(line, LOG_LINE_BYTES, " …")).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

/// Whether an interactive bash wrote this line, and not the command: it misses a terminal, and says when it ends by `exit`.
fn is_of_bash(text: &str) -> bool {
    let text = text.trim_end();
    text == "exit" || (text.contains("bash: ") && WITHOUT_TERMINAL.iter().any(|end| text.ends_with(end)))
}

fn text_of(inbound: &Inbound) -> String {
    match inbound {
        Inbound::Line(line) | Inbound::Abridged { line, .. } => String::from_utf8_lossy(line).into_owned(),
        Inbound::End { unfinished } => String::from_utf8_lossy(unfinished).into_owned(),
        Inbound::Rpc(_) => String::new(),
    }
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
