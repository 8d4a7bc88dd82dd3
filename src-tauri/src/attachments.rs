//! Files that the user drops on the window, pastes, or chooses in a dialog. The page never names a path, only the session.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use askdesk_contract::{AttachedFiles, Error};
use askdesk_domain::SessionId;
use tauri::{DragDropEvent, Manager, Runtime, State, WebviewWindow, Window, WindowEvent};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

#[cfg(target_os = "linux")]
use crate::clipboard::{self, ClipboardContent};
use crate::language;
use crate::pending_api::PendingApi;
use crate::window::MAIN;

/// The files that were dropped last, until the page says which session they are for.
#[derive(Default)]
pub struct DroppedFiles(Mutex<Vec<PathBuf>>);

impl DroppedFiles {
    /// Replaces the files. Web addresses are left out.
    fn set(&self, paths: &[PathBuf]) {
        let files = paths.iter().filter(|path| path.is_absolute()).cloned().collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }

    fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Remembers dropped files. The page gets its own drop event.
pub fn on_window_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event
        && window.label() == MAIN
    {
        window.state::<DroppedFiles>().set(paths);
    }
}

/// Attaches the files that were dropped last. A drop is used once.
#[tauri::command]
pub async fn attach_dropped(
    pending_api: State<'_, PendingApi>,
    dropped: State<'_, DroppedFiles>,
    session: SessionId,
) -> Result<AttachedFiles, Error> {
    let paths = dropped.take();
    pending_api.api().await?.attach_files(session, paths).await
}

/// Attaches the files or the image on the clipboard.
#[cfg(target_os = "linux")]
#[tauri::command]
pub async fn attach_pasted<R: Runtime>(
    window: WebviewWindow<R>,
    pending_api: State<'_, PendingApi>,
    session: SessionId,
) -> Result<AttachedFiles, Error> {
    let api = pending_api.api().await?;
    match clipboard::read(window.app_handle()).await {
        ClipboardContent::Files(paths) => api.attach_files(session, paths).await,
        ClipboardContent::Image(content) => {
            api.attach_pasted_image(session, content, clipboard::as_png).await
        }
        ClipboardContent::Nothing => Ok(AttachedFiles { attached: Vec::new(), refused: Vec::new() }),
    }
}

/// Elsewhere than on Linux, the page's paste event has the images itself.
#[cfg(not(target_os = "linux"))]
#[tauri::command]
pub fn attach_pasted() -> AttachedFiles {
    AttachedFiles { attached: Vec::new(), refused: Vec::new() }
}

/// Lets the user choose files and attaches them.
#[tauri::command]
pub async fn pick_attachments<R: Runtime>(
    window: WebviewWindow<R>,
    pending_api: State<'_, PendingApi>,
    session: SessionId,
) -> Result<AttachedFiles, Error> {
    let api = pending_api.api().await?;
    let title = language::messages(&api.settings().watch().borrow()).attach;
    let dialog = window.dialog().file().set_parent(&window).set_title(title);
    let (sender, receiver) = oneshot::channel();
    dialog.pick_files(move |picked| {
        // The window may be gone.
        let _ = sender.send(picked);
    });
    let picked = receiver.await.ok().flatten().unwrap_or_default();
    let paths = picked.into_iter().filter_map(|file| file.into_path().ok()).collect();
    api.attach_files(session, paths).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_is_used_once_and_replaces_the_one_before() {
        let dropped = DroppedFiles::default();
        dropped.set(&[PathBuf::from("/srv/a.txt")]);
        dropped.set(&[PathBuf::from("/srv/b.txt"), PathBuf::from("https://example.org/c.png")]);
        assert_eq!(dropped.take(), [PathBuf::from("/srv/b.txt")]);
        assert_eq!(dropped.take(), Vec::<PathBuf>::new());
    }
}
