//! The doors for agents that the desk did not start: open while it is, and never in the way of the window.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use askdesk_api::{Here, Trial, Untried, Whereabouts};
use askdesk_clients::{Surroundings, beside_or_on_path, hook_command};
use askdesk_engine::EngineHandle;
use askdesk_mcp::{DoorSpec, Doors};
use tauri::{AppHandle, Manager};

/// The doors, once they are open.
#[derive(Default)]
pub struct Opened(Mutex<Option<Doors>>);

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
                *app.state::<Opened>().0.lock().unwrap_or_else(PoisonError::into_inner) = Some(doors)
            }
            Err(error) => tracing::error!(%error, "other agents cannot ask: the doors stay shut"),
        }
    });
}

/// Says where they are, for those who tell other programs of them.
pub fn whereabouts(app: &AppHandle, data: PathBuf) -> Whereabouts {
    let app = app.clone();
    Arc::new(move || {
        // Folders of projects are the command line's.
        let around = Surroundings::of_this_process(data.clone())?;
        let port = {
            let opened = app.state::<Opened>();
            let doors = opened.0.lock().unwrap_or_else(PoisonError::into_inner);
            doors.as_ref().map(|doors| doors.address().port())
        };
        let this = std::env::current_exe().ok();
        let command = beside_or_on_path(this.as_deref(), &around).and_then(|program| hook_command(&program));
        Some(Here { around, data: data.clone(), port, command })
    })
}

/// Says how the desk asks itself over them.
pub fn trial(app: &AppHandle) -> Trial {
    let app = app.clone();
    Arc::new(move || {
        let trial = {
            let opened = app.state::<Opened>();
            let doors = opened.0.lock().unwrap_or_else(PoisonError::into_inner);
            doors.as_ref().map(Doors::trial)
        };
        Box::pin(async move {
            let asked = trial.ok_or(Untried::Shut)?.await;
            asked.map_err(|error| Untried::Broken { error: error.to_string() })
        })
    })
}

/// Closes them: nobody new is let in, and who waits is told before the engine ends.
pub async fn close(app: &AppHandle) {
    let doors = app.state::<Opened>().0.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(doors) = doors {
        doors.close().await;
    }
}
