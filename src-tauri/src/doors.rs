//! The doors for agents that the desk did not start: open while it is, and never in the way of the window.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use askdesk_api::{ClientHost, Pending, SelfTestError};
use askdesk_client_config::{Surroundings, beside_or_on_path, hook_command};
use askdesk_engine::EngineHandle;
use askdesk_gateway::{DoorSpec, Doors};
use tauri::{AppHandle, Manager};

/// The doors, once they are open.
#[derive(Default)]
pub struct Opened(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    Shut,
    Open(Doors),
    /// The app ends: nothing opens any more.
    Over,
}

impl Opened {
    /// Looks at them, if they are open.
    fn look<T>(&self, at: impl FnOnce(&Doors) -> T) -> Option<T> {
        match &*self.lock() {
            State::Open(doors) => Some(at(doors)),
            State::Shut | State::Over => None,
        }
    }

    /// Keeps what was opened; gives it back where the app has begun to end meanwhile.
    fn keep(&self, doors: Doors) -> Option<Doors> {
        let mut state = self.lock();
        match *state {
            State::Over => Some(doors),
            State::Shut | State::Open(_) => {
                *state = State::Open(doors);
                None
            }
        }
    }

    fn end(&self) -> Option<Doors> {
        match std::mem::replace(&mut *self.lock(), State::Over) {
            State::Open(doors) => Some(doors),
            State::Shut | State::Over => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Describes the doors of this desk.
pub fn of(app: &AppHandle, folder: &Path, engine: EngineHandle) -> DoorSpec {
    DoorSpec::new(folder, engine, &app.package_info().version.to_string())
}

/// Opens them. A desk whose doors stay shut is still a desk for the sessions it starts.
pub fn open(app: &AppHandle, doors: DoorSpec) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match Doors::open(doors).await {
            Ok(doors) => {
                let late = app.state::<Opened>().keep(doors);
                if let Some(doors) = late {
                    doors.close().await;
                }
            }
            Err(error) => tracing::error!(%error, "other agents cannot ask: the doors stay shut"),
        }
    });
}

/// Returns what connecting other programs needs; none if the person has no home folder.
pub fn client_host(app: &AppHandle, data: &Path) -> Option<ClientHost> {
    // The command line connects projects; here the data folder takes the place of one.
    let around = Surroundings::of_this_process(data.to_owned())?;
    let port = app.state::<Opened>().look(|doors| doors.address().port());
    let this = std::env::current_exe().ok();
    let command = beside_or_on_path(this.as_deref(), &around).and_then(|program| hook_command(&program));
    Some(ClientHost { around, data: data.to_owned(), port, command })
}

/// Asks a test question over the gateway.
pub fn self_test(app: &AppHandle) -> Pending<Result<(), SelfTestError>> {
    let trial = app.state::<Opened>().look(Doors::trial);
    Box::pin(async move {
        let asked = trial.ok_or(SelfTestError::GatewayClosed)?.await;
        asked.map_err(|error| SelfTestError::Failed { error: error.to_string() })
    })
}

/// Removes the file that says where they are, before the app is ended by force.
#[cfg(unix)]
pub fn forget(app: &AppHandle) {
    drop(app.state::<Opened>().end());
}

/// Closes them: nobody new is let in, and who waits is told before the engine ends.
pub async fn close(app: &AppHandle) {
    let doors = app.state::<Opened>().end();
    if let Some(doors) = doors {
        doors.close().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use askdesk_engine::clock::SystemClock;
    use askdesk_engine::{Catalog, OpenedEngine};

    use super::*;

    #[test]
    fn doors_that_open_when_the_app_has_begun_to_end_are_closed_and_leave_no_word_of_where_they_were() {
        let folder = tempfile::tempdir().unwrap();
        tauri::async_runtime::block_on(async {
            let OpenedEngine { handle, .. } =
                EngineHandle::open(folder.path(), Arc::new(SystemClock), Catalog::default()).unwrap();
            let doors = Doors::open(DoorSpec::new(folder.path(), handle, "0.1.0")).await.unwrap();
            let opened = Opened::default();
            assert!(opened.end().is_none());
            let late = opened.keep(doors).expect("they are given back");
            late.close().await;
            assert!(opened.look(|_| ()).is_none());
        });
        assert!(!folder.path().join("desk.json").exists());
    }
}
