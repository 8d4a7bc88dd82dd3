//! What a person asked for from outside of the window, by a click or a link: kept until the page shows it, because the page may
//! just be loading. Only the newest counts.

use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Emitter, Manager, State};
use uuid::Uuid;

use crate::presence::{Focus, Presence};
use crate::{shortcut, window};

/// Tells the page that there is something to look for.
const WANTED: &str = "wanted";

/// The id of the request, approval or session that the page has not shown yet.
#[derive(Default)]
pub struct Wanted(Mutex<Option<Uuid>>);

impl Wanted {
    fn put(&self, id: Uuid) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
    }

    fn get(&self) -> Option<Uuid> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked for since stays.
    fn done(&self, id: Uuid) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take_if(|wanted| *wanted == id);
    }
}

/// Raises the window and leads it to a request, an approval or a session. Nothing is answered by that.
pub fn bring_up(app: &AppHandle, id: Uuid) {
    app.state::<Wanted>().put(id);
    shortcut::came_another_way(app);
    app.state::<Presence>().want(Focus::Taken);
    // A page that does not listen yet looks by itself once it does.
    if let Err(error) = app.emit_to(window::MAIN, WANTED, ()) {
        tracing::warn!(%error, "the window was not told of a click");
    }
}

/// Returns what is to be shown.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn wanted(wanted: State<'_, Wanted>) -> Option<Uuid> {
    wanted.get()
}

/// Hears that the page shows it, or knows nothing of it.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "the signature is Tauri's")]
pub fn brought_up(wanted: State<'_, Wanted>, id: Uuid) {
    wanted.done(id);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_kept_until_it_is_shown_and_only_the_newest_counts() {
        let wanted = Wanted::default();
        let [first, second] = [1, 2].map(Uuid::from_u128);
        wanted.put(first);
        assert_eq!((wanted.get(), wanted.get()), (Some(first), Some(first)), "looking takes nothing away");
        wanted.put(second);
        wanted.done(first);
        assert_eq!(wanted.get(), Some(second), "what was shown late ends nothing that came since");
        wanted.done(second);
        assert_eq!(wanted.get(), None);
    }
}
