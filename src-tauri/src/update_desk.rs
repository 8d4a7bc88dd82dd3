//! What the updates of the app need of its window and its desk.

use std::path::Path;
use std::sync::Arc;

use askdesk_contract::Pending;
use askdesk_contract::UpdateObstacle;
use askdesk_domain::Timestamp;
use askdesk_engine::clock::{Clock, SystemClock};
use tauri::{AppHandle, Emitter, Manager};

use crate::pending_api::PendingApi;
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

    fn obstacles(&self) -> Pending<Vec<UpdateObstacle>> {
        let pending = self.0.state::<PendingApi>().inner().clone();
        Box::pin(async move {
            let found = async { pending.api().await?.update_obstacles().await }.await;
            // If nobody can say what waits, something may.
            found.unwrap_or_else(|_| vec![UpdateObstacle::NotStored])
        })
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
