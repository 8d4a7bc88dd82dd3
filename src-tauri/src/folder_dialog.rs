use std::path::Path;

use askdesk_contract::Error;
use askdesk_domain::{Rejection, ValidationError};
use tauri::{Runtime, WebviewWindow};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

/// Lets the user choose a folder, starting in `start` if that exists. Returns none if they cancel.
#[tauri::command]
pub async fn pick_folder<R: Runtime>(
    window: WebviewWindow<R>,
    start: String,
) -> Result<Option<String>, Error> {
    let mut dialog = window.dialog().file().set_parent(&window).set_can_create_directories(true);
    if Path::new(&start).is_dir() {
        dialog = dialog.set_directory(start);
    }
    let (sender, receiver) = oneshot::channel();
    dialog.pick_folder(move |picked| {
        // The window may be gone.
        let _ = sender.send(picked);
    });
    let Ok(Some(picked)) = receiver.await else { return Ok(None) };
    let path = picked.into_path().map_err(|_| refused())?;
    match path.into_os_string().into_string() {
        Ok(path) => Ok(Some(path)),
        Err(_) => Err(refused()),
    }
}

fn refused() -> Error {
    Rejection::invalid("folder", ValidationError::PathNotText).into()
}
