//! Shutdown by a signal or by the session manager: a quit without a dialog, within [`DEADLINE`].

#[cfg(target_os = "linux")]
mod session_manager;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::{AppHandle, Manager};

use crate::gateway;
use crate::pending_api::PendingApi;
use crate::window_lifecycle::{Goal, WindowLifecycle};

/// The time until the process is killed. Session managers kill after a few seconds.
const DEADLINE: Duration = Duration::from_millis(2_800);

/// The head start of the page to save drafts before the agents are ended. It continues while they end.
const PAGE_HEAD_START: Duration = Duration::from_millis(300);

/// A second signal within this time belongs to the first. Terminals and systemd send two kinds at once.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct Shutdown {
    begun: AtomicBool,
    /// The event loop has ended, and the engine is closing.
    closing: AtomicBool,
}

impl Shutdown {
    pub fn note_closing(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
pub use session_manager::follow as handle_session_end;

/// Handles SIGTERM, SIGINT and SIGHUP. A second signal kills the process.
pub fn handle_signals(app: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
        let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hang_up)] = kinds else {
            return tracing::warn!("signals end the app without saving anything");
        };
        let mut next = async || {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hang_up.recv() => {}
            }
        };
        next().await;
        tracing::info!("a signal ends the app");
        begin(&app);
        let same = tokio::time::sleep(SAME_SIGNAL);
        let mut same = std::pin::pin!(same);
        loop {
            tokio::select! {
                biased;
                () = next() => {
                    if same.is_elapsed() {
                        tracing::warn!("another signal ends the app by force");
                        kill_process(&app);
                    }
                }
                () = &mut same, if !same.is_elapsed() => {}
            }
        }
    });
}

/// Quits without a dialog: the page saves, the agents end, and the database is closed.
pub fn begin(app: &AppHandle) {
    if app.state::<Shutdown>().begun.swap(true, Ordering::Relaxed) {
        return;
    }
    let late = app.clone();
    let deadline = move || {
        std::thread::sleep(DEADLINE);
        tracing::warn!("the app did not end in time and is ended by force");
        kill_process(&late);
    };
    if let Err(error) = std::thread::Builder::new().name("shutdown-deadline".to_owned()).spawn(deadline) {
        tracing::warn!(%error, "the shutdown has no deadline");
    }
    if app.state::<PendingApi>().now().is_none() {
        return app.exit(0);
    }
    let lifecycle = app.state::<WindowLifecycle>();
    lifecycle.close(Goal::Exit, lifecycle.show_count());
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PAGE_HEAD_START).await;
        if !app.state::<Shutdown>().closing.load(Ordering::Relaxed) {
            app.exit(0);
        }
    });
}

/// Kills this process. On Linux the agent hosts end the agents; elsewhere the next start does.
fn kill_process(app: &AppHandle) {
    gateway::unpublish(app);
    // The main thread may be busy closing the engine, so an exit through Tauri would wait for it.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}
