//! The doors for agents that the desk did not start: open while it is, and never in the way of the window.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

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

/// Closes them: nobody new is let in, and who waits is told before the engine ends.
pub async fn close(app: &AppHandle) {
    let doors = app.state::<Opened>().0.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(doors) = doors {
        doors.close().await;
    }
}
