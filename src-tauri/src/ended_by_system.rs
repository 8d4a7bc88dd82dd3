//! The end of the app by a signal or by the session manager: an ordinary quit that asks nobody, within [`DEADLINE`].

#[cfg(target_os = "linux")]
mod session;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::{AppHandle, Manager};

use crate::doors;
use crate::opening::Opening;
use crate::presence::{Goal, Presence};

/// How long everything may take until the app is ended by force. Session managers kill after a few seconds.
const DEADLINE: Duration = Duration::from_millis(2_800);

/// How long the page has to save what was typed last before the agents are ended. It goes on saving while they are.
const PAGE_SAVES: Duration = Duration::from_millis(300);

/// How long after the first signal another one counts as a part of it. Terminals and systemd send two kinds at once.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// How far the end has come.
#[derive(Default)]
pub struct Ending {
    begun: AtomicBool,
    /// The event loop has ended, and what is open is being closed.
    closing: AtomicBool,
}

impl Ending {
    /// Notes that the event loop has ended.
    pub fn closes(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
pub use session::follow as follow_session;

/// Listens for SIGTERM, SIGINT and SIGHUP from now on. A second one ends the app by force.
pub fn follow_signals(app: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
        let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hang_up)] = kinds else {
            return tracing::warn!("signals end the app without closing anything");
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
                        force(&app);
                    }
                }
                () = &mut same, if !same.is_elapsed() => {}
            }
        }
    });
}

/// Ends the app: the page saves, agents are ended, and the database is closed, without a word to the person.
pub fn begin(app: &AppHandle) {
    if app.state::<Ending>().begun.swap(true, Ordering::Relaxed) {
        return;
    }
    let late = app.clone();
    let deadline = move || {
        std::thread::sleep(DEADLINE);
        tracing::warn!("the app did not end in time and is ended by force");
        force(&late);
    };
    if let Err(error) = std::thread::Builder::new().name("end-deadline".to_owned()).spawn(deadline) {
        tracing::warn!(%error, "the app may take its time to end");
    }
    if app.state::<Opening>().now().is_none() {
        return app.exit(0);
    }
    let presence = app.state::<Presence>();
    presence.leave(Goal::Exit, presence.wanted());
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(PAGE_SAVES).await;
        if !app.state::<Ending>().closing.load(Ordering::Relaxed) {
            app.exit(0);
        }
    });
}

/// Ends this process at once. On Linux the watchers end the agents; elsewhere the next start does.
fn force(app: &AppHandle) {
    doors::forget(app);
    // The main thread may be busy with closing, so nothing of it is run here.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}
