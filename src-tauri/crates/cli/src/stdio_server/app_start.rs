//! Starts the app if it isn't running.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askdesk_client_config::discovery::{IN_BACKGROUND, PROGRAM};
use tokio::sync::{Mutex, oneshot};

use super::connection::Connection;
use crate::terminal::note;

/// How long the app may take until its gateway listens.
const TIMEOUT: Duration = Duration::from_secs(15);
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Starts the app, one call at a time.
#[derive(Debug, Default)]
pub struct AppStart(Mutex<()>);

impl AppStart {
    /// Starts the app, and waits until its gateway listens. Returns whether it does.
    pub async fn start(&self, connection: &Connection) -> bool {
        let _guard = self.0.lock().await;
        // The call before this one may have started it.
        if connection.reach().await.is_ok() {
            return true;
        }
        let Some(program) = program() else {
            note(&format!("can't start Askdesk: {PROGRAM} is neither next to this program nor on the PATH"));
            return false;
        };
        let mut app = match detached(&program).and_then(|mut command| command.spawn()) {
            Ok(app) => app,
            Err(error) => {
                note(&format!("can't start Askdesk: {}: {error}", program.display()));
                return false;
            }
        };
        // A thread waits for the app, so that it doesn't become a zombie if it ends before this process.
        let (sender, mut ended) = oneshot::channel();
        std::thread::spawn(move || sender.send(app.wait()));
        let since = Instant::now();
        loop {
            let failure = match connection.reach().await {
                Ok(()) => return true,
                Err(failure) => failure,
            };
            if let Ok(Ok(status)) = ended.try_recv()
                && !status.success()
            {
                note(&format!("Askdesk quit as soon as it was started: {status}"));
                return false;
            }
            if since.elapsed() >= TIMEOUT {
                note(&format!("Askdesk was started, but can't be asked yet: {failure}"));
                return false;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }
}

/// Finds the app beside this program, or else on the path.
fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    beside.filter(|file| file.is_file()).or_else(|| which::which(PROGRAM).ok())
}

/// Returns a command that runs independently of this process and its client.
fn detached(program: &Path) -> std::io::Result<Command> {
    let mut command = Command::new(program);
    command.arg(IN_BACKGROUND).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    askdesk_user_environment::in_own_session(&mut command)?;
    #[cfg(windows)]
    {
        const DETACHED_PROCESS: u32 = 0x0000_0008;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        let flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
        std::os::windows::process::CommandExt::creation_flags(&mut command, flags);
    }
    Ok(command)
}
