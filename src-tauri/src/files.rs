//! Files that the person brings: chosen in the system's dialog or dropped on the window. The page never names a path; it
//! says which session they are for.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use askdesk_api::Error;
use askdesk_api::dto::AttachedFiles;
use askdesk_domain::SessionId;
use tauri::{DragDropEvent, Manager, Runtime, State, WebviewWindow, Window, WindowEvent};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

use crate::language;
use crate::opening::Opening;

/// What was dropped last, until the page has said which session it is for.
#[derive(Default)]
pub struct Dropped(Mutex<Vec<PathBuf>>);

impl Dropped {
    /// Remembers what was dropped instead of what was dropped before; an address of the web is no file.
    fn put(&self, paths: &[PathBuf]) {
        let files = paths.iter().filter(|path| path.is_absolute()).cloned().collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }

    fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Remembers what is dropped on the window; the page hears of the drop by itself.
pub fn on_window_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event {
        window.state::<Dropped>().put(paths);
    }
}

/// Attaches what was dropped last to the message that is written in a session; a drop is taken once.
#[tauri::command]
pub async fn attach_dropped(
    opening: State<'_, Opening>,
    dropped: State<'_, Dropped>,
    session: SessionId,
) -> Result<AttachedFiles, Error> {
    let paths = dropped.take();
    opening.desk().await?.attach_files(session, paths).await
}

/// Lets the person choose files to attach to the message that is written in a session.
#[tauri::command]
pub async fn pick_attachments<R: Runtime>(
    window: WebviewWindow<R>,
    opening: State<'_, Opening>,
    session: SessionId,
) -> Result<AttachedFiles, Error> {
    let desk = opening.desk().await?;
    let title = language::words(&desk.settings().watch().borrow()).attach;
    let dialog = window.dialog().file().set_parent(&window).set_title(title);
    let (tell, told) = oneshot::channel();
    dialog.pick_files(move |picked| {
        // Nobody waits any more where the window has gone.
        let _ = tell.send(picked);
    });
    let picked = told.await.ok().flatten().unwrap_or_default();
    let paths = picked.into_iter().filter_map(|file| file.into_path().ok()).collect();
    desk.attach_files(session, paths).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_is_taken_once_and_replaces_the_one_before() {
        let dropped = Dropped::default();
        dropped.put(&[PathBuf::from("/srv/a.txt")]);
        dropped.put(&[PathBuf::from("/srv/b.txt"), PathBuf::from("https://example.org/c.png")]);
        assert_eq!(dropped.take(), [PathBuf::from("/srv/b.txt")]);
        assert_eq!(dropped.take(), Vec::<PathBuf>::new());
    }
}
