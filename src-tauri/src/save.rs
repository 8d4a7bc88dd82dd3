//! Saving a text: the person chooses the file, and the app writes it. The page has no right to files for it.

use std::path::PathBuf;
use std::sync::Arc;

use askdesk_api::{Save, Unsaved};
use askdesk_domain::Settings;
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FilePath};
use tokio::sync::{oneshot, watch};

use crate::language;

pub fn asking(app: &AppHandle, settings: watch::Receiver<Settings>) -> Save {
    let app = app.clone();
    Arc::new(move |exported| {
        let (choose, chosen) = oneshot::channel();
        let title = language::words(&settings.borrow()).save_export;
        let dialog = app.dialog().file().set_title(title).set_file_name(&exported.file_name);
        dialog.save_file(move |file| drop(choose.send(file)));
        Box::pin(async move {
            let Some(file) = chosen.await.ok().flatten() else { return Ok(None) };
            write(file, exported.text).await.map(Some)
        })
    })
}

async fn write(file: FilePath, text: String) -> Result<PathBuf, Unsaved> {
    let path = file.into_path().map_err(|error| Unsaved { path: None, error: error.to_string() })?;
    let write = move || match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(error) => Err(Unsaved { path: Some(path), error: error.to_string() }),
    };
    let written = tauri::async_runtime::spawn_blocking(write).await;
    written.map_err(|error| Unsaved { path: None, error: error.to_string() })?
}
