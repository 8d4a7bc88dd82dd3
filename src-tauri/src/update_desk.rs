//! What the updates of the app need of its window and its desk.

use std::path::Path;
use std::sync::Arc;

use askdesk_contract::UpdateObstacle;
use askdesk_domain::Timestamp;
use askdesk_engine::clock::{Clock, SystemClock};
use tauri::{AppHandle, Emitter, Manager};

use crate::updates::{Desk, Updates};
use crate::window;
use crate::window_lifecycle::{Goal, WindowLifecycle};

/// The event that tells the page that something about updates has changed.
const CHANGED_EVENT: &str = "update";

/// Prepares the updates of this build.
pub fn updates(app: &AppHandle, folder: &Path) -> Updates {
    #[cfg(feature = "updater")]
    let source = crate::updates::source(app);
    #[cfg(not(feature = "updater"))]
    let source = None;
    let running = app.package_info().version.to_string();
    Updates::new(source, Arc::new(AppDesk(app.clone())), folder.to_owned(), running)
}

struct AppDesk(AppHandle);

impl Desk for AppDesk {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn obstacles(&self) -> Vec<UpdateObstacle> {
        // If nobody can say what waits, something may.
        let desk = self.0.try_state::<askdesk_desk::Desk>();
        desk.map_or_else(|| vec![UpdateObstacle::NotStored], |desk| desk.watch_obstacles().borrow().clone())
    }

    fn changed(&self) {
        if let Err(error) = self.0.emit_to(window::MAIN, CHANGED_EVENT, ()) {
            tracing::warn!(%error, "the window was not told about an update");
        }
    }

    fn restart(&self) {
        let lifecycle = self.0.state::<WindowLifecycle>();
        lifecycle.close(Goal::Restart, lifecycle.show_count());
    }
}
