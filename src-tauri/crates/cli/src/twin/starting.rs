//! Starting the desk where none runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use askdesk_client_config::desk::{IN_BACKGROUND, PROGRAM};
use tokio::sync::{Mutex, oneshot};

use super::note;
use super::way::Way;

/// How long a desk that was started may take until it listens.
const WAIT: Duration = Duration::from_secs(15);
/// How often it is looked whether it does.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the desk, one call at a time.
#[derive(Debug, Default)]
pub struct Starting(Mutex<()>);

impl Starting {
    /// Starts the desk and waits until it listens; says whether it does.
    pub async fn start(&self, way: &Way) -> bool {
        let _turn = self.0.lock().await;
        // The call before this one may have started it.
        if way.is_open().await {
            return true;
        }
        let Some(program) = program() else {
            note(&format!(
                "the desk cannot be started: {PROGRAM} is neither beside this program nor in the path"
            ));
            return false;
        };
        let mut desk = match detached(&program).spawn() {
            Ok(desk) => desk,
            Err(error) => {
                note(&format!("the desk cannot be started: {}: {error}", program.display()));
                return false;
            }
        };
        // Should it end before this program does, somebody has to hear of it, even if the call is given up meanwhile.
        let (ending, mut ended) = oneshot::channel();
        std::thread::spawn(move || ending.send(desk.wait()));
        let since = Instant::now();
        loop {
            if way.is_open().await {
                return true;
            }
            if let Ok(Ok(status)) = ended.try_recv()
                && !status.success()
            {
                note(&format!("the desk has ended at once: {status}"));
                return false;
            }
            if since.elapsed() >= WAIT {
                note("the desk was started and does not say where it listens");
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Finds the desk beside this program, else in the path.
fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    beside.filter(|file| file.is_file()).or_else(|| which::which(PROGRAM).ok())
}

/// It lives on when this program and its client end, and has nothing of their input and output.
fn detached(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(IN_BACKGROUND).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    {
        const DETACHED_PROCESS: u32 = 0x0000_0008;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        let flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
        std::os::windows::process::CommandExt::creation_flags(&mut command, flags);
    }
    command
}
